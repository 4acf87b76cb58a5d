// Exclusive sum over the 256 values of a workgroup, by subgroup operations. Threads are numbered by `scan_lane`, which
// runs through the subgroups: a device may deal threads to subgroups as it likes.

struct Lane {
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) invocation: u32,
    @builtin(subgroup_size) size: u32,
}

struct Scanned {
    before: u32,
    total: u32,
}

var<workgroup> scan_sums: array<u32, 256>;

fn scan_lane(lane: Lane) -> u32 {
    return lane.subgroup * lane.size + lane.invocation;
}

// Ends with a barrier. Every thread of the workgroup must call it.
fn workgroup_scan(value: u32, lane: Lane) -> Scanned {
    let before_here = subgroupExclusiveAdd(value);
    if (lane.invocation == lane.size - 1u) {
        scan_sums[lane.subgroup] = before_here + value;
    }
    workgroupBarrier();
    var scanned = Scanned(before_here, 0u);
    let subgroups = 256u / lane.size;
    for (var i = 0u; i < subgroups; i++) {
        let sum = scan_sums[i];
        scanned.before += select(0u, sum, i < lane.subgroup);
        scanned.total += sum;
    }
    workgroupBarrier();
    return scanned;
}
