//! The state of a job: its letter, and its substate.

use strum::VariantArray;

/// State of a job, by its letter (rule 1.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, strum::VariantArray)]
pub enum JobState {
    /// `Q`: waiting.
    #[default]
    Queued,
    /// `R`: running.
    Running,
    /// `T`: in transit from or to another queue.
    Transit,
    /// `H`: held.
    Held,
    /// `W`: waiting for its execution time.
    Waiting,
    /// `E`: exiting.
    Exiting,
    /// `S`: suspended.
    Suspended,
    /// `U`: suspended because a workstation is in use.
    UserSuspended,
    /// `B`: an array with subjobs started.
    Begun,
    /// `X`: a subjob that has ended.
    Expired,
    /// `F`: finished, from history.
    Finished,
    /// `M`: moved to another server.
    Moved,
}

impl JobState {
    /// Whether the job holds its nodes: running or exiting.
    pub fn has_nodes(self) -> bool {
        matches!(self, Self::Running | Self::Exiting)
    }

    /// Whether the job waits for nodes: queued, or an array that has begun.
    pub fn is_queued(self) -> bool {
        matches!(self, Self::Queued | Self::Begun)
    }

    /// Whether the job has ended here, or was moved away.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Moved | Self::Expired)
    }

    /// Whether the job is suspended, by the scheduler or a user.
    pub fn is_suspended(self) -> bool {
        matches!(self, Self::Suspended | Self::UserSuspended)
    }

    /// Returns the state of a letter.
    pub fn from_letter(letter: &str) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|state| letter.chars().eq([state.letter()]))
    }

    pub fn letter(self) -> char {
        match self {
            Self::Queued => 'Q',
            Self::Running => 'R',
            Self::Transit => 'T',
            Self::Held => 'H',
            Self::Waiting => 'W',
            Self::Exiting => 'E',
            Self::Suspended => 'S',
            Self::UserSuspended => 'U',
            Self::Begun => 'B',
            Self::Expired => 'X',
            Self::Finished => 'F',
            Self::Moved => 'M',
        }
    }
}

/// Substate number; only a few values are used (rule 1.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Substate(pub u32);

impl Substate {
    /// Suspended by the scheduler.
    pub const SCHED_SUSPENDED: Self = Self(45);
}
