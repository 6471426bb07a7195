//! Where settings stand in the files of a snapshot, once they were looked up.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::Name;
use qscope_source::as_read::SetAt;

/// Where the settings of a snapshot stand in its files: read at the first answer that names one, kept for the others.
#[derive(Clone, Debug, Default)]
pub struct SettingPlaces {
    /// Options of the scheduler, attributes of the server and of the scheduler object.
    pub(super) all: Vec<SetAt>,
    /// The attributes of each queue.
    pub(super) queues: FxHashMap<Name, Vec<SetAt>>,
}
