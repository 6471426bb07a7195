//! How many nodes of which kind would start these jobs in time: bin packing with time, and the scaler
//! around it.
//!
//! The scaler is modelled on a published one for clouds; [`estimate::Fidelity`] states whether its defects
//! are followed or corrected. Read [`packer`] first, then [`estimate`], [`fleet`] and [`closed_loop`].

pub mod closed_loop;
pub mod demand;
pub mod entry;
pub mod estimate;
pub mod fit;
pub mod fleet;
pub mod measure;
pub mod node_type;
pub mod offers;
pub mod overhead;
pub mod packer;
pub mod question;
pub mod report;
pub mod room;
pub mod rounding;
pub mod runtime;
pub mod services;
pub mod shape;
pub mod shape_list;
pub mod supply;
pub mod sweep;
mod timeline;
pub mod types_file;
pub mod volume;
mod window;
pub mod words;
