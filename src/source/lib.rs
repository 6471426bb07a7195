//! Reads files: a folder of dumps becomes a [`Snapshot`].
//!
//! Bytes come in through [`Files`], from a folder or from memory. A reader per form (`json`, `text`) turns them into
//! `record`s of one type; a decoder per kind of object types the records. Anything unusual is reported in the
//! snapshot's diagnostics, with file and place, and everything else still loads.

pub mod accounting;
mod archive;
pub mod as_read;
mod assemble;
pub mod attributes;
mod bounds;

mod choice;
mod clock;
pub mod collect;
pub mod config;
mod context;
mod cross;
#[cfg(test)]
mod damage;
pub mod dedicated;
mod dsv;
mod dump_kind;
mod error;
pub mod file_lines;
mod files;
mod foreign;
mod guesses;
mod hand_written;
pub mod holidays;
mod identity;
mod intake;
mod job;
mod json;
mod limits;
mod load_options;
mod log;
mod made_with;
mod maui_cfg;
mod memory;
mod native;
mod need;
mod node;
mod origins;
mod overview;
mod partition;
mod progress;
mod published;
mod qmgr;
mod queue;
mod reader;
mod record;
mod reservation;
mod resource_defs;
mod rows_by_name;
pub mod sample;
mod scan;
pub mod sched_config;
pub mod sched_log;
mod schedselect;
mod scheduler;
mod server;
mod setting;
pub mod shares;
mod tally;
mod text;
pub mod toml_form;
mod torque;
pub mod watch;
mod whole_number;
mod zone;

pub use archive::ArchiveLimits;
pub use assemble::{load, load_again};
pub use bounds::ReadLimits;
pub use clock::SIMULATION;
pub use dump_kind::FileUse;
pub use error::SourceError;
pub use files::Files;
pub use files::disk::{Disk, RealDisk};
pub use intake::{IntakeOutcome, SchedLogSource, gather};
pub use job::array_indices;
pub use json::has_json_end;
pub use load_options::LoadOptions;
pub use made_with::MADE_WITH;
pub use memory::ReadCache;
pub use need::check_memory;
pub use progress::ReadProgressCallback;
pub use qscope_engine::cluster::Flavour;
pub use schedselect::{old_style, submitted};
pub use setting::{PolicyWord, SettingEdits, SettingError, complete};
pub use tally::{DecodedTally, RecordState, Strip, StripCell};
pub use torque::{TorqueRequests, extension};
pub use zone::civil_time;

use std::path::Path;

use qscope_engine::cluster::Snapshot;

/// Loads the cluster in a folder.
///
/// # Errors
/// If the folder cannot be read, or has no vnodes in any readable form. Everything else that is missing or broken
/// becomes a diagnostic of the snapshot.
pub fn load_folder(path: &Path, options: &LoadOptions) -> Result<Snapshot, SourceError> {
    load(&Files::from_folder(path)?, options)
}
