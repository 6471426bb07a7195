//! Obsolete names of options, and remarks about options.

use super::value::list;
use qscope_engine::cluster::Severity;

/// A remark about one option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OptionRemark {
    /// How bad it is.
    pub severity: Severity,
    /// Code for the kind of problem.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
}

impl OptionRemark {
    /// Something was not read.
    pub(crate) fn error(code: &'static str, message: String) -> Self {
        Self { severity: Severity::Error, code, message }
    }

    /// Something is not interpreted as written.
    pub(crate) fn warning(code: &'static str, message: String) -> Self {
        Self { severity: Severity::Warning, code, message }
    }

    /// Something worth knowing.
    pub(crate) fn note(code: &'static str, message: String) -> Self {
        Self { severity: Severity::Note, code, message }
    }
}

/// Names that the scheduler ignores with a warning, and their replacements.
pub(super) const OBSOLETE: &[(&str, &str)] = &[
    ("help_starving_jobs", "eligible_time in job_sort_formula"),
    ("max_starve", "eligible_time in job_sort_formula"),
    ("sort_queues", "by_queue with queue priorities"),
    ("node_group_key", "the attribute node_group_key of the server or a queue"),
    ("log_filter", "the attribute log_events of the scheduler object"),
    ("preempt_queue_prio", "the attribute of the scheduler object"),
    ("preempt_prio", "the attribute of the scheduler object"),
    ("preempt_order", "the attribute of the scheduler object"),
    ("preempt_sort", "the attribute of the scheduler object"),
    ("half_life", "fairshare_decay_time and fairshare_decay_factor"),
];

/// Returns the remark about an option that was read, if any.
pub(super) fn remark_on(name: &str, value: &str) -> Option<OptionRemark> {
    let (code, text) = match name {
        "strict_fifo" => ("obsolete-option", "is obsolete but still in force; instead use strict_ordering"),
        "backfill" => ("obsolete-option", "is obsolete; instead use backfill_depth=0 on the server"),
        "sort_nodes" => ("obsolete-option", "is obsolete; instead use node_sort_key"),
        "node_group_sort_key" | "node_group_sort_tuples" | "node_group_sort_text" => (
            "not-in-any-scheduler",
            "was designed but never shipped: the real scheduler does not know it, so it counts only in \
             policy.toml or with --semantics design",
        ),
        "server_dyn_res" => ("dynamic-resource", "names a program; what it would print is not known here"),
        "peer_queue" => ("peer-queue", "is not modelled: jobs of other servers are not seen"),
        "resources" => return embedded_words(value),
        _ => return None,
    };
    Some(OptionRemark::warning(code, format!("`{name}: {value}` {text}")))
}

/// Warns if the scheduler does not add host or vnode, because the text contains those letters anywhere (rule 1.11).
fn embedded_words(value: &str) -> Option<OptionRemark> {
    let word = ["host", "vnode"]
        .into_iter()
        .find(|word| value.contains(word) && !list(value).iter().any(|name| &**name == *word))?;
    let message = format!(
        "`{word}` stands in the `resources` line only as part of a longer name: the scheduler does not add it \
         and requests for {word} are ignored"
    );
    Some(OptionRemark::warning("resources-line", message))
}
