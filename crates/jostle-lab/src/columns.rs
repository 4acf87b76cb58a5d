//! Tables for people: columns as wide as they must be, numbers to the right.

/// Writes rows under their heads. The columns `left` hold words, the others numbers.
pub(crate) fn table<const N: usize>(
    heads: [&str; N],
    left: &[usize],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let rows: Vec<[String; N]> = std::iter::once(heads.map(str::to_string)).chain(rows).collect();
    let widths: [usize; N] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let padded = if left.contains(&column) {
                format!(" {cell:<width$} ")
            } else {
                format!(" {cell:>width$} ")
            };
            line.push_str(&padded);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_left_and_numbers_right() {
        let rows = [["a", "1"], ["long", "234"]].map(|row| row.map(str::to_string));
        assert_eq!(table(["name", "ms"], &[0], rows.into_iter()), "  name   ms\n  a       1\n  long  234\n");
    }
}
