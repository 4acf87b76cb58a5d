// Exclusive sum over the 256 values of a workgroup, in shared memory: for devices without subgroup operations.

struct Lane {
    @builtin(local_invocation_index) index: u32,
}

struct Scanned {
    before: u32,
    total: u32,
}

var<workgroup> scan_sums: array<u32, 256>;

fn scan_lane(lane: Lane) -> u32 {
    return lane.index;
}

// Ends with a barrier. Every thread of the workgroup must call it.
fn workgroup_scan(value: u32, lane: Lane) -> Scanned {
    scan_sums[lane.index] = value;
    workgroupBarrier();
    for (var reach = 1u; reach < 256u; reach *= 2u) {
        var sum = scan_sums[lane.index];
        if (lane.index >= reach) {
            sum += scan_sums[lane.index - reach];
        }
        workgroupBarrier();
        scan_sums[lane.index] = sum;
        workgroupBarrier();
    }
    let scanned = Scanned(scan_sums[lane.index] - value, scan_sums[255]);
    workgroupBarrier();
    return scanned;
}
