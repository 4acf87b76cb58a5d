// Oriented boxes: centre, half widths and three axes, fifteen floats in four quads. Separating axes in f32, with a bound
// on all that a device may have rounded: surely apart, surely not, or left to the host.
//
// The host inverts the axes of one box in f64 and tests in its coordinates. Its fifteen differences are those of the
// world (`gap`, below, for the cross products of any two of the six axes) divided by the determinant of that box's axes,
// whichever of the two it takes. It says "apart" if one is above a slack of 2e-13 times `size`, and errs by less than that.
//
// The bound. Let u = 2^-23: a device may round in any direction, contract and reassociate, and flush what is below
// 2^-126. Axes are of length 1 and at right angles up to 1e-3, or the pair is left to the host. Then:
// a coordinate of a cross product is off by 3.1 u, having two products of together at most 1;
// the offset along it by (1 + 3.1 + 3.1) u of the sum of the offset's coordinates, 7.3 u of it with all lengths near 1;
// an axis along it by (3.1 * 1.74 + 3) u < 8.5 u, with 1.74 > 3^0.5 for the sum of the axis' coordinates, and with its
// half width 9.5 u of that; sums of seven terms by 7 u. All are below 24 u of `size`, the sum of all these lengths. What is
// flushed is less than 2^-126 a hundred times, times lengths near 1. `doubt` is 64 u of the size, and 2^-100.
//
// Edges that are nearly parallel have a cross product near zero, and along it the boxes' difference is in doubt however
// deep they are in each other. For these there are two other proofs that the boxes meet, both by a smaller box inside
// the second: see `inner_prism_meets` and `inner_box_meets`. Whatever meets in truth, the host finds to meet.

struct Oriented {
    center: vec3<f32>,
    half_widths: vec3<f32>,
    axes: mat3x3<f32>,
}

// Are these numbers, and none larger than 2^60?
fn is_moderate(bits: vec3<u32>) -> bool {
    return all((bits & vec3(0x7fffffffu)) <= vec3(LARGE));
}

// Are these axes what the host takes for a rotation, and not by a hair's breadth?
fn is_rotation(axes: mat3x3<f32>) -> bool {
    let lengths = vec3(dot(axes[0], axes[0]), dot(axes[1], axes[1]), dot(axes[2], axes[2])) - 1.0;
    let angles = vec3(dot(axes[0], axes[1]), dot(axes[1], axes[2]), dot(axes[2], axes[0]));
    return all(max(abs(lengths), abs(angles)) < vec3(0.0009));
}

fn sum(parts: vec3<f32>) -> f32 {
    return parts.x + parts.y + parts.z;
}

fn largest(parts: vec3<f32>) -> f32 {
    return max(max(parts.x, parts.y), parts.z);
}

// How far the boxes are apart along an axis, times its length.
fn gap(axis: vec3<f32>, offset: vec3<f32>, one: Oriented, other: Oriented) -> f32 {
    return abs(dot(offset, axis))
        - dot(one.half_widths, abs(axis * one.axes))
        - dot(other.half_widths, abs(axis * other.axes));
}

// Columns across the columns of a matrix: the normals of the faces, and the rows of the inverse times the determinant.
fn normals(axes: mat3x3<f32>) -> mat3x3<f32> {
    return mat3x3(cross(axes[1], axes[2]), cross(axes[2], axes[0]), cross(axes[0], axes[1]));
}

// Do the boxes meet although some edges are parallel but for a sine of `slant`? `deepest` is the largest gap along all axes
// but the cross products of these edges.
//
// Replace each such edge of the second box by the nearest one that is exactly parallel to its partner. That moves points
// by at most slant times half the edge, so that the changed box lies inside the second one if all its half widths are
// reduced by 1.01 slant times their sum. It has the axes of the first box and of its own, but for the ones left out; each
// axis differs by at most 2.01 slant, reaches by 4.1 slant times the half widths: gaps by less than 6.2 slant times the size.
fn inner_prism_meets(slant: f32, deepest: f32, size: f32, doubt: f32, half_widths: vec3<f32>) -> bool {
    let least = min(min(half_widths.x, half_widths.y), half_widths.z);
    return deepest < -(doubt + 8.0 * slant * size) && least > 2.0 * slant * sum(half_widths);
}

// The axis of the second box that is all but parallel to one of the first: its row of the inverse, times the determinant,
// and its half width. A row of zeros where there is none.
struct Partner {
    row: vec3<f32>,
    half_width: f32,
}

fn partner(axis: vec3<f32>, rows: mat3x3<f32>, half_widths: vec3<f32>) -> Partner {
    // At most one of three directions at right angles is this close.
    let chosen = select(vec3(0.0), vec3(1.0), abs(axis * rows) > vec3(0.995));
    return Partner(rows * chosen, dot(half_widths, chosen));
}

// Does the inner box meet the first one along this axis? `taken` is what the inner box' other half widths can be.
fn inner_meets_along(
    axis: vec3<f32>,
    face: vec3<f32>,
    found: Partner,
    taken: vec3<f32>,
    scale: f32,
    half_width: f32,
    offset: vec3<f32>,
    one: Oriented,
    doubt: f32,
) -> bool {
    let own = abs(dot(found.row, axis));
    if (own <= 0.995) {
        return false;
    }
    let left = (found.half_width * scale - dot(abs(found.row * one.axes), taken)) / own - doubt;
    let reach = (half_width + left) * abs(dot(face, axis));
    return left >= 0.0 && reach - abs(dot(offset, face)) > doubt;
}

// Do the boxes meet although they are all but aligned? By a box with the axes of the first inside the second one.
//
// With M = other^-1 * one, the points center + one * t with |t_k| <= e_k lie inside the second box if the sum over k of
// |M_jk| e_k is at most half width j, for all j. Each row j of an aligned M has one entry near 1, in its column k, and
// e_k is at most 1.01 times half width j; so the other columns can be subtracted by that much. Both the inner box
// and the first are boxes in one frame: three comparisons. Errors: 9 u for an entry of M times a half width, 25 u for the
// quotient, 18 u for the comparison, all of the size; `doubt`, 64 u, is subtracted twice.
fn inner_box_meets(offset: vec3<f32>, one: Oriented, other: Oriented, doubt: f32) -> bool {
    let faces = normals(one.axes);
    let rows = normals(other.axes);
    let scale = abs(dot(rows[0], other.axes[0]));
    let x = partner(one.axes[0], rows, other.half_widths);
    let y = partner(one.axes[1], rows, other.half_widths);
    let z = partner(one.axes[2], rows, other.half_widths);
    let half_widths = one.half_widths;
    let taken = vec3(x.half_width, y.half_width, z.half_width) * 1.01;
    return inner_meets_along(
        one.axes[0], faces[0], x, taken * vec3(0.0, 1.0, 1.0), scale, half_widths.x, offset, one, doubt)
        && inner_meets_along(
        one.axes[1], faces[1], y, taken * vec3(1.0, 0.0, 1.0), scale, half_widths.y, offset, one, doubt)
        && inner_meets_along(
        one.axes[2], faces[2], z, taken * vec3(1.0, 1.0, 0.0), scale, half_widths.z, offset, one, doubt);
}

// Sines of edges that count as nearly parallel are below this; computed ones are off by less than 2^-19.
const NEARLY_PARALLEL = 0x1p-10f;

fn load(at: u32) -> array<vec4<u32>, 4> {
    return array(volumes[at], volumes[at + 1u], volumes[at + 2u], volumes[at + 3u]);
}

fn is_well_formed(words: array<vec4<u32>, 4>) -> bool {
    // A half width with its sign set is -0 or wrong: the host knows.
    return is_moderate(words[0].xyz)
        && all(vec3(words[0].w, words[1].xy) <= vec3(LARGE))
        && is_moderate(vec3(words[1].zw, words[2].x))
        && is_moderate(words[2].yzw)
        && is_moderate(words[3].xyz);
}

fn oriented(words: array<vec4<u32>, 4>) -> Oriented {
    return Oriented(
        bitcast<vec3<f32>>(words[0].xyz),
        bitcast<vec3<f32>>(vec3(words[0].w, words[1].xy)),
        mat3x3(
            bitcast<vec3<f32>>(vec3(words[1].zw, words[2].x)),
            bitcast<vec3<f32>>(words[2].yzw),
            bitcast<vec3<f32>>(words[3].xyz),
        ),
    );
}

// The largest gaps seen.
struct Gaps {
    // Along all axes, and along all but those of edges that are nearly parallel.
    all: f32,
    certain: f32,
    // The largest sine of those.
    slant: f32,
}

// With the axes across one edge of the first box and all three of the second.
fn across(gaps: Gaps, edge: vec3<f32>, offset: vec3<f32>, one: Oriented, other: Oriented) -> Gaps {
    let x = cross(edge, other.axes[0]);
    let y = cross(edge, other.axes[1]);
    let z = cross(edge, other.axes[2]);
    let along = vec3(gap(x, offset, one, other), gap(y, offset, one, other), gap(z, offset, one, other));
    let sines = vec3(sum(abs(x)), sum(abs(y)), sum(abs(z))) + 0x1p-19f;
    let parallel = sines < vec3(NEARLY_PARALLEL);
    let certain = select(along, vec3(gaps.certain), parallel);
    let slants = select(vec3(gaps.slant), sines, parallel);
    return Gaps(
        max(gaps.all, largest(along)),
        max(gaps.certain, largest(certain)),
        max(gaps.slant, largest(slants)),
    );
}

fn decide(first: u32, second: u32) -> u32 {
    let first_words = load(first);
    let second_words = load(second);
    if (!(is_well_formed(first_words) && is_well_formed(second_words))) {
        return UNSURE;
    }
    let one = oriented(first_words);
    let other = oriented(second_words);
    if (!(is_rotation(one.axes) && is_rotation(other.axes))) {
        return UNSURE;
    }
    let offset = other.center - one.center;
    let size = sum(abs(offset)) + sum(one.half_widths) + sum(other.half_widths);
    let doubt = size * 0x1p-17f + 0x1p-100f;

    let faces = normals(one.axes);
    let other_faces = normals(other.axes);
    let own_gaps = vec3(
        gap(faces[0], offset, one, other), gap(faces[1], offset, one, other), gap(faces[2], offset, one, other));
    if (largest(own_gaps) > doubt) {
        return APART;
    }
    let other_gaps = vec3(
        gap(other_faces[0], offset, one, other),
        gap(other_faces[1], offset, one, other),
        gap(other_faces[2], offset, one, other));
    let deepest = max(largest(own_gaps), largest(other_gaps));
    if (deepest > doubt) {
        return APART;
    }
    var gaps = Gaps(deepest, deepest, 0.0);
    gaps = across(gaps, one.axes[0], offset, one, other);
    gaps = across(gaps, one.axes[1], offset, one, other);
    gaps = across(gaps, one.axes[2], offset, one, other);
    if (gaps.all > doubt) {
        return APART;
    }
    let meet = gaps.all < -doubt
        || inner_prism_meets(gaps.slant, gaps.certain, size, doubt, other.half_widths)
        || inner_box_meets(offset, one, other, doubt);
    return select(UNSURE, MEET, meet);
}
