//! What somebody may have meant who wrote a name that does not exist.

/// The candidate that needs the fewest changes of a letter to become `name`, unless that is most of it.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = name.chars().count().max(3) / 2;
    candidates
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters must be inserted, removed or replaced (Levenshtein's distance).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_known_words() {
        for (a, b, expected) in [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("grid", "grid", 0)] {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn only_what_is_near_is_suggested() {
        let names = ["finders", "002-parameters", "threads"];
        assert_eq!(nearest("finder", names.into_iter()), Some("finders"));
        assert_eq!(nearest("002-parameter", names.into_iter()), Some("002-parameters"));
        assert_eq!(nearest("xyz", names.into_iter()), None);
    }
}
