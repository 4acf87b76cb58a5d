// The grid: where the coordinates lie in it and where its cells are in the table.
//
// A coordinate becomes a fixed-point number, then a cell of the finest level; the cell of level l is that shifted by l.
// All of it is integer arithmetic and never descends where the coordinate ascends: that is all exactness needs, so a
// coordinate outside the region the grid was planned for simply counts to the outermost cells.
//
// A box is at home on the finest level on which it spans at most `reach` cells more than one, in the cell of its min
// corner. Levels are tables of `dims` cells that repeat in space where a level has more cells than that.

const REACH = vec3<u32>(REACH_X, REACH_Y, REACH_Z);
// firstLeadingBit of it
const REACH_LOG = vec3<u32>(REACH_LOG_X, REACH_LOG_Y, REACH_LOG_Z);
const LEVELS = 32u;
// Fixed-point numbers lie between -FIXED_LIMIT and FIXED_LIMIT.
const FIXED_LIMIT = 0x3fffffffu;

struct Plan {
    // Fixed-point coordinate of the first cell, and the power of two fixed-point numbers are scaled by.
    origin: vec3<i32>,
    scale: i32,
    // Width of the region, in fixed point.
    width: vec3<u32>,
    // Cells of all levels together.
    table: u32,
    // Cells of the finest level per fixed-point unit, times 2^32.
    factor: vec3<u32>,
    coarsest: u32,
    // Per level, the size of its table, and where in the whole it begins.
    dims: array<vec4<u32>, 32>,
    // Per finest level a box could be at home on, the level it is.
    homes: array<u32, 32>,
}

fn multiply_high(a: u32, b: u32) -> u32 {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let low = a_low * b_low;
    let middle = a_high * b_low + (low >> 16u);
    let other = a_low * b_high + (middle & 0xffffu);
    return a_high * b_high + (middle >> 16u) + (other >> 16u);
}

fn multiply_high3(a: vec3<u32>, b: vec3<u32>) -> vec3<u32> {
    return vec3(multiply_high(a.x, b.x), multiply_high(a.y, b.y), multiply_high(a.z, b.z));
}

// number * 2^(scale + 150), cut towards zero, from the ordered integer.
fn fixed(number: u32, scale: i32) -> i32 {
    let bits = magnitude(number);
    let exponent = i32(bits >> 23u);
    let mantissa = (bits & 0x7fffffu) | select(0u, 0x800000u, exponent > 0);
    let shift = max(exponent, 1) + scale;
    let left = mantissa << u32(clamp(shift, 0, 7));
    let right = left >> u32(clamp(-shift, 0, 31));
    let size = i32(select(right, FIXED_LIMIT, shift > 6));
    return select(size, -size, number < 0x80000000u);
}

fn fixed3(numbers: vec3<u32>, scale: i32) -> vec3<i32> {
    return vec3(fixed(numbers.x, scale), fixed(numbers.y, scale), fixed(numbers.z, scale));
}

// The cell of the finest level.
fn cell(numbers: vec3<u32>) -> vec3<u32> {
    let inside = min(vec3<u32>(max(fixed3(numbers, plan.scale) - plan.origin, vec3(0))), plan.width);
    return multiply_high3(inside, plan.factor);
}

// The finest level on which a box from cell `low` to cell `high` spans no more than it may.
fn finest_level(low: vec3<u32>, high: vec3<u32>) -> u32 {
    let span = firstLeadingBit(max(high - low, vec3(1u)));
    let estimate = max(span, REACH_LOG) - REACH_LOG;
    var level = max(max(estimate.x, estimate.y), estimate.z);
    while (level < LEVELS - 1u && any((high >> vec3(level)) - (low >> vec3(level)) > REACH)) {
        level++;
    }
    return level;
}

fn wrapped(cells: vec3<u32>, dims: vec3<u32>) -> vec3<u32> {
    if (all(cells < dims)) {
        return cells;
    }
    return cells % dims;
}
