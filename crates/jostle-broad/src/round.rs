//! Directed rounding: the few places where a result must not be on the wrong side of the truth.

/// The largest `f32` that is not above `x` (NaN stays NaN).
#[inline]
pub(crate) fn round_down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

/// The smallest `f32` that is not below `x` (NaN stays NaN).
#[inline]
pub(crate) fn round_up(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x { nearest.next_up() } else { nearest }
}

/// The largest `f32` that is not above the real number `a + b`, for `b >= 0`.
///
/// A coordinate `c` is at most `a + b` in real arithmetic exactly when it is at most this number, because `c` is an
/// `f32` itself. That is what makes a clearance margin exact.
#[inline]
pub(crate) fn add_round_down(a: f32, b: f32) -> f32 {
    let sum = a + b;
    if sum.is_infinite() {
        // Either `a` was infinite, or the sum overflowed although the real one is finite.
        return if a.is_infinite() { a } else { f32::MAX };
    }
    // Knuth's two-sum: `sum + error` is exactly `a + b`.
    let b_seen = sum - a;
    let error = (a - (sum - b_seen)) + (b - b_seen);
    if error < 0.0 { sum.next_down() } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_never_exceed_the_real_sum() {
        for (a, b) in
            [(0.1f32, 0.2f32), (1.0, 1e-30), (-1.0, 1e-30), (1e8, 0.3), (f32::MAX, f32::MAX), (-0.0, 0.0)]
        {
            let got = f64::from(add_round_down(a, b));
            let exact = f64::from(a) + f64::from(b);
            assert!(got <= exact || (got - exact).abs() < 1e-300, "{a} + {b}: {got} is above {exact}");
            let next = f64::from(add_round_down(a, b).next_up());
            assert!(next > exact || next == f64::INFINITY, "{a} + {b}: {next} would still fit");
        }
        assert_eq!(add_round_down(f32::INFINITY, 1.0), f32::INFINITY);
    }

    #[test]
    fn conversions_round_outward() {
        for x in [0.1f64, -0.1, 1e-60, -1e-60, 1e300, -1e300, 16_777_217.0, f64::INFINITY] {
            assert!(f64::from(round_down(x)) <= x && x <= f64::from(round_up(x)), "{x}");
        }
    }
}
