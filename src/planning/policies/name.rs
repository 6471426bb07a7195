//! The nine policies by name.

/// One of Maui's node allocation policies.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Debug,
    Default,
    Hash,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "UPPERCASE")]
pub enum PolicyName {
    /// Nodes in the order of the node dump.
    FirstAvailable,
    /// Nodes whose next reservation starts soonest after the job's end: best fit in time.
    #[default]
    LastAvailable,
    /// Nodes by a formula of the site.
    Priority,
    /// Nodes with the most idle CPUs.
    CpuLoad,
    /// Nodes with the fewest configured resources.
    MinResource,
    /// Neighbouring nodes.
    Contiguous,
    /// Nodes of similar speed.
    MaxBalance,
    /// The fastest nodes.
    Fastest,
    /// A program of the site.
    Local,
}

/// A name is not a usable policy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PolicyNameError {
    #[error("`{0}` is no node allocation policy; known are {known}", known = PolicyName::list())]
    Unknown(String),
    /// The word is in Maui's manual but was never implemented.
    #[error("`{0}` was never implemented in Maui")]
    NeverImplemented(String),
}

impl PolicyName {
    /// All policies in the order of Maui's manual.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns Maui's own word.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Finds a policy by its word, in any case; Moab's later names are accepted too.
    ///
    /// # Errors
    /// There is no policy of that name.
    pub fn parse(word: &str) -> Result<Self, PolicyNameError> {
        let upper = word.trim().to_ascii_uppercase();
        let canonical = match upper.as_str() {
            "INREPORTEDORDER" => "FIRSTAVAILABLE",
            "INREVERSEREPORTEDORDER" => "LASTAVAILABLE",
            "CUSTOMPRIORITY" => "PRIORITY",
            "PROCESSORLOAD" => "CPULOAD",
            "MINIMUMCONFIGUREDRESOURCES" => "MINRESOURCE",
            "PROCESSORSPEEDBALANCE" => "MAXBALANCE",
            "NODESPEED" => "FASTEST",
            "PLUGIN" => "LOCAL",
            "MINLOCAL" | "MINGLOBAL" | "FIRSTSET" => {
                return Err(PolicyNameError::NeverImplemented(word.to_owned()));
            }
            other => other,
        };
        let found = Self::ALL.iter().copied().find(|policy| policy.word() == canonical);
        found.ok_or_else(|| PolicyNameError::Unknown(word.to_owned()))
    }

    /// Returns in one line what the policy prefers.
    pub fn prefers(self) -> &'static str {
        match self {
            Self::FirstAvailable => "nodes in the order of the dump",
            Self::LastAvailable => "the smallest gap to the next reservation",
            Self::Priority => "the highest PRIORITYF",
            Self::CpuLoad => "the most idle cpus",
            Self::MinResource => "the fewest configured resources, equals in reverse order of the dump",
            Self::Contiguous => "neighbouring positions",
            Self::MaxBalance => "nodes of equal speed",
            Self::Fastest => "the fastest nodes",
            Self::Local => "the choice of the site's own program",
        }
    }

    /// Returns what Maui 3.3.2 does instead of what its manual states (rule 1.12), if anything.
    pub fn maui_deviation(self) -> Option<&'static str> {
        Some(match self {
            Self::FirstAvailable => "Maui 3.3.2 would ignore reservation affinity",
            Self::LastAvailable => {
                "Maui 3.3.2 would take the longest window first, and reverse dump order for later starts"
            }
            Self::Priority => "Maui 3.3.2 would use relative SPEED only and USAGE as a fraction",
            Self::CpuLoad => "Maui 3.3.2 would use only nodes within 0.1 of the best, else fail",
            Self::MinResource => "Maui 3.3.2 would see all memory above 4096 MB as equal",
            Self::MaxBalance => "Maui 3.3.2 would take the slowest nodes first, without looking for balance",
            Self::Contiguous | Self::Fastest => return None,
            Self::Local => "Maui 3.3.2's shipped hook always fails",
        })
    }

    /// Returns the names, separated by commas.
    pub(super) fn list() -> String {
        Self::ALL.iter().map(|policy| policy.word()).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_any_case_and_later_names_are_known() {
        for policy in PolicyName::ALL.iter().copied() {
            assert_eq!(PolicyName::parse(&policy.word().to_lowercase()), Ok(policy));
        }
        assert_eq!(PolicyName::parse("NODESPEED"), Ok(PolicyName::Fastest));
        assert!(matches!(PolicyName::parse("FIRSTSET"), Err(PolicyNameError::NeverImplemented(_))));
        assert!(PolicyName::parse("fastes").unwrap_err().to_string().contains("known are FIRSTAVAILABLE"));
    }
}
