//! Numbers as users write and read them, and two statistics.

/// Reads a count such as `1000`, `10_000`, `10k` or `1M`.
pub fn parse_count(text: &str) -> Result<usize, String> {
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
    number.checked_mul(unit).filter(|&count| count > 0 && count < 1 << 31).ok_or_else(wrong)
}

/// A count as short as it can be written without loss: 10k, 1M, 1234.
pub fn short_count(count: usize) -> String {
    match count {
        _ if count > 0 && count.is_multiple_of(1_000_000) => format!("{}M", count / 1_000_000),
        _ if count > 0 && count.is_multiple_of(1_000) => format!("{}k", count / 1_000),
        _ => count.to_string(),
    }
}

/// A number to about three digits.
pub fn three_digits(number: f64) -> String {
    match number.abs() {
        size if size >= 100.0 || number == 0.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.1}"),
        size if size >= 1.0 => format!("{number:.2}"),
        size if size >= 0.1 => format!("{number:.3}"),
        _ => format!("{number:.4}"),
    }
}

/// The middle sample, or the mean of the two in the middle. `None` without samples.
pub fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

/// The smallest sample that at least this share of the samples does not exceed. `None` without samples.
pub fn percentile(samples: &[f64], share: f64) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// The exponent `e` of the curve `y = c * x^e` nearest to the points, by least squares of the logarithms. `None` unless
/// there are two different x.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean = |part: fn(&(f64, f64)) -> f64| logs.iter().map(part).sum::<f64>() / logs.len() as f64;
    let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let together: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    (spread > 0.0).then(|| together / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_and_written() {
        for (text, count) in [("1000", 1000), ("10_000", 10_000), ("10k", 10_000), ("2M", 2_000_000)] {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        for text in ["", "0", "k", "-1", "1.5k", "4000M", "99999999999999999999"] {
            assert!(parse_count(text).is_err(), "{text}");
        }
        assert_eq!([1234, 10_000, 3_000_000].map(short_count), ["1234", "10k", "3M"]);
    }

    #[test]
    fn statistics_of_known_samples() {
        let samples = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!((median(&samples), median(&samples[..4]), median(&[])), (Some(3.0), Some(3.0), None));
        assert_eq!((percentile(&samples, 0.99), percentile(&samples, 0.4)), (Some(5.0), Some(2.0)));
        assert_eq!(percentile(&[], 0.99), None);
        let square = [1e3, 1e4, 1e5].map(|x: f64| (x, 7.0 * x * x));
        assert!((exponent(&square).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!((exponent(&square[..1]), exponent(&[])), (None, None));
    }
}
