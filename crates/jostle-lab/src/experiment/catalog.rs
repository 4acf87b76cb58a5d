//! Studies by name.

use anyhow::{Result, bail};

use super::Study;
use crate::studies;
use crate::suggestion::nearest;

/// The study of this name.
pub(super) fn get(name: &str) -> Result<&'static dyn Study> {
    let all = studies::all();
    if let Some(study) = all.iter().find(|study| study.about().name == name) {
        return Ok(*study);
    }
    let meant = match nearest(name, all.iter().map(|study| study.about().name)) {
        Some(nearest) => format!("did you mean `{nearest}`? "),
        None => String::new(),
    };
    bail!("unknown study `{name}`; {meant}`jostle experiment --list` shows all");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_can_be_names_of_folders() {
        let names: Vec<&str> = studies::all().iter().map(|study| study.about().name).collect();
        for (index, name) in names.iter().enumerate() {
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{name}");
            assert!(!names[..index].contains(name), "{name} is there twice");
            assert_eq!(get(name).unwrap().about().name, *name);
        }
    }

    #[test]
    fn a_slip_of_the_pen_gets_a_suggestion() {
        let said = |name: &str| get(name).err().unwrap().to_string();
        assert!(said("fidners").contains("did you mean `finders`?"), "{}", said("fidners"));
        assert!(!said("qqqqqqqqqqqqqq").contains("did you mean"));
        assert!(said("qqqqqqqqqqqqqq").contains("--list"));
    }
}
