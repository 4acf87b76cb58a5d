// Keeps the marked elements of a list, in order. The marks have been scanned: an element is marked where they rise.

struct Lists {
    count: u32,
    others: u32,
}

@group(0) @binding(0) var<uniform> lists: Lists;
@group(0) @binding(1) var<storage, read> list: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> marks: array<u32>;
@group(0) @binding(3) var<storage, read_write> kept: array<vec2<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let at = (group.x + group.y * groups.x) * 256u + thread;
    if (at < lists.count && marks[at + 1u] != marks[at]) {
        kept[marks[at]] = list[at];
    }
}
