//! The time windows of queues: dedicated, prime and non-prime time (rule 6.7).

use crate::cluster::Policy;

/// The time windows of a queue, by the prefix of its name. An empty prefix matches every queue, so without prefixes
/// in `sched_config` every queue has all three windows and nothing runs outside dedicated time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueueWindow {
    /// Runs in dedicated time only.
    pub dedicated: bool,
    /// Runs in prime time only.
    pub prime: bool,
    /// Runs in non-prime time only.
    pub non_prime: bool,
}

impl QueueWindow {
    /// Returns the windows of the queue with this name.
    pub fn of(name: &str, policy: &Policy) -> Self {
        Self {
            dedicated: name.starts_with(&*policy.dedicated_prefix),
            prime: name.starts_with(&*policy.primetime_prefix),
            non_prime: name.starts_with(&*policy.nonprimetime_prefix),
        }
    }

    /// Whether it runs in prime and non-prime time alike.
    pub fn is_anytime(self) -> bool {
        !self.prime && !self.non_prime
    }

    /// Whether its jobs may cross between prime and non-prime time (`prime_exempt_anytime_queues`).
    pub fn is_exempt(self, policy: &Policy) -> bool {
        policy.prime_exempt_anytime_queues && self.is_anytime()
    }
}
