//! `qscope buckets`: the node buckets as bitmaps, in the order tried, at the start of the cycle or around one step.

mod json;
mod text;

use clap::Args;
use std::sync::Arc;

use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::{Id, JobId};
use qscope_engine::cycle::{Debugger, StepIx};
use qscope_engine::universe::{Bit, State};
use qscope_explain::{BucketMap, BusyLaterReason, busy_later};
use qscope_session::Generation;

use super::arguments::ClusterArgs;
use super::plain::{self, NoVerdictsSubject};
use super::{open, output};

pub(super) use json::{BucketJson, buckets_json};

/// The arguments of `buckets`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope buckets /var/spool/qscope --after 4711")]
pub(super) struct BucketsArgs {
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// The buckets of this placement set, such as switch=sw1, instead of those of the complex.
    #[arg(long, value_name = "NAME")]
    pub pset: Option<String>,
    /// Show the buckets before and after the step that considers this job (the last one, if several do), with the
    /// bits that it moves.
    #[arg(long, value_name = "JOB")]
    pub after: Option<String>,
}

/// Prints the buckets.
///
/// # Errors
/// If the input is bad, there is no such set, the job is not considered, or the output cannot be written.
pub(super) fn run(args: &BucketsArgs) -> Result<u8> {
    let form = &args.cluster.at.form;
    let generation = open::what_if(&args.cluster)?;
    if let Some(code) = plain::answer_plain_of_nodes(&generation, form.json, NoVerdictsSubject::Queue)? {
        return Ok(code);
    }
    let after = args.after.as_deref().map(|name| open::step_after(&generation, name)).transpose()?;
    let views = views(&generation, args.pset.as_deref(), after.map(|(_, step)| step))?;
    if form.json {
        output::print_json_list(&generation, &json::list(&generation, &views, after.map(|(job, _)| job)))?;
    } else {
        output::print_about(&generation, &text::page(&generation, &views, after))?;
    }
    Ok(0)
}

/// The buckets at one moment.
struct BucketsView {
    state: State,
    map: BucketMap,
}

/// Returns the view at the start of the cycle, or those before and after the step of a job.
fn views(generation: &Generation, set: Option<&str>, step: Option<StepIx>) -> Result<Vec<BucketsView>> {
    let mut debugger = Debugger::new(Arc::clone(&generation.run));
    let positions = step.map_or_else(|| vec![0], |step| vec![step.ix(), step.ix() + 1]);
    let mut views = Vec::with_capacity(2);
    for position in positions {
        debugger.seek(position);
        let state = debugger.snapshot_state();
        let map = BucketMap::of(&state, set).ok_or_else(|| no_set(&state, set.unwrap_or_default()))?;
        views.push(BucketsView { state, map });
    }
    Ok(views)
}

/// Returns the busy-later nodes of a bucket, with what starts there: those that were so when the job was considered,
/// and those that its own step made so, which do not affect it.
fn later_nodes(
    views: &[BucketsView],
    bucket: usize,
    job: Option<JobId>,
) -> Vec<(Bit, BusyLaterReason, Option<JobId>)> {
    let mut found: Vec<(Bit, BusyLaterReason, Option<JobId>)> = Vec::new();
    for (view, job) in views.iter().zip([job, None]) {
        for at in view.map.buckets.get(bucket).iter().flat_map(|bucket| &bucket.busy_later) {
            let Some(bit) = view.map.array.get(*at).copied() else { continue };
            if found.iter().any(|(known, ..)| *known == bit) {
                continue;
            }
            found.extend(busy_later(&view.state, bit, job).map(|later| (bit, later, job)));
        }
    }
    found
}

fn no_set(state: &State, name: &str) -> color_eyre::Report {
    let mut known: Vec<String> = state
        .pools
        .iter()
        .flat_map(|pool| pool.order.iter().map(|set| state.sets[*set].shape.name.to_string()))
        .collect();
    known.dedup();
    match known.is_empty() {
        true => eyre!("--pset {name}: there are no placement sets"),
        false => {
            eyre!("--pset {name}: no such set; known are {}", qscope_explain::words::first_names(&known, 12))
        }
    }
}
