//! The resources a cluster knows: the built-in ones and the site's own.

use rustc_hash::FxHashMap;

use super::{Column, Name, ResourceId};

/// What values a resource takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Kind {
    /// Whole numbers and times.
    Long,
    /// Bytes, counted in kilobytes.
    Size,
    /// Fractions.
    Float,
    /// True or False.
    Boolean,
    /// One text.
    Text,
    /// Several texts at once.
    TextArray,
}

impl Kind {
    /// Consumable for the scheduler whatever the flags say (rule 1.10).
    #[must_use]
    pub fn is_consumable(self) -> bool {
        matches!(self, Self::Long | Self::Size | Self::Float)
    }

    /// The kind that `qmgr` prints as this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "long" => Self::Long,
            "size" => Self::Size,
            "float" => Self::Float,
            "boolean" => Self::Boolean,
            "string" => Self::Text,
            "string_array" => Self::TextArray,
            _ => return None,
        })
    }

    /// The word that `qmgr` prints for this kind.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Long => "long",
            Self::Size => "size",
            Self::Float => "float",
            Self::Boolean => "boolean",
            Self::Text => "string",
            Self::TextArray => "string_array",
        }
    }
}

/// The flags of a resource (rule 1.10).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// `h`: a host has it, so chunks may ask for it.
    pub host: bool,
    /// `q`, `n` or `f`: the server sums it over chunks.
    pub summed: bool,
    /// `q` itself: what a job asks for in all is compared with what all nodes have (rule 5.4).
    pub compared_in_all: bool,
    /// `n`: accounted on every vnode of a chunk.
    pub every_node: bool,
    /// `f`: accounted on the first vnode of a chunk.
    pub first_node: bool,
    /// `i`: hidden from users.
    pub invisible: bool,
    /// `r`: users may read it but not ask for it.
    pub read_only: bool,
}

impl Flags {
    /// Reads the letters that `qmgr` prints; unknown ones are skipped.
    #[must_use]
    pub fn from_letters(letters: &str) -> Self {
        let has = |c| letters.contains(c);
        Self {
            host: has('h'),
            summed: has('q') || has('n') || has('f'),
            compared_in_all: has('q'),
            every_node: has('n'),
            first_node: has('f'),
            invisible: has('i'),
            read_only: has('r'),
        }
    }
}

/// One resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceDef {
    /// Its name.
    pub name: Name,
    /// What values it takes.
    pub kind: Kind,
    /// Where it lives and how it is counted.
    pub flags: Flags,
    /// Whether the batch system brings it, not the site.
    pub built_in: bool,
    /// Whether kind and flags were guessed from values, because no definition was at hand.
    pub guessed: bool,
}

/// All resources of a cluster, built-in ones first, found by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Catalogue {
    defs: Column<ResourceId, ResourceDef>,
    by_name: FxHashMap<Name, ResourceId>,
}

/// Built-in resources with kind and flags (rule 1.10).
const BUILT_IN: &[(&str, Kind, &str)] = &[
    ("ncpus", Kind::Long, "hqn"),
    ("mem", Kind::Size, "hqn"),
    ("vmem", Kind::Size, "hqn"),
    ("host", Kind::Text, "h"),
    ("vnode", Kind::Text, "h"),
    ("arch", Kind::Text, "h"),
    ("accelerator", Kind::Boolean, "h"),
    ("naccelerators", Kind::Long, "hqn"),
    ("accelerator_memory", Kind::Size, "hqn"),
    ("accelerator_model", Kind::Text, "h"),
    ("accelerator_group", Kind::TextArray, "h"),
    ("hbmem", Kind::Size, "hqn"),
    ("mpiprocs", Kind::Long, "hq"),
    ("ompthreads", Kind::Long, "h"),
    ("aoe", Kind::TextArray, "h"),
    ("eoe", Kind::TextArray, "h"),
    ("vntype", Kind::TextArray, "h"),
    ("nchunk", Kind::Long, "h"),
    ("nodect", Kind::Long, "q"),
    ("walltime", Kind::Long, ""),
    ("min_walltime", Kind::Long, ""),
    ("max_walltime", Kind::Long, ""),
    ("soft_walltime", Kind::Long, ""),
    ("cput", Kind::Long, ""),
    ("pcput", Kind::Long, ""),
    ("cpupercent", Kind::Long, ""),
    ("pmem", Kind::Size, ""),
    ("pvmem", Kind::Size, ""),
    ("file", Kind::Size, ""),
    ("nice", Kind::Long, ""),
    ("software", Kind::Text, ""),
    ("preempt_targets", Kind::TextArray, ""),
    ("place", Kind::Text, ""),
    ("select", Kind::Text, ""),
    ("start_time", Kind::Long, ""),
    ("lic_signature", Kind::Long, "h"),
];

/// Ids of the built-in resources that rules name.
macro_rules! well_known {
    ($($fn_name:ident = $name:literal),*) => {
        impl ResourceId {
            $(#[doc = concat!("The built-in resource `", $name, "`.")]
            pub const fn $fn_name() -> Self {
                let mut ix = 0;
                while ix < BUILT_IN.len() {
                    #[expect(clippy::indexing_slicing, reason = "a constant expression over a constant table")]
                    let found = same(BUILT_IN[ix].0, $name);
                    if found {
                        return Self(ix as u32);
                    }
                    ix += 1;
                }
                Self(0)
            })*
        }
    };
}

/// Compares two names at compile time.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut ix = 0;
    while ix < a.len() {
        #[expect(clippy::indexing_slicing, reason = "within both lengths")]
        let differ = a[ix] != b[ix];
        if differ {
            return false;
        }
        ix += 1;
    }
    true
}

well_known!(
    ncpus = "ncpus",
    mem = "mem",
    host = "host",
    vnode = "vnode",
    aoe = "aoe",
    eoe = "eoe",
    mpiprocs = "mpiprocs",
    ompthreads = "ompthreads",
    accelerator = "accelerator",
    nodect = "nodect",
    nchunk = "nchunk",
    walltime = "walltime",
    min_walltime = "min_walltime",
    max_walltime = "max_walltime",
    soft_walltime = "soft_walltime",
    cput = "cput",
    preempt_targets = "preempt_targets",
    lic_signature = "lic_signature"
);

impl Default for Catalogue {
    /// The built-in resources.
    fn default() -> Self {
        let mut catalogue = Self { defs: Column::new(), by_name: FxHashMap::default() };
        for (name, kind, letters) in BUILT_IN {
            catalogue.insert(ResourceDef {
                name: (*name).into(),
                kind: *kind,
                flags: Flags::from_letters(letters),
                built_in: true,
                guessed: false,
            });
        }
        catalogue
    }
}

impl Catalogue {
    /// Adds a resource, or replaces the definition of the one with this name.
    pub fn insert(&mut self, def: ResourceDef) -> ResourceId {
        if let Some(&id) = self.by_name.get(&def.name) {
            self.defs[id] = def;
            return id;
        }
        let name = def.name.clone();
        let id = self.defs.push(def);
        self.by_name.insert(name, id);
        id
    }

    /// The resource of this name; one that nobody defined is added with a kind guessed from its value.
    pub fn id_or_guess(&mut self, name: &str, value: &str) -> ResourceId {
        if let Some(id) = self.id(name) {
            return id;
        }
        self.insert(ResourceDef {
            name: name.into(),
            kind: Kind::guess(value),
            flags: Flags::from_letters("h"),
            built_in: false,
            guessed: true,
        })
    }

    /// The resource of this name.
    #[must_use]
    pub fn id(&self, name: &str) -> Option<ResourceId> {
        self.by_name.get(name).copied()
    }

    /// The definition of `id`.
    #[must_use]
    pub fn def(&self, id: ResourceId) -> &ResourceDef {
        &self.defs[id]
    }

    /// The name of `id`.
    #[must_use]
    pub fn name(&self, id: ResourceId) -> &Name {
        &self.defs[id].name
    }

    /// The kind of `id`.
    #[must_use]
    pub fn kind(&self, id: ResourceId) -> Kind {
        self.defs[id].kind
    }

    /// How many resources there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.defs.len()
    }

    /// Whether there are none; never true, since the built-in ones are always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.defs.is_empty()
    }

    /// All resources with their ids, built-in ones first.
    pub fn iter(&self) -> impl Iterator<Item = (ResourceId, &ResourceDef)> {
        self.defs.enumerate()
    }
}

impl Kind {
    /// The kind that a value of an undefined resource most likely has.
    #[must_use]
    pub fn guess(value: &str) -> Self {
        let value = value.trim();
        if value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false") {
            return Self::Boolean;
        }
        if value.parse::<i64>().is_ok() {
            return Self::Long;
        }
        if value.parse::<f64>().is_ok_and(f64::is_finite) {
            return Self::Float;
        }
        let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = value.get(number.len()..).unwrap_or_default().to_ascii_lowercase();
        if number.parse::<u64>().is_ok() && matches!(unit.as_str(), "b" | "kb" | "mb" | "gb" | "tb" | "pb") {
            return Self::Size;
        }
        Self::TextArray
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_ids_are_constants() {
        let c = Catalogue::default();
        assert_eq!(c.id("ncpus"), Some(ResourceId::ncpus()));
        assert_eq!(c.id("vnode"), Some(ResourceId::vnode()));
        assert_eq!(c.name(ResourceId::soft_walltime()).as_ref(), "soft_walltime");
    }

    #[test]
    fn undefined_resources_are_guessed_by_value() {
        let mut c = Catalogue::default();
        for (value, kind) in [
            ("True", Kind::Boolean),
            ("4", Kind::Long),
            ("1.5", Kind::Float),
            ("4gb", Kind::Size),
            ("red", Kind::TextArray),
        ] {
            let id = c.id_or_guess(&format!("r_{value}"), value);
            assert_eq!(c.kind(id), kind);
            assert!(c.def(id).guessed);
        }
    }
}
