// k-DOPs: two intervals a quad (min, max, min, max), compared as integers. An odd number of them is filled up with one
// that overlaps every other.

fn decide(first: u32, second: u32) -> u32 {
    for (var quad = 0u; quad < QUADS; quad++) {
        let one = volumes[first + quad];
        let other = volumes[second + quad];
        if (ordered(one.x) > ordered(other.y) || ordered(other.x) > ordered(one.y)
            || ordered(one.z) > ordered(other.w) || ordered(other.z) > ordered(one.w)) {
            return APART;
        }
    }
    return MEET;
}
