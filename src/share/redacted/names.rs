//! Names in a cluster, by what they name, and their replacements.

use std::collections::BTreeMap;

use qscope_engine::cluster::Name;

use super::prefixes::QueuePrefixes;

/// The kind of object that a name names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum NameRole {
    User,
    Group,
    Project,
    Account,
    /// An entity of the fair share tree that is none of the four above.
    Share,
    /// A vnode or a host.
    #[strum(to_string = "node")]
    Host,
    Queue,
    Server,
    #[strum(to_string = "part")]
    Partition,
    #[strum(to_string = "sched")]
    Scheduler,
    /// The part of a job's or reservation's id before the server, if it is not a number.
    #[strum(to_string = "job")]
    Id,
    /// The name that its owner gave a job.
    #[strum(to_string = "job")]
    Title,
    /// A text value of a resource.
    Value,
}

impl NameRole {
    const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the roles in which a name of this role is looked up: the same text names the same object in all of
    /// them.
    fn lookup_roles(self) -> &'static [Self] {
        const PEOPLE: &[NameRole] =
            &[NameRole::User, NameRole::Group, NameRole::Project, NameRole::Account, NameRole::Share];
        match self {
            Self::User | Self::Group | Self::Project | Self::Account | Self::Share => PEOPLE,
            Self::Value => &[Self::Host, Self::Value],
            Self::Host => &[Self::Host],
            Self::Queue => &[Self::Queue],
            Self::Server => &[Self::Server],
            Self::Partition => &[Self::Partition],
            Self::Scheduler => &[Self::Scheduler],
            Self::Id => &[Self::Id],
            Self::Title => &[Self::Title],
        }
    }

    /// Returns the prefix of replacements for names of this role.
    fn word(self) -> &'static str {
        self.into()
    }
}

/// Names that the batch system itself uses: they mean something to the scheduler, and identify no person or object.
const FIXED: [&str; 8] =
    ["", "\"\"", "root", "unknown", "default", "pbs-default", "_pbs_project_default", "TREEROOT"];

/// Returns whether a name stays in any role: the batch system's own, and the queues of reservations, which are named
/// by their ids.
pub(super) fn is_fixed(role: NameRole, name: &str) -> bool {
    let digits = name.strip_prefix(['R', 'S', 'M']).unwrap_or_default();
    let is_id = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    FIXED.contains(&name) || (role == NameRole::Queue && is_id)
}

/// What is done with the names of a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Treatment {
    Keep,
    /// Each is replaced by another name; the order is kept.
    Rename,
    /// The name is left out.
    Omit,
}

/// The names of a cluster. In the first pass they are collected, in the second replaced.
#[derive(Clone, Debug)]
pub struct NameReplacements {
    treatment: fn(NameRole) -> Treatment,
    known: BTreeMap<NameRole, BTreeMap<Name, Name>>,
    settled: bool,
    prefixes: QueuePrefixes,
}

impl NameReplacements {
    pub(super) fn new(treatment: fn(NameRole) -> Treatment, prefixes: QueuePrefixes) -> Self {
        Self { treatment, known: BTreeMap::new(), settled: false, prefixes }
    }

    /// Returns whether hosts and values, which a select may name, keep their names.
    pub(super) fn are_kept(&self) -> bool {
        [NameRole::Host, NameRole::Value].map(self.treatment) == [Treatment::Keep; 2]
    }

    /// Returns the replacement of a name; while names are collected, the name itself.
    pub(super) fn of(&mut self, role: NameRole, name: &Name) -> Name {
        if is_fixed(role, name) {
            return name.clone();
        }
        if !self.settled {
            self.known.entry(role).or_default().insert(name.clone(), name.clone());
            return name.clone();
        }
        // A name that was not collected must not appear in the result.
        self.replacement(role, name).unwrap_or_else(|| Name::from(""))
    }

    /// Returns the replacement of a name of this role, if it is known.
    pub(super) fn replacement(&self, role: NameRole, name: &str) -> Option<Name> {
        if is_fixed(role, name) {
            return Some(name.into());
        }
        role.lookup_roles().iter().find_map(|kin| self.known.get(kin)?.get(name)).cloned()
    }

    /// Returns the replacement of a prefix of queue names; while names are collected, the prefix itself.
    pub(super) fn of_prefix(&self, prefix: &Name) -> Name {
        self.prefixes.replacement(prefix)
    }

    /// Returns the replacement of a name of exactly this role.
    pub(super) fn exact_replacement(&self, role: NameRole, name: &str) -> Option<Name> {
        self.known.get(&role)?.get(name).cloned()
    }

    /// Returns the replacement of a name of any role that a comment of the scheduler may name.
    pub(super) fn comment_replacement(&self, name: &str) -> Option<Name> {
        const NAMED: [NameRole; 7] = [
            NameRole::User,
            NameRole::Group,
            NameRole::Project,
            NameRole::Host,
            NameRole::Queue,
            NameRole::Value,
            NameRole::Id,
        ];
        NAMED.into_iter().find_map(|role| self.exact_replacement(role, name))
    }

    pub(super) fn is_assigned(&self) -> bool {
        self.settled
    }

    /// Assigns every name its replacement, in the order of the names.
    pub(super) fn assign_replacements(&mut self) {
        let words: Vec<(NameRole, String)> =
            NameRole::ALL.iter().map(|role| (*role, self.unused_prefix(*role))).collect();
        if (self.treatment)(NameRole::Queue) == Treatment::Rename {
            self.prefixes.replace(&mut self.known.get(&NameRole::Queue).into_iter().flat_map(BTreeMap::keys));
        }
        let prefixes = self.prefixes.clone();
        for (role, word) in words {
            let treatment = (self.treatment)(role);
            let Some(names) = self.known.get_mut(&role) else { continue };
            let width = names.len().to_string().len();
            for (nth, (name, stands)) in (1..).zip(names.iter_mut()) {
                *stands = match treatment {
                    Treatment::Keep => name.clone(),
                    Treatment::Omit => "".into(),
                    Treatment::Rename if role == NameRole::Value && is_number(name) => name.clone(),
                    Treatment::Rename => {
                        let start = if role == NameRole::Queue { prefixes.start_of(name) } else { "" };
                        format!("{start}{word}{nth:0width$}").into()
                    }
                };
            }
        }
        self.settled = true;
    }

    /// Returns a prefix that occurs in no name of the cluster.
    fn unused_prefix(&self, role: NameRole) -> String {
        let mut word = role.word().to_owned();
        let taken = |word: &str| {
            let names = self.known.values().flat_map(BTreeMap::keys);
            names.into_iter().any(|name| name.contains(word))
        };
        while taken(&word) {
            word.push('x');
        }
        word
    }

    /// Returns every name that has a different replacement.
    pub fn replaced(&self) -> impl Iterator<Item = (NameRole, &Name)> {
        let all = self
            .known
            .iter()
            .flat_map(|(role, names)| names.iter().map(|(name, stands)| (*role, name, stands)));
        all.filter(|(_, name, stands)| name != stands).map(|(role, name, _)| (role, name))
    }
}

/// Returns whether a text consists only of digits and points.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}
