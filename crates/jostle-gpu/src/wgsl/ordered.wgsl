// Coordinates as integers. A device may flush subnormal numbers and assume that there are no infinities, so floats are
// taken by their bits and never touched as floats.

// The bits of a float as an integer that orders like the float; -0 is 0.
fn ordered(bits: u32) -> u32 {
    let number = select(bits, 0u, bits == 0x80000000u);
    return select(number | 0x80000000u, ~number, number >= 0x80000000u);
}

fn is_nan(bits: u32) -> bool {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

// The bits of the float's magnitude.
fn magnitude(number: u32) -> u32 {
    return select(number, ~number, number < 0x80000000u) & 0x7fffffffu;
}
