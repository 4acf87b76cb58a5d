// Third stage, last part: lists where each cell begins.

@group(0) @binding(0) var<uniform> params: HgridParams;
@group(0) @binding(1) var<storage, read> marks: array<u32>;
@group(0) @binding(2) var<storage, read_write> cells: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let at = (group.x + group.y * groups.x) * 256u + thread;
    if (at < params.entries && marks[at + 1u] != marks[at]) {
        cells[marks[at]] = at;
    }
}
