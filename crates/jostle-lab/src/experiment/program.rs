//! Which program measured: a hash of its file, and the finders in its catalogue.
//!
//! A version or a revision does not say it: users build their own finders into jostle, and sources are changed without
//! being committed. Samples of two programs are never mixed; a report is made from those of any.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::sync::OnceLock;

use jostle_broad::Catalog;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Program {
    /// `None`: its file cannot be read, so that nobody knows whether it is the same.
    pub(super) hash: Option<String>,
    /// All names of its catalogue, in order.
    pub(super) finders: Vec<String>,
}

impl Program {
    /// The one that runs, with the finders it knows.
    pub(super) fn here(catalog: &Catalog) -> Self {
        static HASH: OnceLock<Option<String>> = OnceLock::new();
        let hash = HASH.get_or_init(|| hash_of_running().ok()).clone();
        Self { hash, finders: catalog.iter().map(|entry| entry.name.clone()).collect() }
    }

    /// What differs, in words.
    pub(super) fn difference(&self, now: &Self) -> Option<String> {
        let missing = |from: &Self, of: &Self| {
            of.finders.iter().find(|name| !from.finders.contains(name)).cloned() //
        };
        if let Some(name) = missing(now, self) {
            return Some(format!("a finder `{name}`, which this jostle does not have"));
        }
        if let Some(name) = missing(self, now) {
            return Some(format!("a jostle without the finder `{name}`"));
        }
        if self.hash.is_none() || self.hash != now.hash {
            let named = |hash: &Option<String>| hash.clone().unwrap_or_else(|| "unknown".to_string());
            return Some(format!(
                "another build of jostle ({}, not {})",
                named(&self.hash),
                named(&now.hash)
            ));
        }
        None
    }
}

fn hash_of_running() -> io::Result<String> {
    // Linux keeps the file of a running program there, whatever became of its name.
    let mut file = File::open("/proc/self/exe").or_else(|_| std::env::current_exe().and_then(File::open))?;
    let (mut hasher, mut bytes) = (DefaultHasher::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(format!("{:016x}", hasher.finish())),
            count => hasher.write(&bytes[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let here = Program::here(&Catalog::builtin());
        assert!(here.hash.is_some() && here.finders.len() > 3);
        assert_eq!(here.difference(&Program::here(&Catalog::builtin())), None);
        let rebuilt = Program { hash: Some("0".repeat(16)), ..here.clone() };
        assert!(rebuilt.difference(&here).unwrap().contains("another build of jostle (0000"));
        let unknown = Program { hash: None, ..here.clone() };
        assert!(unknown.difference(&unknown).is_some(), "two unknown ones need not be the same");
        let mut more = here.clone();
        more.finders.push("mine".to_string());
        assert!(more.difference(&here).unwrap().contains("a finder `mine`"));
        assert!(here.difference(&more).unwrap().contains("without the finder `mine`"));
    }
}
