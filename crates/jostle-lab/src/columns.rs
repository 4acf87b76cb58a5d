//! Tables for people: columns as wide as they must be, numbers to the right.

/// Writes rows under their heads. The columns `left` hold words, the others numbers.
pub(crate) fn table<const N: usize>(
    heads: [&str; N],
    left: &[usize],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let rows: Vec<[String; N]> = std::iter::once(heads.map(str::to_string)).chain(rows).collect();
    aligned(&rows, |column| left.contains(&column))
}

/// Writes rows, the first of which has the heads of the columns.
pub(crate) fn aligned<R: AsRef<[String]>>(rows: &[R], is_words: impl Fn(usize) -> bool) -> String {
    let columns = rows.first().map_or(0, |heads| heads.as_ref().len());
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.as_ref().get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (column, (cell, &width)) in row.as_ref().iter().zip(&widths).enumerate() {
            let padded =
                if is_words(column) { format!(" {cell:<width$} ") } else { format!(" {cell:>width$} ") };
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
