//! Floats at their limits: rounding where a result must not be on the wrong side of the truth, and floats as integers
//! that sort like them.

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

/// The largest `f64` that is not above the real sum of three numbers, and the smallest that is not below.
///
/// The numbers must be `f32` values, or not much larger or smaller, so that nothing overflows or underflows. A sum with
/// infinities of one sign is that infinity.
#[inline]
pub(crate) fn sum_bounds(terms: [f64; 3]) -> (f64, f64) {
    let (partial, first_error) = two_sum(terms[0], terms[1]);
    let (sum, second_error) = two_sum(partial, terms[2]);
    if (first_error == 0.0 && second_error == 0.0) || sum.is_infinite() {
        return (sum, sum);
    }
    // What the additions took away can be more than the sum, if that cancelled: add it back, and keep what is lost now.
    // That is less than a step of `f64`, because either the sum did not cancel or there was only one error.
    let (error, error_rest) = two_sum(first_error, second_error);
    let (sum, sum_rest) = two_sum(sum, error);
    let rest = sum_rest + error_rest;
    (if rest < 0.0 { sum.next_down() } else { sum }, if rest > 0.0 { sum.next_up() } else { sum })
}

/// Knuth's two-sum: the rounded sum and exactly what the rounding took away.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_seen = sum - a;
    (sum, (a - (sum - b_seen)) + (b - b_seen))
}

/// An integer in the order of the floats, NaN aside: comparing them takes one instruction and no branch. Tells -0.0 from
/// 0.0, which comes next.
#[inline]
pub(crate) fn ordered(float: f32) -> u32 {
    let bits = float.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The float of such an integer.
#[inline]
pub(crate) fn from_ordered(ordered: u32) -> f32 {
    f32::from_bits(if ordered >> 31 == 0 { !ordered } else { ordered ^ 1 << 31 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    #[test]
    fn infinite_sums_stay_so() {
        assert_eq!(sum_bounds([1.0, f64::INFINITY, 2.0]).1, f64::INFINITY);
        assert_eq!(sum_bounds([f64::NEG_INFINITY, 1.0, f64::NEG_INFINITY]).0, f64::NEG_INFINITY);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        /// Against integers of 128 bits, with terms that cancel, and that are too far apart for `f64` to hold the sum.
        #[test]
        fn sums_of_three_have_the_tightest_bounds(
            mut terms in prop::array::uniform3((-9i128..=9, -(1i128 << 24)..=1 << 24, 0u32..90)),
            cancels in any::<bool>(),
        ) {
            if cancels {
                terms[2] = (-terms[0].0, -terms[0].1, terms[0].2);
            }
            let terms = terms.map(|(small, large, shift)| if shift % 2 == 0 { small << shift } else { large << shift });
            let exact: i128 = terms.iter().sum();
            let (low, high) = sum_bounds(terms.map(|term| term as f64));
            prop_assert!(low as i128 <= exact && exact <= high as i128);
            prop_assert!(low == high || (high == low.next_up() && (low as i128) < exact && exact < high as i128));
        }
    }

    #[test]
    fn integers_are_in_the_order_of_the_floats() {
        let floats = [f32::NEG_INFINITY, -1e30, -1.0, -1e-40, 0.0, 1e-40, 1.0, 1e30, f32::INFINITY];
        assert!(floats.map(ordered).is_sorted());
        assert_eq!(floats.map(|float| from_ordered(ordered(float))), floats);
    }
}
