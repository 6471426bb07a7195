//! Reads the scheduler's own options: `sched_config` (rule 1.11).
//!
//! A line is `name: value [period]`; `line` parses it, and `option` sets the option. A bad line is reported with its
//! number and left out, as the scheduler itself does, and the option keeps its previous value.

mod line;
mod option;
mod remark;
pub(crate) mod value;

pub(crate) use line::Scope;
use option::set_or_ask;
pub(crate) use option::{accumulates, clear, set};
pub(crate) use remark::OptionRemark;

use crate::attributes::OPTIONS;
use qscope_engine::cluster::did_you_mean;
use qscope_engine::cluster::{
    ByPeriod, Diagnostic, FilePosition, Name, NodeSortKey, Policy, Severity, SmpDist,
};

/// Whether the scheduler has or had an option of this name, or one that is spelled similarly.
pub(crate) fn is_option(name: &str) -> bool {
    let names = || OPTIONS.iter().map(|row| row.name);
    names().any(|known| known == name)
        || remark::OBSOLETE.iter().any(|(old, _)| *old == name)
        || !did_you_mean::question(name, names()).is_empty()
}

/// Number of unknown options after which no similar names are searched, since the file is then probably a different
/// one.
const ASKED: usize = 100;

/// Reads the whole file, starting from [`Policy::program_defaults`].
pub fn read(text: &[u8], file: &str, out: &mut Vec<Diagnostic>) -> Policy {
    let text = String::from_utf8_lossy(text);
    let mut policy = Policy::program_defaults();
    let file: Name = file.into();
    let mut add = |number: Option<usize>, remark: OptionRemark| {
        let spot = number.map_or(FilePosition::File, FilePosition::Line);
        out.push(Diagnostic::new(remark.severity, remark.code, file.clone(), spot, remark.message));
    };
    let (mut seen, mut unknown) = (Vec::new(), 0);
    for (number, line) in line::join(&text) {
        let remark = match line::split(&line) {
            Ok(None) => None,
            Ok(Some(entry)) => {
                seen.push(entry.name.to_owned());
                let remark = set_or_ask(&mut policy, entry.name, &entry.value, entry.scope, unknown < ASKED);
                unknown += usize::from(remark.as_ref().is_some_and(|remark| remark.code == "unknown-option"));
                remark
            }
            Err(message) => Some(OptionRemark::error("config-line", message)),
        };
        if let Some(remark) = remark {
            add(Some(number), remark);
        }
    }
    for remark in missing_prefixes(&seen).chain(pack_if_sorted_per_job(&mut policy)) {
        add(None, remark);
    }
    policy
}

/// Returns the options that lines set, each with the number of its line.
pub(crate) fn lines_of(text: &[u8]) -> Vec<(String, usize)> {
    let text = String::from_utf8_lossy(text);
    let entry = |(number, line): &(usize, std::borrow::Cow<'_, str>)| {
        let entry = line::split(line).ok()??;
        Some((entry.name.to_owned(), *number))
    };
    line::join(&text).iter().filter_map(entry).collect()
}

/// Reports missing prefixes: a missing option leaves an empty prefix, which matches every queue (rule 6.7).
fn missing_prefixes(seen: &[String]) -> impl Iterator<Item = OptionRemark> {
    ["primetime_prefix", "nonprimetime_prefix", "dedicated_prefix"]
        .into_iter()
        .filter(|name| !seen.iter().any(|have| have == name))
        .map(|name| {
            OptionRemark::note(
                "prefix-missing",
                format!("`{name}` is missing: its empty prefix matches every queue"),
            )
        })
}

/// Makes `smp_cluster_dist` fall back to pack if nodes are sorted for every job (rule 1.11).
pub(crate) fn pack_if_sorted_per_job(policy: &mut Policy) -> Option<OptionRemark> {
    let keys = &policy.node_sort_key;
    let per_job = keys.both_periods().into_iter().flatten().any(NodeSortKey::is_per_job);
    let packed = ByPeriod::both(SmpDist::Pack);
    if !per_job || policy.smp_cluster_dist == packed {
        return None;
    }
    policy.smp_cluster_dist = packed;
    Some(OptionRemark {
        severity: Severity::Warning,
        code: "smp-cluster-dist",
        message: "`smp_cluster_dist` is taken as pack, because a node_sort_key looks at unused or assigned \
                  amounts"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests;
