//! Applies settings to a snapshot: first the edits, then the clock; and the allocation policies that replace the node
//! order.

use std::sync::Arc;

use qscope_engine::cluster::{JobState, Snapshot};
use qscope_engine::cycle::CycleStart;
use qscope_engine::universe::{NodeRanking, Quirks};
use qscope_explain::move_clock;
use qscope_planning::capacity::question::{CapacityCase, CapacityQuestion};
use qscope_planning::policies::{LocalHook, NodeChoice, PolicyRanking};
use qscope_source::{SettingEdits, SettingError, civil_time};

use crate::CommandHook;

/// A changed cluster, with the changes.
#[derive(Clone, Debug)]
pub struct ChangedCluster {
    /// The changed cluster.
    pub snapshot: Snapshot,
    /// The settings, each with its full key.
    pub settings: Vec<String>,
    /// Remarks about the settings.
    pub notes: Vec<String>,
}

/// Parses settings and applies them to a snapshot; without settings, it is unchanged.
///
/// # Errors
/// If a setting is invalid, or an allocation policy does not exist.
pub fn apply<T: AsRef<str>>(texts: &[T], snapshot: &Snapshot) -> Result<ChangedCluster, SettingError> {
    let texts: Vec<String> = texts.iter().map(|text| of_node_type(text.as_ref(), snapshot)).collect();
    let settings = SettingEdits::read(&texts, snapshot)?;
    for policy in settings.policies() {
        NodeChoice::parse(policy.word()).map_err(|why| policy.refused(why.to_string()))?;
    }
    let mut notes = settings.notes().to_vec();
    let mut changed = if texts.is_empty() { snapshot.clone() } else { snapshot.with(settings.edits()) };
    if let Some(at) = settings.at() {
        let before = running(&changed);
        changed = move_clock(changed, at);
        let ended = before - running(&changed);
        notes.push(format!(
            "the clock stands at {}: {} due by then ended, none arrived or started",
            civil_time(at, &changed.zone),
            qscope_explain::words::count(ended, "job"),
        ));
    }
    Ok(ChangedCluster { snapshot: changed, settings: settings.words().to_vec(), notes })
}

fn running(snapshot: &Snapshot) -> usize {
    snapshot.jobs.iter().filter(|job| job.state == JobState::Running).count()
}

/// Replaces the type of nodes as `capacity` names it by a vnode of that type, in a setting that adds nodes.
fn of_node_type(text: &str, snapshot: &Snapshot) -> String {
    let given = || {
        let (kind, count) = text.trim().strip_prefix("add_nodes.")?.rsplit_once('=')?;
        if snapshot.node_named(kind).is_some() {
            return None;
        }
        let question = CapacityQuestion::default();
        let case = CapacityCase::new(snapshot, &question).ok()?;
        let stock = case.stocks.iter().find(|stock| &*stock.node_type.name == kind)?;
        let model = snapshot.nodes.checked(*stock.hosts.first()?.first()?)?;
        Some(format!("add_nodes.{}={count}", model.name))
    };
    given().unwrap_or_else(|| text.to_owned())
}

/// Prepares the cycle of a snapshot, with the allocation policies set in it.
pub(crate) fn cycle_start(
    snapshot: Arc<Snapshot>,
    quirks: Quirks,
    local: Option<&CommandHook>,
) -> CycleStart {
    let hook = local.map(|hook| Arc::new(hook.clone()) as Arc<dyn LocalHook>);
    // Names of policies were checked when they were set.
    let ranking = PolicyRanking::of(&snapshot, hook).ok().flatten();
    CycleStart::ranked(snapshot, quirks, ranking.map(|ranking| Arc::new(ranking) as Arc<dyn NodeRanking>))
}
