//! In which order contestants take their turns in a round.
//!
//! Each goes first in turn, because the first one finds the boxes cold; and every second round goes backwards, so that
//! nobody always follows the same neighbour and finds caches and clock as that one left them. The order follows from the
//! number of the round alone.

/// The order of a round, counted from 0, of so many contestants.
///
/// Over twice as many rounds as there are contestants, each goes first twice: once forwards, once backwards.
pub(crate) fn turns(contestants: usize, round: u32) -> impl Iterator<Item = usize> {
    let (count, round) = (contestants.max(1), round as usize);
    let first = round % count;
    // An even number of contestants would go first in rounds of one direction only: it is changed after each lap.
    let laps = if count.is_multiple_of(2) { round / count } else { 0 };
    let backwards = (round + laps) % 2 == 1;
    let place = move |turn: usize| if backwards { first + count - turn } else { first + turn };
    (0..contestants).map(move |turn| place(turn) % count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(contestants: usize, round: u32) -> Vec<usize> {
        turns(contestants, round).collect()
    }

    #[test]
    fn every_second_round_goes_backwards_and_each_goes_first_in_turn() {
        let rounds: Vec<Vec<usize>> = (0..6).map(|round| order(3, round)).collect();
        assert_eq!(rounds, [[0, 1, 2], [1, 0, 2], [2, 0, 1], [0, 2, 1], [1, 2, 0], [2, 1, 0]]);
        let rounds: Vec<Vec<usize>> = (0..8).map(|round| order(4, round)).collect();
        assert_eq!(rounds[..4], [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]]);
        assert_eq!(rounds[4..], [[0, 3, 2, 1], [1, 2, 3, 0], [2, 1, 0, 3], [3, 0, 1, 2]]);
        assert_eq!((order(0, 5), order(1, 5)), (vec![], vec![0]));
    }

    #[test]
    fn nobody_is_favoured() {
        for count in 2..14 {
            let mut firsts = vec![0; count];
            let mut follows = vec![vec![0; count]; count];
            for round in 0..2 * count as u32 {
                let order = order(count, round);
                let mut everyone = order.clone();
                everyone.sort_unstable();
                assert_eq!(everyone, (0..count).collect::<Vec<_>>(), "each once in round {round} of {count}");
                firsts[order[0]] += 1;
                order.windows(2).for_each(|pair| follows[pair[1]][pair[0]] += 1);
            }
            assert_eq!(firsts, vec![2; count], "each goes first as often, of {count}");
            for (who, after) in follows.iter().enumerate() {
                let (before, behind) = ((who + count - 1) % count, (who + 1) % count);
                assert_eq!(after[before], after[behind], "{who} of {count} follows both neighbours as often");
                assert!(after[before] > 0, "{who} of {count}");
            }
        }
    }
}
