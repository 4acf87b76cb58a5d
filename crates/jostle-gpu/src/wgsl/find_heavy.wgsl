// The long ranges of candidates that `find` left: a workgroup per piece.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> records: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> pairs: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> heavy: array<vec4<u32>>;

const THREADS = 128u;

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if (thread == 0u) {
        atomicStore(&staged_count, 0u);
    }
    workgroupBarrier();
    let pieces = min(atomicLoad(&status[STATUS_HEAVY]), params.heavy_capacity);
    for (var piece = group.x; piece < pieces; piece += groups.x) {
        let work = heavy[piece];
        let first = records[work.x * 2u];
        let second = records[work.x * 2u + 1u];
        for (var begin = work.y; begin < work.z; begin += STAGED) {
            for (var other = begin + thread; other < min(begin + STAGED, work.z); other += THREADS) {
                let xy = records[other * 2u];
                let z = records[other * 2u + 1u];
                if (first.x <= xy.y && xy.x <= first.y && first.z <= xy.w && xy.z <= first.w
                    && second.x <= z.y && z.x <= second.y) {
                    emit(second.z, z.z);
                }
            }
            flush(thread, THREADS);
        }
    }
}
