// Spheres: centre and radius in one quad. Squares of f32 against a bound on all that a device may have rounded.
//
// Let u = 2^-23: a device may round in any direction, and flush what is below 2^-126. Then each coordinate of the offset
// is off by u of itself, its square by 4 u, the sum of three by 6 u; the square of the sum of the radii by 4 u. That is
// less than 6 u (distance + reach), plus less than 2^-120 for what was flushed. The host compares with a slack of
// 2^-48. `doubt` is 16 u of both, and 2^-100.

fn decide(first: u32, second: u32) -> u32 {
    let one = volumes[first];
    let other = volumes[second];
    let sizes = max(one & vec4(0x7fffffffu), other & vec4(0x7fffffffu));
    if (any(sizes > vec4(LARGE))) {
        return UNSURE;
    }
    let offset = bitcast<vec3<f32>>(other.xyz) - bitcast<vec3<f32>>(one.xyz);
    let radii = bitcast<f32>(one.w) + bitcast<f32>(other.w);
    let distance = dot(offset, offset);
    let reach = radii * radii;
    let doubt = (distance + reach) * 0x1p-19f + 0x1p-100f;
    if (distance - reach > doubt) {
        return APART;
    }
    return select(UNSURE, MEET, reach - distance > doubt);
}
