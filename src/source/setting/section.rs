//! What options and attributes belong to, by the first word of a key.

/// What options and attributes belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Section {
    /// `sched_config`.
    #[strum(to_string = "sched_config")]
    Options,
    Server,
    /// The scheduler object.
    Scheduler,
    Queue,
    /// Vnodes.
    Node,
    /// Jobs.
    Job,
    Reservation,
    /// What the allocation policies look at.
    Maui,
    /// What no dump has: another clock, another policy, more vnodes.
    #[strum(to_string = "what-if")]
    Trial,
}

impl Section {
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

    /// The word before the first dot.
    pub(super) fn word(self) -> &'static str {
        self.into()
    }

    pub(super) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.word() == word)
    }

    /// The sections that know a name which stands alone; none for names by which one rather means vnodes or jobs.
    pub(super) fn of_bare(name: &str) -> Vec<Self> {
        if matches!(name, "state" | "comment" | "partition") {
            return Vec::new();
        }
        let mut all = vec![Self::Options, Self::Server, Self::Scheduler];
        all.retain(|section| section.names().any(|known| known == name));
        all
    }

    /// Whether there are several of them, so that a key names which.
    pub(super) fn has_objects(self) -> bool {
        matches!(self, Self::Queue | Self::Node | Self::Job | Self::Reservation)
    }

    /// Whether a name may be set: as written, or, of the allocation policies, in any case and with an index.
    pub(super) fn knows(self, name: &str) -> bool {
        let base = name.split_once('[').map_or(name, |(base, _)| base);
        match self {
            Self::Maui => self.names().any(|known| known.eq_ignore_ascii_case(base)),
            _ => self.names().any(|known| known == name),
        }
    }

    /// What its names are, in a sentence.
    pub(super) fn what(self) -> &'static str {
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
