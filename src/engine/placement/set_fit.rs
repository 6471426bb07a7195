//! How well a placement set fits a job, by the same numbers that the cycle compares, for examining many sets (rules
//! 3.9, 5.4).

use crate::universe::{AmountBasis, JobRequest, Occupant, PlacementSet, Reason, Shortage, State};

use super::path::PlacementPath;
use super::quick_check::check_sums;
use super::screen::chunk_count;
use super::set_list::own_nodes_queue;

/// The shortage of a set.
#[derive(Clone, PartialEq, Debug)]
pub enum SetShortage {
    Nodes {
        /// Number available.
        available: u64,
        /// Number requested.
        requested: u64,
    },
    /// Chunks of a chunk spec that its buckets hold.
    Chunks {
        /// Number that fit.
        fitting: u64,
        /// Number requested.
        requested: u64,
    },
    Resource(Shortage),
}

/// Whether a set can take a job.
#[derive(Clone, PartialEq, Debug)]
pub enum SetFit {
    /// It has enough now, judged by the set as a whole.
    Fits,
    /// It has enough in total, but not now.
    Short(SetShortage),
    /// Even its total is too small.
    TooSmall(SetShortage),
}

/// Returns how a set fits a job on the path that the job takes: by its sums on the node path, by the chunks its
/// buckets hold on the bucket path.
pub fn set_fit(
    state: &State,
    occupant: Occupant,
    request: &JobRequest,
    path: PlacementPath,
    set: &PlacementSet,
) -> SetFit {
    match path {
        PlacementPath::Node => by_sums(state, request, set),
        PlacementPath::Bucket => by_buckets(state, occupant, request, set),
    }
}

fn by_sums(state: &State, request: &JobRequest, set: &PlacementSet) -> SetFit {
    let spread = request.is_spread();
    let requested = if spread { request.total_chunks().max(1) } else { 1 };
    let lack = |reason| match reason {
        Reason::Resource(shortage) => SetShortage::Resource(shortage),
        Reason::NoFreeNodes => {
            SetShortage::Nodes { available: u64::try_from(set.free_nodes).unwrap_or(0), requested }
        }
        _ => SetShortage::Nodes { available: set.total_nodes() as u64, requested },
    };
    match check_sums(&state.plan, request, set, AmountBasis::Now) {
        Ok(()) => SetFit::Fits,
        Err(now) => match check_sums(&state.plan, request, set, AmountBasis::Total) {
            Ok(()) => SetFit::Short(lack(now)),
            Err(ever) => SetFit::TooSmall(lack(ever)),
        },
    }
}

fn by_buckets(state: &State, occupant: Occupant, request: &JobRequest, set: &PlacementSet) -> SetFit {
    let queue = own_nodes_queue(state, occupant);
    let mut fit = SetFit::Fits;
    for spec in request.specs.iter() {
        let room = chunk_count(&state.plan, queue, request.is_spread(), spec, set);
        let requested = u64::from(spec.count);
        if room.all == 0 || room.all < spec.count {
            return SetFit::TooSmall(SetShortage::Chunks { fitting: room.all.into(), requested });
        }
        if room.open < spec.count && fit == SetFit::Fits {
            fit = SetFit::Short(SetShortage::Chunks { fitting: room.open.into(), requested });
        }
    }
    fit
}
