// All pairs of the boxes of a cell: a workgroup per tile of 128 rows and some columns, columns staged in shared memory.

struct CellsParams {
    jobs: u32,
    pair_capacity: u32,
}

@group(0) @binding(0) var<uniform> params: CellsParams;
// (first row, end of rows, first column, end of columns), all entries of one cell.
@group(0) @binding(1) var<storage, read> jobs: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> boxes: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> pairs: array<vec2<u32>>;

const THREADS = 128u;

// Per column, as in `gather`: (min x, max x, min y, max y) and (min z, max z).
var<workgroup> columns_xy: array<vec4<u32>, 128>;
var<workgroup> columns_z: array<vec2<u32>, 128>;

fn load_xy(entry: u32) -> vec4<u32> {
    let a = boxes[entry * 3u];
    return vec4(ordered(a.x), ordered(boxes[entry * 3u + 1u].y), ordered(a.y), ordered(boxes[entry * 3u + 2u].x));
}

fn load_z(entry: u32) -> vec2<u32> {
    return vec2(ordered(boxes[entry * 3u + 1u].x), ordered(boxes[entry * 3u + 2u].y));
}

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
    let index = group.x + group.y * groups.x;
    if (index >= params.jobs) {
        return;
    }
    let job = jobs[index];
    let row = job.x + thread;
    let is_row = row < job.y;
    let here = min(row, job.y - 1u);
    let xy = load_xy(here);
    let z = load_z(here);
    for (var first = job.z; first < job.w; first += THREADS) {
        let count = min(THREADS, job.w - first);
        if (thread < count) {
            columns_xy[thread] = load_xy(first + thread);
            columns_z[thread] = load_z(first + thread);
        }
        workgroupBarrier();
        for (var column = 0u; column < count; column++) {
            let other_xy = columns_xy[column];
            let other_z = columns_z[column];
            if (is_row && first + column > row
                && xy.x <= other_xy.y && other_xy.x <= xy.y && xy.z <= other_xy.w && other_xy.z <= xy.w
                && z.x <= other_z.y && other_z.x <= z.y) {
                emit(row, first + column);
            }
        }
        workgroupBarrier();
    }
    flush(thread, THREADS);
}
