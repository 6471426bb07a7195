//! Options of loading.

use qscope_engine::cluster::Epoch;

/// Facts given by the caller, which override the files.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The time "now".
    pub now: Option<Epoch>,
    /// The zone of dates: an IANA name or an offset.
    pub zone: Option<String>,
    /// Name of the scheduler whose view is taken, if there are several.
    pub scheduler: Option<String>,
}

impl LoadOptions {
    /// Dates are of this zone; nothing else is known better.
    pub fn in_zone(zone: &str) -> Self {
        Self { zone: Some(zone.to_owned()), ..Self::default() }
    }
}
