// Third pass of the scan: every value becomes the sum of all before it. Where there are few blocks, each workgroup sums
// up those before its own, and the second pass is left out.

@group(0) @binding(0) var<storage, read> extent: array<u32>;
@group(0) @binding(1) var<storage, read_write> values: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> sums: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, lane: Lane) {
    let block = group.x + group.y * groups.x;
    let length = extent[0];
    if (block * 4096u >= length) {
        return;
    }
    var carried = 0u;
    if (FEW_BLOCKS) {
        var before = 0u;
        for (var at = scan_lane(lane); at < block; at += 256u) {
            before += sums[at];
        }
        carried = workgroup_scan(before, lane).total;
    } else {
        carried = sums[block];
    }
    for (var part = 0u; part < 4u; part++) {
        let at = block * 1024u + part * 256u + scan_lane(lane);
        let four = select(vec4(0u), values[at], vec4(at * 4u) + vec4(0u, 1u, 2u, 3u) < vec4(length));
        let scanned = workgroup_scan(four.x + four.y + four.z + four.w, lane);
        let x = carried + scanned.before;
        let y = x + four.x;
        let z = y + four.y;
        if (at * 4u < length) {
            values[at] = vec4(x, y, z, z + four.z);
        }
        carried += scanned.total;
    }
}
