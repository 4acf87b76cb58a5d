// Fourth stage: all boxes of a cell against each other. A thread per cell; what is too much for one dispatch goes on in
// the next.
//
// Exactly once, either by a matrix with a bit for each pair that has been tested, or by a rule: a pair is tested on the
// coarser of the two levels its boxes are finest at home on, in the cell of the larger of their min corners.

@group(0) @binding(0) var<uniform> params: HgridParams;
@group(0) @binding(1) var<storage, read> boxes: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> plan: Plan;
@group(0) @binding(3) var<storage, read> entries: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> marks: array<u32>;
@group(0) @binding(5) var<storage, read> cells: array<u32>;
@group(0) @binding(6) var<storage, read_write> matrix: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> pairs: array<vec2<u32>>;

struct Bounds {
    min: vec3<u32>,
    max: vec3<u32>,
}

fn bounds(box: u32) -> Bounds {
    let a = boxes[box * 3u];
    let b = boxes[box * 3u + 1u];
    let c = boxes[box * 3u + 2u];
    return Bounds(
        vec3(ordered(a.x), ordered(a.y), ordered(b.x)),
        vec3(ordered(b.y), ordered(c.x), ordered(c.y)),
    );
}

// Notes that a pair is tested. Says whether it was before.
fn was_tested(a: u32, b: u32) -> bool {
    // Row `high` has a bit for each lower box, in whole words.
    let low = min(a, b);
    let high = max(a, b);
    let whole = (high - 1u) / 32u;
    let word = 16u * whole * (whole + 1u) + ((high - 1u) % 32u) * (whole + 1u) + low / 32u;
    let bit = 1u << (low % 32u);
    return (atomicOr(&matrix[word], bit) & bit) != 0u;
}

fn is_here(key: u32, a: Bounds, b: Bounds) -> bool {
    let level = key >> CELL_BITS;
    let a_low = cell(a.min);
    let b_low = cell(b.min);
    if (level != max(finest_level(a_low, cell(a.max)), finest_level(b_low, cell(b.max)))) {
        return false;
    }
    let dims = plan.dims[level];
    let at = max(a_low, b_low) >> vec3(level);
    return (key & ((1u << CELL_BITS) - 1u)) == (at.z * dims.y + at.y) * dims.x + at.x;
}

fn traverse(begin: u32, end: u32) {
    let boxes_here = end - begin;
    // Tests of earlier rounds are skipped, row by row. Rows end before 2^32 tests: the host refuses fuller cells.
    var skip = params.round * TESTS_PER_ROUND;
    if (skip >= boxes_here * (boxes_here - 1u) / 2u) {
        return;
    }
    var i = begin;
    while (skip >= end - i - 1u) {
        skip -= end - i - 1u;
        i++;
    }
    // One loop over all tests rather than two: drivers that run threads in step, or end loops that run too long, do
    // better with it.
    var j = i + 1u + skip;
    var mine = entries[i];
    var a = bounds(mine.y);
    for (var test = 0u; test < TESTS_PER_ROUND && i + 1u < end; test++) {
        let other = entries[j].y;
        var is_new = true;
        if (params.matrix != 0u) {
            is_new = !was_tested(mine.y, other);
        }
        if (is_new) {
            let b = bounds(other);
            if (all(a.min <= b.max) && all(b.min <= a.max)) {
                if (params.matrix != 0u || is_here(mine.x, a, b)) {
                    emit(mine.y, other);
                }
            }
        }
        j++;
        if (j == end) {
            i++;
            j = i + 1u;
            mine = entries[i];
            a = bounds(mine.y);
        }
    }
}

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if (thread == 0u) {
        atomicStore(&staged_count, 0u);
    }
    workgroupBarrier();
    let at = (group.x + group.y * groups.x) * 128u + thread;
    let count = marks[params.entries];
    if (at < count) {
        let begin = cells[at];
        var end = params.entries;
        if (at + 1u < count) {
            end = cells[at + 1u];
        }
        if (entries[begin].x != UNUSED && end - begin > 1u) {
            if (params.round == 0u && end - begin > 128u) {
                atomicMax(&status[STATUS_FULLEST], end - begin);
            }
            traverse(begin, end);
        }
    }
    flush(thread, 128u);
}
