//! Writes the fields of a scene: as a file that can be edited and read back, and as a list of names.

use anyhow::Result;

use super::{Field, Visit};

/// Lines of TOML with a comment for each field.
pub(crate) fn written(fields: &mut dyn FnMut(&mut dyn Visit) -> Result<()>) -> Result<String> {
    let mut writer = Writer(String::new());
    fields(&mut writer)?;
    Ok(writer.0)
}

struct Writer(String);

impl Visit for Writer {
    fn field(&mut self, name: &'static str, about: &'static str, field: &mut dyn Field) -> Result<()> {
        let (range, value) = (field.range(), field.write());
        self.0.push_str(&format!("\n# {about}\n# ({range})\n{name} = {value}\n"));
        Ok(())
    }
}

/// The names of fields, in order.
pub(crate) fn names(fields: &mut dyn FnMut(&mut dyn Visit) -> Result<()>) -> Result<Vec<&'static str>> {
    let mut lister = Lister(Vec::new());
    fields(&mut lister)?;
    Ok(lister.0)
}

struct Lister(Vec<&'static str>);

impl Visit for Lister {
    fn field(&mut self, name: &'static str, _: &'static str, _: &mut dyn Field) -> Result<()> {
        self.0.push(name);
        Ok(())
    }
}
