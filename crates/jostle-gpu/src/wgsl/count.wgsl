// Puts every box into its cell: which cell, and as which of the cell's boxes.
//
// In: boxes as floats, plan. Out: table (boxes per cell), places (cell; rank and level in one), levels in use.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> boxes: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> plan: Plan;
@group(0) @binding(3) var<storage, read_write> table: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> places: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> status: array<atomic<u32>>;

var<workgroup> inhabited: atomic<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if (thread == 0u) {
        atomicStore(&inhabited, 0u);
    }
    workgroupBarrier();
    let box = (group.x + group.y * groups.x) * 256u + thread;
    if (box < params.boxes) {
        let a = boxes[box * 3u];
        let b = boxes[box * 3u + 1u];
        let c = boxes[box * 3u + 2u];
        if (is_nan(a.x)) {
            places[box] = vec2(NOWHERE, 0u);
        } else {
            let low = cell(vec3(ordered(a.x), ordered(a.y), ordered(b.x)));
            let high = cell(vec3(ordered(b.y), ordered(c.x), ordered(c.y)));
            let level = plan.homes[finest_level(low, high)];
            let dims = plan.dims[level];
            let at = wrapped(low >> vec3(level), dims.xyz);
            let place = dims.w + (at.z * dims.y + at.y) * dims.x + at.x;
            let rank = atomicAdd(&table[place], 1u);
            places[box] = vec2(place, rank | level << RANK_BITS);
            // Most workgroups know after a few boxes.
            let bit = 1u << level;
            if ((atomicLoad(&inhabited) & bit) == 0u) {
                atomicOr(&inhabited, bit);
            }
        }
    }
    workgroupBarrier();
    if (thread == 0u) {
        let here = atomicLoad(&inhabited);
        if ((atomicLoad(&status[STATUS_LEVELS]) & here) != here) {
            atomicOr(&status[STATUS_LEVELS], here);
        }
    }
}
