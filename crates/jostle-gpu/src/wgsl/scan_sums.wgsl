// Second pass of the scan: the sums of the blocks become what lies before each block. One workgroup.

@group(0) @binding(0) var<storage, read> extent: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(256)
fn main(lane: Lane) {
    let blocks = (extent[0] + 4095u) / 4096u;
    var carried = 0u;
    for (var first = 0u; first < blocks; first += 1024u) {
        let at = first + scan_lane(lane) * 4u;
        var four = vec4(0u);
        for (var i = 0u; i < 4u; i++) {
            if (at + i < blocks) {
                four[i] = sums[at + i];
            }
        }
        let scanned = workgroup_scan(four.x + four.y + four.z + four.w, lane);
        var before = carried + scanned.before;
        for (var i = 0u; i < 4u; i++) {
            if (at + i < blocks) {
                sums[at + i] = before;
            }
            before += four[i];
        }
        carried += scanned.total;
    }
}
