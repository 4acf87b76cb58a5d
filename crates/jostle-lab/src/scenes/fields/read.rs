//! Reads the fields of a scene from a TOML table. Whatever is wrong is told with its line.

use anyhow::{Result, anyhow, bail};
use toml::de::DeTable;

use super::{Field, Visit, names};

/// A list of fields to be visited.
type Fields<'a> = dyn FnMut(&mut dyn Visit) -> Result<()> + 'a;

/// Gives fields the values a table has for them; those it does not name keep theirs. `text` is what the table was read
/// from; `known` are names that stand in the table and are no fields.
pub(crate) fn read_table(
    text: &str,
    table: &DeTable<'_>,
    known: &[&str],
    fields: &mut Fields<'_>,
) -> Result<()> {
    let mut there = names(fields)?;
    there.extend(known);
    let mut unknown: Vec<_> = table.keys().filter(|key| !there.contains(&&**key.get_ref())).collect();
    unknown.sort_by_key(|key| key.span().start);
    if let Some(key) = unknown.first() {
        let name = key.get_ref();
        let hint = match nearest(name, there.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its fields are: {}", there.join(", ")),
        };
        bail!(
            "line {}: `{name}`: this kind of scene has no such field; {hint}",
            line(text, key.span().start)
        );
    }
    fields(&mut Reader { text, table })
}

struct Reader<'a> {
    text: &'a str,
    table: &'a DeTable<'a>,
}

impl Visit for Reader<'_> {
    fn field(&mut self, name: &'static str, _: &'static str, field: &mut dyn Field) -> Result<()> {
        let Some(value) = self.table.get(name) else { return Ok(()) };
        field
            .read(value.get_ref())
            .map_err(|wrong| anyhow!("line {}: `{name}`: {wrong}", line(self.text, value.span().start)))
    }
}

/// The line of a place in a text, counted from 1.
pub(crate) fn line(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// The name most like a wrong one, if one is like it.
pub(crate) fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distances = names.map(|name| (edits(wrong, name), name));
    let (distance, name) = distances.min_by_key(|(distance, _)| *distance)?;
    // Half of a name wrong is another name.
    (2 * distance <= name.chars().count().max(wrong.chars().count())).then_some(name)
}

/// How many letters must be changed, added or taken away to make one word of another (Levenshtein's distance).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().replace('-', "_").chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, letter) in a.to_lowercase().replace('-', "_").chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], index + 1);
        for (column, other) in b.iter().enumerate() {
            let changed = corner + usize::from(letter != *other);
            corner = row[column + 1];
            row[column + 1] = changed.min(corner + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = || ["objects", "cycles", "linear_velocity", "size"].into_iter();
        for (wrong, near) in [
            ("object", Some("objects")),
            ("Cycle", Some("cycles")),
            ("linear-velocity", Some("linear_velocity")),
            ("szie", Some("size")),
            ("zebra", None),
            ("", None),
        ] {
            assert_eq!(nearest(wrong, names()), near, "{wrong}");
        }
        assert_eq!([edits("kitten", "sitting"), edits("", "abc"), edits("abc", "abc")], [3, 3, 0]);
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!([0, 1, 2, 3].map(|at| line("a\n\nb", at)), [1, 1, 2, 3]);
    }
}
