//! The resources of a cluster: the built-in ones and the site's own.

use rustc_hash::FxHashMap;

use super::{Column, Name, ResourceDef, ResourceFlags, ResourceId, ResourceType, Seconds, Value};

/// All resources of a cluster, built-in ones first, with lookup by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Catalogue {
    defs: Column<ResourceId, ResourceDef>,
    by_name: FxHashMap<Name, ResourceId>,
}

/// Built-in resources with kind and flags (rule 1.10).
const BUILT_IN: &[(&str, ResourceType, &str)] = &[
    ("ncpus", ResourceType::Long, "hqn"),
    ("mem", ResourceType::Size, "hqn"),
    ("vmem", ResourceType::Size, "hqn"),
    ("host", ResourceType::Text, "h"),
    ("vnode", ResourceType::Text, "h"),
    ("arch", ResourceType::Text, "h"),
    ("accelerator", ResourceType::Boolean, "h"),
    ("naccelerators", ResourceType::Long, "hqn"),
    ("accelerator_memory", ResourceType::Size, "hqn"),
    ("accelerator_model", ResourceType::Text, "h"),
    ("accelerator_group", ResourceType::TextArray, "h"),
    ("hbmem", ResourceType::Size, "hqn"),
    ("mpiprocs", ResourceType::Long, "hq"),
    ("ompthreads", ResourceType::Long, "h"),
    ("aoe", ResourceType::TextArray, "h"),
    ("eoe", ResourceType::TextArray, "h"),
    ("vntype", ResourceType::TextArray, "h"),
    ("nchunk", ResourceType::Long, "h"),
    ("nodect", ResourceType::Long, "q"),
    ("walltime", ResourceType::Long, ""),
    ("min_walltime", ResourceType::Long, ""),
    ("max_walltime", ResourceType::Long, ""),
    ("soft_walltime", ResourceType::Long, ""),
    ("cput", ResourceType::Long, ""),
    ("pcput", ResourceType::Long, ""),
    ("cpupercent", ResourceType::Long, ""),
    ("pmem", ResourceType::Size, ""),
    ("pvmem", ResourceType::Size, ""),
    ("file", ResourceType::Size, ""),
    ("nice", ResourceType::Long, ""),
    ("software", ResourceType::Text, ""),
    ("preempt_targets", ResourceType::TextArray, ""),
    ("place", ResourceType::Text, ""),
    ("select", ResourceType::Text, ""),
    ("start_time", ResourceType::Long, ""),
    ("lic_signature", ResourceType::Long, "h"),
];

/// Defines constants for the built-in resources that rules name.
macro_rules! well_known {
    ($($fn_name:ident = $name:literal),*) => {
        impl ResourceId {
            $(#[doc = concat!("The built-in resource `", $name, "`.")]
            pub const fn $fn_name() -> Self {
                // A constant, so that the table is not searched at every call.
                const FOUND: ResourceId = built_in($name);
                FOUND
            })*
        }
    };
}

/// Returns the built-in resource of a name, at compile time only: an unknown name does not compile.
#[expect(clippy::panic, reason = "while compiling")]
const fn built_in(name: &str) -> ResourceId {
    let mut ix = 0;
    while ix < BUILT_IN.len() {
        #[expect(clippy::indexing_slicing, reason = "a constant expression over a constant table")]
        let found = is_same_name(BUILT_IN[ix].0, name);
        if found {
            return ResourceId(ix as u32);
        }
        ix += 1;
    }
    panic!("no built-in resource has this name")
}

/// Compares two names at compile time.
const fn is_same_name(a: &str, b: &str) -> bool {
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

impl ResourceId {
    /// Whether it is `host` or `vnode`, which are not part of signatures.
    pub fn is_node_name(self) -> bool {
        self == Self::host() || self == Self::vnode()
    }

    /// Whether it is counted in seconds and written as hours, minutes and seconds.
    pub fn is_time(self) -> bool {
        let times = [
            Self::walltime(),
            Self::soft_walltime(),
            Self::min_walltime(),
            Self::max_walltime(),
            Self::cput(),
        ];
        times.contains(&self)
    }
}

impl Default for Catalogue {
    /// Returns the catalogue of the built-in resources.
    fn default() -> Self {
        let mut catalogue = Self { defs: Column::new(), by_name: FxHashMap::default() };
        for (name, kind, letters) in BUILT_IN {
            catalogue.insert(ResourceDef {
                name: (*name).into(),
                kind: *kind,
                flags: ResourceFlags::from_letters(letters),
                built_in: true,
                guessed: false,
            });
        }
        catalogue
    }
}

impl Catalogue {
    /// Formats a value of a resource as users write it and `qstat -f` prints it; times in hours, minutes and seconds.
    pub fn show(&self, id: ResourceId, value: &Value) -> String {
        match value.amount().filter(|_| id.is_time()) {
            Some(length) => Seconds(length.0 as i64).to_string(),
            None => value.show(self.kind(id)),
        }
    }

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

    /// Returns the resource of this name; an undefined one is added with a kind guessed from its value.
    pub fn id_or_guess(&mut self, name: &str, value: &str) -> ResourceId {
        if let Some(id) = self.id(name) {
            return id;
        }
        self.insert(ResourceDef {
            name: name.into(),
            kind: ResourceType::guess(value),
            flags: ResourceFlags::from_letters("h"),
            built_in: false,
            guessed: true,
        })
    }

    pub fn id(&self, name: &str) -> Option<ResourceId> {
        self.by_name.get(name).copied()
    }

    /// Returns the definition of `id`.
    pub fn def(&self, id: ResourceId) -> &ResourceDef {
        &self.defs[id]
    }

    /// Returns the name of `id`.
    pub fn name(&self, id: ResourceId) -> &Name {
        &self.defs[id].name
    }

    /// Compares two resources by name, ignoring case, as dumps list them.
    pub fn compare_names(&self, one: ResourceId, other: ResourceId) -> std::cmp::Ordering {
        let letters = |id: ResourceId| self.name(id).bytes().map(|letter| letter.to_ascii_lowercase());
        letters(one).cmp(letters(other))
    }

    /// Returns the kind of `id`.
    pub fn kind(&self, id: ResourceId) -> ResourceType {
        self.defs[id].kind
    }

    /// Returns the number of resources.
    pub fn len(&self) -> usize {
        self.defs.len()
    }

    /// Whether there are no resources; never true, because the built-in ones always exist.
    pub fn is_empty(&self) -> bool {
        self.defs.is_empty()
    }

    /// Returns all resources with their ids, built-in ones first.
    pub fn iter(&self) -> impl Iterator<Item = (ResourceId, &ResourceDef)> {
        self.defs.enumerate()
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
    fn times_are_shown_in_hours_minutes_and_seconds() {
        let c = Catalogue::default();
        let show = |id| c.show(id, &Value::Amount(crate::cluster::Amount(5400.0)));
        assert_eq!(show(ResourceId::cput()), "01:30:00");
        assert_eq!(show(ResourceId::walltime()), "01:30:00");
        assert_eq!(show(ResourceId::ncpus()), "5400");
    }

    #[test]
    fn undefined_resources_are_guessed_by_value() {
        let mut c = Catalogue::default();
        for (value, kind) in [
            ("True", ResourceType::Boolean),
            ("4", ResourceType::Long),
            ("1.5", ResourceType::Float),
            ("4gb", ResourceType::Size),
            ("red", ResourceType::TextArray),
        ] {
            let id = c.id_or_guess(&format!("r_{value}"), value);
            assert_eq!(c.kind(id), kind);
            assert!(c.def(id).guessed);
        }
    }
}
