//! Reads the fields of a scene from a TOML table. Whatever is wrong is told with its line.

use anyhow::{Result, anyhow, bail};
use toml::de::DeTable;

use super::{Field, Visit, names};
use crate::suggestion::nearest;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!([0, 1, 2, 3].map(|at| line("a\n\nb", at)), [1, 1, 2, 3]);
    }
}
