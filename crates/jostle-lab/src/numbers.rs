//! Numbers as users write and read them, and the few statistics a bench needs.

/// Reads a count such as `1000`, `10_000`, `10k` or `1M`.
pub(crate) fn parse_count(text: &str) -> Result<usize, String> {
    let wrong = || format!("`{text}` is not a count; write for example 1000, 10k or 1M");
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    let digits = digits.replace('_', "");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: usize = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(unit).ok_or_else(wrong)
}

/// Digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of bytes, to three digits.
pub(crate) fn bytes(number: u64) -> String {
    let (mut scaled, mut unit) = (number as f64, "B");
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        if scaled < 1000.0 {
            break;
        }
        scaled /= 1024.0;
        unit = next;
    }
    format!("{} {unit}", three_digits(scaled))
}

/// A number to about three digits.
pub(crate) fn three_digits(number: f64) -> String {
    match number.abs() {
        size if size >= 100.0 || number == 0.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.1}"),
        size if size >= 1.0 => format!("{number:.2}"),
        size if size >= 0.1 => format!("{number:.3}"),
        _ => format!("{number:.4}"),
    }
}

/// The smallest sample that at least this share of the samples does not exceed. `None` without samples.
pub(crate) fn percentile(samples: &[f64], share: f64) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied()
}

/// The middle sample, or the mean of the two in the middle. `None` without samples.
pub(crate) fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

/// The exponent `e` of the curve `y = c * x^e` nearest to the points, by least squares of the logarithms. `None` unless
/// there are two different x among the points with both coordinates above zero.
pub(crate) fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let together: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    (spread > 0.0).then(|| together / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        for (text, count) in
            [("0", 0), ("1000", 1000), ("10_000", 10_000), ("10k", 10_000), ("2M", 2_000_000)]
        {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        for text in
            ["", "k", "-1", "+1", "1.5k", "ten", "1 000", "99999999999999999999", "99999999999999999M"]
        {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_written() {
        assert_eq!(
            ["7", "999", "1,000", "1,234,567"],
            [7, 999, 1000, 1_234_567].map(grouped).each_ref().map(|s| &**s)
        );
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1536), "1.50 KiB");
        assert_eq!(bytes(3 << 30), "3.00 GiB");
        assert_eq!(
            [0.01234, 0.1234, 1.234, 12.34, 1234.0].map(three_digits).join(" "),
            "0.0123 0.123 1.23 12.3 1234"
        );
    }

    #[test]
    fn statistics_of_known_samples() {
        let samples = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!(median(&samples), Some(3.0));
        assert_eq!(median(&samples[..4]), Some(3.0));
        assert_eq!(median(&[]), None);
        assert_eq!(percentile(&samples, 0.99), Some(5.0));
        assert_eq!(percentile(&samples, 0.4), Some(2.0));
        assert_eq!(percentile(&[], 0.99), None);
    }

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let square: Vec<(f64, f64)> = [1e3, 1e4, 1e5].iter().map(|&x: &f64| (x, 7.0 * x * x)).collect();
        assert!((exponent(&square).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(exponent(&[(10.0, 1.0), (10.0, 2.0)]), None);
        assert_eq!(exponent(&[(0.0, 1.0), (10.0, 2.0)]), None);
        assert_eq!(exponent(&[]), None);
    }
}
