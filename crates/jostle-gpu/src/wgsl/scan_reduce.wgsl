// First pass of the scan: the sum of each block of 4,096 values.

@group(0) @binding(0) var<storage, read> extent: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, lane: Lane) {
    let block = group.x + group.y * groups.x;
    let length = extent[0];
    if (block * 4096u >= length) {
        return;
    }
    var sum = 0u;
    for (var part = 0u; part < 4u; part++) {
        let at = block * 1024u + part * 256u + scan_lane(lane);
        let four = select(vec4(0u), values[at], vec4(at * 4u) + vec4(0u, 1u, 2u, 3u) < vec4(length));
        sum += four.x + four.y + four.z + four.w;
    }
    let scanned = workgroup_scan(sum, lane);
    if (scan_lane(lane) == 0u) {
        sums[block] = scanned.total;
    }
}
