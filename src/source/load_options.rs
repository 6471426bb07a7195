//! What the caller of the readers decides.

use qscope_engine::cluster::Epoch;

/// What the caller knows better than the files.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The moment everything is about.
    pub now: Option<Epoch>,
    /// The zone of dates: an IANA name or an offset.
    pub zone: Option<String>,
    /// Which scheduler's view to take, when there are several.
    pub scheduler: Option<String>,
}

impl LoadOptions {
    /// Dates are of this zone; nothing else is known better.
    pub fn in_zone(zone: &str) -> Self {
        Self { zone: Some(zone.to_owned()), ..Self::default() }
    }
}
