//! The fifteen components of PRIORITYF (rule 2.5).

/// One component of a priority function. Memory, disk and swap are in MB.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[repr(u8)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Component {
    /// Free local disk.
    Adisk,
    /// Free memory.
    Amem,
    /// Configured minus dedicated processors.
    Aprocs,
    /// Free virtual memory.
    Aswap,
    /// Configured local disk.
    Cdisk,
    /// Configured memory.
    Cmem,
    /// Configured processors.
    Cprocs,
    /// Configured virtual memory.
    Cswap,
    /// Number of jobs on the node.
    JobCount,
    /// Load average.
    Load,
    /// Whether the job prefers the node.
    Pref,
    /// The administrator's constant.
    Priority,
    /// Whether reservations draw the job to the node.
    ResAffinity,
    /// Processor speed in MHz where set, else relative speed.
    Speed,
    /// Share of up-time spent on batch jobs, in percent.
    Usage,
}

impl Component {
    /// All components in the order of the manual.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Finds a component by its word, in any case.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|component| component.word().eq_ignore_ascii_case(word))
    }

    /// Returns whether the component is only known for now and counts 0 for a later start.
    pub fn is_now_only(self) -> bool {
        matches!(
            self,
            Self::Adisk | Self::Amem | Self::Aprocs | Self::Aswap | Self::JobCount | Self::Load | Self::Usage
        )
    }
}
