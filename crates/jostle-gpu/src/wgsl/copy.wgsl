// Copies a buffer: what the device's memory can do at best.

@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first = (group.x + group.y * groups.x) * 1024u + thread;
    for (var part = 0u; part < 4u; part++) {
        let at = first + part * 256u;
        if (at < arrayLength(&source)) {
            target_[at] = source[at];
        }
    }
}
