// Writes the boxes in the order of their cells, as records of two vectors:
// (min x, max x, min y, max y) and (min z, max z, slot, level), coordinates as ordered integers.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> boxes: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> table: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> records: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let box = (group.x + group.y * groups.x) * 256u + thread;
    if (box >= params.boxes) {
        return;
    }
    let place = places[box];
    if (place.x == NOWHERE) {
        return;
    }
    let a = boxes[box * 3u];
    let b = boxes[box * 3u + 1u];
    let c = boxes[box * 3u + 2u];
    let at = table[place.x] + (place.y & ((1u << RANK_BITS) - 1u));
    records[at * 2u] = vec4(ordered(a.x), ordered(b.y), ordered(a.y), ordered(c.x));
    records[at * 2u + 1u] = vec4(ordered(b.x), ordered(c.y), box, place.y >> RANK_BITS);
}
