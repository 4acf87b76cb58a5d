//! Samples of lists.

/// About so many places of a list, one in each of its stretches, and not at the same place in each: what is at even places may
/// be unlike what is at odd ones. All of them in a short list.
pub(crate) fn scattered(len: usize, count: usize) -> impl Iterator<Item = usize> {
    let step = (len / count).max(1);
    let offset = move |stretch: usize| ((stretch as u64 * 0x9E37_79B1) >> 8) as usize % step;
    (0..len / step).map(move |stretch| stretch * step + offset(stretch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_here_and_there() {
        assert_eq!(scattered(0, 8).count(), 0);
        assert!(scattered(5, 8).eq(0..5), "all of them");
        for len in [8, 80, 1000, 1007] {
            let sample: Vec<usize> = scattered(len, 8).collect();
            assert!((8..16).contains(&sample.len()) && sample.is_sorted(), "{sample:?}");
            assert!(sample.iter().all(|&place| place < len), "{sample:?}");
        }
        let odd = scattered(100_000, 1000).filter(|place| place % 2 == 1).count();
        assert!((400..600).contains(&odd), "{odd} of 1000");
    }
}
