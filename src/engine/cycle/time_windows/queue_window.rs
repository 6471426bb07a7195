//! Which queues belong to dedicated, prime and non-prime time (rule 6.7).

use crate::cluster::Policy;

/// The times a queue is for, by the prefixes of its name. An empty prefix matches every queue, so without
/// prefixes in `sched_config` every queue is of all kinds, and nothing runs outside dedicated time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueueWindow {
    /// Only for dedicated time.
    pub dedicated: bool,
    /// Only for prime time.
    pub prime: bool,
    /// Only for non-prime time.
    pub non_prime: bool,
}

impl QueueWindow {
    /// The times of the queue of this name.
    pub fn of(name: &str, policy: &Policy) -> Self {
        Self {
            dedicated: name.starts_with(&*policy.dedicated_prefix),
            prime: name.starts_with(&*policy.primetime_prefix),
            non_prime: name.starts_with(&*policy.nonprimetime_prefix),
        }
    }

    /// Whether it is for prime and non-prime time alike.
    pub fn is_anytime(self) -> bool {
        !self.prime && !self.non_prime
    }

    /// Whether its jobs may cross from one into the other (`prime_exempt_anytime_queues`).
    pub fn is_exempt(self, policy: &Policy) -> bool {
        policy.prime_exempt_anytime_queues && self.is_anytime()
    }
}
