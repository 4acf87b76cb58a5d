// Compacts once more, without the pairs that the host has dropped: their places are in a sorted list. The marks have been
// scanned before, with these pairs marked.

struct Lists {
    count: u32,
}

@group(0) @binding(0) var<uniform> lists: Lists;
@group(0) @binding(1) var<storage, read> list: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> marks: array<u32>;
// How many, then the places.
@group(0) @binding(3) var<storage, read> dropped: array<u32>;
@group(0) @binding(4) var<storage, read_write> kept: array<vec2<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let at = (group.x + group.y * groups.x) * 256u + thread;
    if (at >= lists.count || marks[at + 1u] == marks[at]) {
        return;
    }
    var low = 0u;
    var high = dropped[0];
    while (low < high) {
        let middle = low + (high - low) / 2u;
        if (dropped[1u + middle] < at) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    if (low == dropped[0] || dropped[1u + low] != at) {
        kept[marks[at] - low] = list[at];
    }
}
