// Plans the grid from a sample of the boxes: region, cell sizes, levels, tables. The first workgroup does that; the
// others clear the table of cells meanwhile. A bad plan costs time, never a pair.
//
// In: boxes as floats. Out: plan, extent (cells in the table, and one), status (all counts zero), table (all zero).

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> boxes: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> plan: Plan;
@group(0) @binding(3) var<storage, read_write> extent: array<u32>;
@group(0) @binding(4) var<storage, read_write> status: array<u32>;
@group(0) @binding(5) var<storage, read_write> table: array<vec4<u32>>;

// A thread each.
const SAMPLES = 256u;
// Levels below that of the largest boxes.
const FINER = 10u;
// Of so many samples, one may lie outside the region, or be larger than the cells planned for.
const SAMPLES_PER_OUTLIER = 128u;

var<workgroup> exponents: array<atomic<u32>, 256>;
// Per axis, how many boxes are so wide: steps of an eighth of a power of two.
var<workgroup> widths: array<atomic<u32>, 768>;
var<workgroup> levels: array<atomic<u32>, 32>;
var<workgroup> inhabited: atomic<u32>;
// Per level, itself or the coarser one its boxes are moved to.
var<workgroup> merged: array<u32, 32>;
var<workgroup> found: array<u32, 4>;
var<workgroup> low: array<atomic<i32>, 3>;
var<workgroup> high: array<atomic<i32>, 3>;

struct Sample {
    live: bool,
    min: vec3<u32>,
    max: vec3<u32>,
}

fn sample(index: u32, samples: u32) -> Sample {
    var here = Sample(false, vec3(0u), vec3(0u));
    if (index < samples) {
        let stride = params.boxes / samples;
        // Not at equal distances: what is listed in a pattern would be sampled in one.
        let box = index * stride + (index * 0x9e3779b9u >> 8u) % stride;
        let a = boxes[box * 3u];
        let b = boxes[box * 3u + 1u];
        let c = boxes[box * 3u + 2u];
        here.live = !is_nan(a.x);
        here.min = vec3(ordered(a.x), ordered(a.y), ordered(b.x));
        here.max = vec3(ordered(b.y), ordered(c.x), ordered(c.y));
    }
    return here;
}

fn exponent(number: u32) -> u32 {
    return magnitude(number) >> 23u;
}

fn is_inside(a: vec3<i32>, b: vec3<i32>) -> bool {
    let limit = vec3(i32(FIXED_LIMIT));
    return all(a > -limit) && all(b < limit);
}

// A width as one of 256 steps, and the largest width of a step.
fn step_of(width: u32) -> u32 {
    let top = firstLeadingBit(max(width, 8u));
    return top * 8u + ((max(width, 8u) >> (top - 3u)) & 7u);
}

fn end_of(step: u32) -> u32 {
    let top = step / 8u;
    return ((9u + step % 8u) << (max(top, 3u) - 3u)) - 1u;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, lane: Lane) {
    let thread = scan_lane(lane);
    if (group.x > 0u) {
        for (var at = (group.x - 1u) * 256u + thread; at < params.table_quads; at += (groups.x - 1u) * 256u) {
            table[at] = vec4(0u);
        }
        return;
    }
    atomicStore(&exponents[thread], 0u);
    for (var axis = 0u; axis < 3u; axis++) {
        atomicStore(&widths[axis * 256u + thread], 0u);
    }
    if (thread < 32u) {
        atomicStore(&levels[thread], 0u);
    }
    if (thread < 3u) {
        atomicStore(&low[thread], i32(FIXED_LIMIT));
        atomicStore(&high[thread], -i32(FIXED_LIMIT));
    }
    if (thread < 4u) {
        found[thread] = 0u;
        atomicStore(&inhabited, 0u);
    }
    if (thread < 8u) {
        status[thread] = 0u;
    }
    workgroupBarrier();

    // How far out the boxes lie: the scale of fixed-point numbers.
    let samples = min(params.boxes, SAMPLES);
    let outliers = samples / SAMPLES_PER_OUTLIER;
    let mine = sample(thread, samples);
    if (mine.live) {
        let a = max(max(exponent(mine.min.x), exponent(mine.min.y)), exponent(mine.min.z));
        let b = max(max(exponent(mine.max.x), exponent(mine.max.y)), exponent(mine.max.z));
        let far = max(a, b);
        if (far < 255u) {
            atomicAdd(&exponents[far], 1u);
        }
    }
    workgroupBarrier();
    let out_there = atomicLoad(&exponents[255u - thread]);
    let beyond = workgroup_scan(out_there, lane);
    if (beyond.before <= outliers && beyond.before + out_there > outliers) {
        found[3] = 255u - thread;
    }
    workgroupBarrier();
    let scale = 6 - i32(max(found[3], 1u));

    // The region and how wide the boxes are, per axis.
    let box_min = fixed3(mine.min, scale);
    let box_max = fixed3(mine.max, scale);
    if (mine.live && is_inside(box_min, box_max)) {
        for (var axis = 0u; axis < 3u; axis++) {
            atomicAdd(&widths[axis * 256u + step_of(u32(box_max[axis] - box_min[axis]))], 1u);
            atomicMin(&low[axis], box_min[axis]);
            atomicMax(&high[axis], box_max[axis]);
        }
    }
    workgroupBarrier();
    // The three axes in one sum: ten bits hold the number of samples.
    var so_wide = vec3(0u);
    for (var axis = 0u; axis < 3u; axis++) {
        so_wide[axis] = atomicLoad(&widths[axis * 256u + 255u - thread]);
    }
    let wider = workgroup_scan(so_wide.x | so_wide.y << 10u | so_wide.z << 20u, lane);
    for (var axis = 0u; axis < 3u; axis++) {
        let before = (wider.before >> (axis * 10u)) & 1023u;
        if (before <= outliers && before + so_wide[axis] > outliers) {
            found[axis] = 255u - thread;
        }
    }
    workgroupBarrier();

    // Cells of the finest level: as wide as the widest boxes, divided as often as there are finer levels, but not finer
    // than fixed point can tell apart. A box that is wider by what rounding adds still fits.
    var finer = FINER;
    var cell_width = vec3(1u);
    for (var axis = 0u; axis < 3u; axis++) {
        let widest = end_of(found[axis]);
        cell_width[axis] = max((widest + widest / 128u + REACH[axis]) / REACH[axis], 64u);
    }
    let narrowest = min(min(cell_width.x, cell_width.y), cell_width.z);
    finer = min(finer, max(firstLeadingBit(narrowest), 4u) - 4u);
    cell_width = (cell_width >> vec3(finer)) + 1u;
    let origin = vec3(atomicLoad(&low[0]), atomicLoad(&low[1]), atomicLoad(&low[2]));
    let end = vec3(atomicLoad(&high[0]), atomicLoad(&high[1]), atomicLoad(&high[2]));
    let width = vec3<u32>(max(end - origin, vec3(0)));
    let factor = vec3(0xffffffffu) / cell_width;
    let last = multiply_high3(width, factor);

    // On which levels boxes are at home.
    if (mine.live) {
        let level = finest_level(
            multiply_high3(min(vec3<u32>(max(box_min - origin, vec3(0))), width), factor),
            multiply_high3(min(vec3<u32>(max(box_max - origin, vec3(0))), width), factor),
        );
        atomicAdd(&levels[level], 1u);
        atomicOr(&inhabited, 1u << level);
    }
    workgroupBarrier();

    // A level of few boxes is given up in favour of the next coarser: all boxes of finer levels would have to look
    // into it.
    if (thread == 0u) {
        var rest = atomicLoad(&inhabited);
        while (rest != 0u) {
            let level = firstTrailingBit(rest);
            rest &= rest - 1u;
            let coarser = select(firstTrailingBit(rest), level, rest == 0u);
            let here = atomicLoad(&levels[level]);
            let there = atomicLoad(&levels[coarser]);
            merged[level] = level;
            if (here * 4u < there && coarser != level) {
                merged[level] = coarser;
                atomicStore(&levels[coarser], here + there);
                atomicStore(&levels[level], 0u);
            }
        }
        plan.origin = origin;
        plan.scale = scale;
        plan.width = width;
        plan.factor = factor;
    }
    workgroupBarrier();
    if (thread < LEVELS) {
        // A level that was not met in the sample is left to the next coarser that was.
        let coarser = atomicLoad(&inhabited) & ~((1u << thread) - 1u);
        var home = select(firstTrailingBit(coarser), thread, coarser == 0u);
        while (coarser != 0u && merged[home] != home) {
            home = merged[home];
        }
        plan.homes[thread] = home;
    }

    // The table of each level: all its cells where there are not too many, else a part that repeats.
    var dims = vec3(1u);
    var cells = 0u;
    if (thread < LEVELS) {
        let share = atomicLoad(&levels[thread]) * (params.boxes / max(samples, 1u) + 1u);
        // Boxes so large that none of them was sampled: they may still be a few in a thousand.
        let unseen = (atomicLoad(&inhabited) >> thread) == 0u;
        let first_unseen = thread > 0u && (atomicLoad(&inhabited) >> (thread - 1u)) == 1u;
        let spare = select(0u, params.boxes / select(16u, 2u, first_unseen), unseen);
        let budget = f32(128u + share * params.cells_per_box + spare);
        dims = (last >> vec3(thread)) + 1u;
        let least = min(dims, 2u * REACH + 1u);
        while (f32(dims.x) * f32(dims.y) * f32(dims.z) > budget && any(dims > least)) {
            let smaller = max((dims + 1u) / 2u, least);
            let slack = vec3<f32>(dims) / vec3<f32>(least);
            if (slack.x >= slack.y && slack.x >= slack.z) {
                dims.x = smaller.x;
            } else if (slack.y >= slack.z) {
                dims.y = smaller.y;
            } else {
                dims.z = smaller.z;
            }
        }
        cells = dims.x * dims.y * dims.z;
    }
    let placed = workgroup_scan(cells, lane);
    if (thread < LEVELS) {
        plan.dims[thread] = vec4(dims, placed.before);
    }
    if (thread == 0u) {
        plan.table = placed.total;
        extent[0] = placed.total + 1u;
    }
}
