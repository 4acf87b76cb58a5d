// Third stage, first part: marks the first entry of each cell.

@group(0) @binding(0) var<uniform> params: HgridParams;
@group(0) @binding(1) var<storage, read> entries: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> marks: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let at = (group.x + group.y * groups.x) * 256u + thread;
    if (at > params.entries) {
        return;
    }
    // One more than there are entries: after the scan it holds the number of cells.
    var mark = 0u;
    if (at < params.entries && (at == 0u || entries[at - 1u].x != entries[at].x)) {
        mark = 1u;
    }
    marks[at] = mark;
}
