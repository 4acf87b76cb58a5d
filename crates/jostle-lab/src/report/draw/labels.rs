//! Labels beside each other that must not overlap.

/// Moves places as little as needed until they are at least `gap` apart and between `low` and `high`. If there are too
/// many for that, they stand as far apart as there is room.
pub(super) fn spread(wanted: &[i32], gap: i32, low: i32, high: i32) -> Vec<i32> {
    let count = wanted.len() as i32;
    if count == 0 {
        return Vec::new();
    }
    let gap = if count > 1 { gap.min((high - low) / (count - 1)) } else { gap };
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&index| (wanted[index], index));
    // Groups of labels that touch stand around the mean of what they want (sum of wanted tops, members).
    let mut groups: Vec<(i64, i64)> = Vec::new();
    let top = |(sum, members): (i64, i64)| {
        let last = i64::from(high) - i64::from(gap) * (members - 1);
        (sum / members).clamp(i64::from(low), last.max(i64::from(low)))
    };
    for &index in &order {
        let mut group = (i64::from(wanted[index]), 1);
        while let Some(&above) = groups.last() {
            if top(above) + i64::from(gap) * above.1 <= top(group) {
                break;
            }
            groups.pop();
            // What the members of `group` want, less where they stand in the common group.
            group = (above.0 + group.0 - i64::from(gap) * above.1 * group.1, above.1 + group.1);
        }
        groups.push(group);
    }
    let mut places = vec![0; wanted.len()];
    let mut sorted = order.into_iter();
    for group in groups {
        for member in 0..group.1 {
            let Some(index) = sorted.next() else { break };
            places[index] = (top(group) + i64::from(gap) * member) as i32;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance_and_their_order() {
        assert_eq!(spread(&[50, 10, 90], 15, 0, 100), [50, 10, 90]);
        assert_eq!(spread(&[50, 50], 16, 0, 100), [42, 58]);
        assert_eq!(spread(&[], 16, 0, 100), [0; 0]);
        for wanted in [&[0, 0, 0, 0][..], &[100, 99, 98, 97, 3], &[40, 41, 42, 43, 44, 45], &[5; 12]] {
            let places = spread(wanted, 15, 0, 100);
            let mut order: Vec<usize> = (0..wanted.len()).collect();
            order.sort_by_key(|&index| (wanted[index], index));
            let gap = 15.min(100 / (wanted.len() as i32 - 1));
            for pair in order.windows(2) {
                assert!(places[pair[1]] - places[pair[0]] >= gap, "{wanted:?}: {places:?}");
            }
            assert!(places.iter().all(|place| (0..=100).contains(place)), "{wanted:?}: {places:?}");
        }
    }
}
