//! Packing policies: the nodes that a class of jobs prefers, and those it closes to others.

use super::FarmError;
use qscope_engine::cluster::parse_duration;

/// The policy of a class of jobs (packing rule 1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum FarmPolicy {
    /// No policy: the least loaded node (the deck's "Other").
    #[default]
    Plain,
    /// Prefers nodes where jobs of its class run; keeps no class out.
    Relaxed,
    /// Prefers nodes where jobs of its class run, and keeps all others out of them.
    Exclusive,
    /// Prefers nodes where no job of its class runs (the deck's `PACKING_NONE`).
    #[strum(to_string = "none")]
    Spread,
    /// Like exclusive for this many seconds after a job of the class last started on the node, then like
    /// relaxed. 0 is relaxed.
    #[strum(to_string = "ttl:{0}")]
    Ttl(i64),
}

impl FarmPolicy {
    /// Reads `plain`, `relaxed`, `exclusive`, `none` (or `spread`), `ttl:SECONDS`, `ttl:inf`; the colon may
    /// be missing. An infinite lifetime is exclusive.
    ///
    /// # Errors
    /// The text is anything else.
    pub fn parse(text: &str) -> Result<Self, FarmError> {
        let unknown = || FarmError::Policy { found: text.to_owned() };
        Ok(match text {
            "plain" | "other" => Self::Plain,
            "relaxed" => Self::Relaxed,
            "exclusive" => Self::Exclusive,
            "none" | "spread" => Self::Spread,
            _ => {
                let rest = text.strip_prefix("ttl").ok_or_else(unknown)?;
                let rest = rest.strip_prefix([':', '=']).unwrap_or(rest);
                if matches!(rest, "inf" | "infinite" | "forever") {
                    Self::Exclusive
                } else {
                    Self::Ttl(whole_seconds(rest).ok_or_else(unknown)?)
                }
            }
        })
    }

    /// Returns whether jobs of the class prefer nodes where jobs of the class run.
    pub fn prefers_own_nodes(self) -> bool {
        matches!(self, Self::Relaxed | Self::Exclusive | Self::Ttl(_))
    }

    /// Returns whether the policy neither packs nor spreads.
    pub fn is_plain(self) -> bool {
        self == Self::Plain
    }

    /// Returns until when a node is held for a class whose clock there started at `anchor` (rule R6); none if
    /// it is never held.
    pub fn held_until(self, anchor: i64) -> Option<i64> {
        match self {
            Self::Exclusive => Some(i64::MAX),
            Self::Ttl(ttl) if ttl > 0 => Some(anchor.saturating_add(ttl)),
            _ => None,
        }
    }
}

/// Reads a duration as whole seconds.
pub fn whole_seconds(text: &str) -> Option<i64> {
    parse_duration(text).map(|seconds| seconds as i64)
}

/// The start from which the lifetime of a hold counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum HoldAnchor {
    /// The latest job of the class on the node: each start renews the hold (rule R6).
    #[default]
    Last,
    /// The first job since the class came to the node: the hold is not renewed.
    First,
}

/// Deviations of a simulation from the rules, all off by default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FarmOptions {
    /// The start from which the lifetime of a hold counts.
    pub anchor: HoldAnchor,
    /// Whether a job takes the fullest node with jobs of its class, not the least loaded one.
    pub fullest_first: bool,
    /// Whether the first job that cannot start stops all after it.
    pub fifo: bool,
    /// Jobs start only at multiples of this many seconds, as in a batch daemon with a cycle.
    pub cycle: Option<i64>,
    /// Jobs see the classes and holds of a node as of the last multiple of this many seconds, as a daemon
    /// publishes them: a hold that ends in between is seen at the next one.
    pub publish: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_reads_as_it_prints() {
        for text in ["plain", "relaxed", "exclusive", "none", "ttl:0", "ttl:300"] {
            assert_eq!(FarmPolicy::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(FarmPolicy::parse("ttl:inf").unwrap(), FarmPolicy::Exclusive);
        assert_eq!(FarmPolicy::parse("ttl3600").unwrap(), FarmPolicy::Ttl(3600));
        assert_eq!(FarmPolicy::parse("ttl:6h").unwrap(), FarmPolicy::Ttl(21_600));
        for wrong in ["", "ttl", "ttl:-1", "ttl:x", "packed", "ttl:99999999999999999999"] {
            assert!(FarmPolicy::parse(wrong).is_err(), "{wrong}");
        }
    }
}
