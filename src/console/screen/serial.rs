//! Identities of what comes and goes on the screen.

use std::sync::atomic::{AtomicU64, Ordering};

/// The identity of a snapshot on the screen, or of its analysis. Unlike an address, it is not used again for another one
/// after the first was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Serial(u64);

impl Serial {
    /// Returns an identity that no other call returns.
    pub(super) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
