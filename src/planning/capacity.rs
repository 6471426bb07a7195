//! Estimates how many nodes of which type would start these jobs in time: bin packing with time, and the
//! scaler around it.
//!
//! The scaler is modelled on a published one for clouds; [`estimate::Fidelity`] states whether its defects
//! are followed or corrected. Read [`packer`] first, then [`estimate`], [`fleet`] and [`closed_loop`].

pub mod amounts;
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

pub use amounts::PackingAmounts;
pub use closed_loop::{LoopEnd, LoopOutcome, LoopState};
pub use demand::Demand;
pub use estimate::{EstimateOptions, Estimator, Fidelity, LostCycle, NodeEstimate, UnfitShape};
pub use fit::Lack;
pub use measure::{Milli, PackingNumber};
pub use node_type::NodeType;
pub use offers::VnodeOffers;
pub use packer::{PackError, Packer, PackerPlacement, PackingRules, TypeIx};
pub use question::{
    CapacityAnswer, CapacityCase, CapacityQuestion, ChunkPlacement, TypeNeed, UnplaceableShape,
};
pub use report::{CapacityReport, DrainedNode};
pub use runtime::{RuntimeSource, Runtimes, WallTimeGuess};
pub use services::ServiceCheck;
pub use shape::{CapacityShape, ShapeError, ShapeKey, TypeSetIx};
pub use shape_list::ShapeList;
pub use supply::TypeSupply;
