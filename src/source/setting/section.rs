//! The sections of options and attributes, by the first word of a key.

/// Section of options and attributes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum SettingSection {
    /// `sched_config`.
    #[strum(to_string = "sched_config")]
    Options,
    Server,
    /// The scheduler object.
    Scheduler,
    Queue,
    /// Vnodes.
    Node,
    Job,
    Reservation,
    /// Options of the allocation policies.
    Maui,
    /// Not part of any dump: a moved clock, another policy, more vnodes.
    #[strum(to_string = "what-if")]
    Trial,
}

impl SettingSection {
    pub(super) const ALL: [Self; 8] = [
        Self::Options,
        Self::Server,
        Self::Scheduler,
        Self::Queue,
        Self::Node,
        Self::Job,
        Self::Reservation,
        Self::Maui,
    ];

    /// Returns the word before the first dot.
    pub(super) fn word(self) -> &'static str {
        self.into()
    }

    pub(super) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.word() == word)
    }

    /// Returns the sections that have a name without a prefix; none for names that usually mean vnodes or jobs.
    pub(super) fn of_bare(name: &str) -> Vec<Self> {
        if matches!(name, "state" | "comment" | "partition") {
            return Vec::new();
        }
        let mut all = vec![Self::Options, Self::Server, Self::Scheduler];
        all.retain(|section| section.names().any(|known| known == name));
        all
    }

    /// Whether it has several objects, so that a key must name one.
    pub(super) fn has_objects(self) -> bool {
        matches!(self, Self::Queue | Self::Node | Self::Job | Self::Reservation)
    }

    /// Whether a name can be set: as written, or, for allocation policies, in any case and with an index.
    pub(super) fn knows(self, name: &str) -> bool {
        let base = name.split_once('[').map_or(name, |(base, _)| base);
        match self {
            Self::Maui => self.names().any(|known| known.eq_ignore_ascii_case(base)),
            _ => self.names().any(|known| known == name),
        }
    }

    /// Returns a description of its names, for a sentence.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Options => "an option of the scheduler",
            Self::Server => "an attribute of the server",
            Self::Scheduler => "an attribute of the scheduler",
            Self::Queue => "an attribute of a queue",
            Self::Node => "an attribute of a vnode",
            Self::Job => "an attribute of a job that can be changed",
            Self::Reservation => "an attribute of a reservation that can be changed",
            Self::Maui => "an option of the allocation policies",
            Self::Trial => "what a cluster can be tried with",
        }
    }
}
