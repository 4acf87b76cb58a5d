//! The finders of jostle as contestants.
//!
//! The clock covers taking the boxes into the store, finding, canonical order, and what was added and removed.

use anyhow::{Result, bail};
use jostle_broad::{Aabb, Auto, Boxes, Catalog, DecideBy, Executor, FindSettings, Moved, Pair, PairFinder};

use crate::Contestant;

/// The finders to choose from: the built-in ones, `auto` deciding by counted work, and with the feature `gpu` those on a GPU
/// and `auto-gpu`, which may choose one of them. `auto` is the CPU's alone in every build, so that its rows compare.
#[derive(Clone, Debug, Default)]
pub struct Finders {
    #[cfg(feature = "gpu")]
    adapter: jostle_gpu::AdapterChoice,
}

impl Finders {
    /// Those on a GPU use this adapter, by its number or a part of its name; the best GPU there is unless given.
    #[cfg(feature = "gpu")]
    pub fn new(adapter: Option<&str>) -> Result<Self> {
        use jostle_gpu::{AdapterChoice, adapter_list};
        let Some(asked) = adapter else { return Ok(Self { adapter: AdapterChoice::from_environment() }) };
        let all = adapter_list();
        let wanted = asked.to_lowercase();
        let numbered = asked.parse::<usize>().ok().filter(|&index| index < all.len());
        let named = || all.iter().position(|about| about.name.to_lowercase().contains(&wanted));
        match numbered.or_else(named) {
            Some(index) => Ok(Self { adapter: AdapterChoice::Numbered(index) }),
            None => {
                let names: Vec<&str> = all.iter().map(|about| about.name.as_str()).collect();
                bail!("--adapter: there is no `{asked}`; there are: {}", names.join(", "))
            }
        }
    }

    /// There are none on a GPU in this build.
    #[cfg(not(feature = "gpu"))]
    pub fn new(adapter: Option<&str>) -> Result<Self> {
        if adapter.is_some() {
            bail!("--adapter: finders on a GPU are not part of this build; build with `--features gpu`");
        }
        Ok(Self {})
    }

    /// All of them by name.
    pub fn catalog(&self) -> Catalog {
        let mut catalog = Catalog::builtin();
        #[cfg(feature = "gpu")]
        {
            let adapter = self.adapter.clone();
            jostle_gpu::register(&mut catalog, &adapter);
            catalog.register("auto", "measures, then chooses a finder on the CPU", Auto::default);
            catalog.register("auto-gpu", "measures, then chooses, a GPU too", move || {
                jostle_gpu::auto(DecideBy::Time, &adapter)
            });
        }
        catalog.register("auto-work", "auto, choosing by counted work instead of time", || {
            Auto::new(DecideBy::Work)
        });
        catalog
    }
}

/// Behind the name of a finder: boxes are copied into its store. Else the array is handed over.
const COPY: &str = "+copy";
/// Behind the name of a finder: all pairs as one slice. Else they are to be read one after another.
const SLICE: &str = "+slice";

/// The name a finder has in the catalog.
pub fn finder_name(name: &str) -> &str {
    name.strip_suffix(COPY).or_else(|| name.strip_suffix(SLICE)).unwrap_or(name)
}

/// A finder with its box store.
pub struct Ours {
    store: Boxes,
    copies: bool,
    slices: bool,
    finder: Box<dyn PairFinder>,
    settings: FindSettings,
}

impl Ours {
    /// The finder of this name, and its answer for these boxes.
    pub fn new(finders: &Finders, name: &str, boxes: &[Aabb], threads: usize) -> Result<Self> {
        let mut made = Self {
            store: Boxes::from_aabbs(boxes)?,
            copies: name.ends_with(COPY),
            slices: name.ends_with(SLICE),
            finder: finders.catalog().get(finder_name(name))?.make(),
            settings: FindSettings {
                executor: Executor::new(threads)?,
                changes: true,
                ..FindSettings::default()
            },
        };
        made.find()?;
        Ok(made)
    }

    fn find(&mut self) -> Result<()> {
        self.finder.update(&self.store, &self.settings)?;
        if self.slices {
            std::hint::black_box(self.finder.pairs().as_slice());
        }
        Ok(())
    }
}

impl Contestant for Ours {
    fn update(&mut self, boxes: &[Aabb], moved: &[u32]) -> Result<()> {
        let moved = if moved.len() == boxes.len() { Moved::All } else { Moved::Ids(moved) };
        self.store.update_on(&self.settings.executor, moved, boxes)?;
        self.find()
    }

    fn exchange(&mut self, boxes: &mut Vec<Aabb>, moved: &[u32]) -> Result<()> {
        // Of an array of which only listed boxes count those are copied.
        if self.copies || moved.len() < boxes.len() {
            return self.update(boxes, moved);
        }
        self.store.exchange(&self.settings.executor, boxes)?;
        self.find()
    }

    fn pairs(&self) -> Vec<Pair> {
        self.finder.pairs().as_slice().to_vec()
    }
}
