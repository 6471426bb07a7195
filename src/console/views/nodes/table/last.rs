//! The last columns: what a node belongs to, and its comment.

use super::cells::{amounts, consumable, record};
use super::{NodeLineColumn, NodeLineRef, NodeTable};
use crate::theme::Role;
use crate::views::ViewContext;
use crate::views::records::{key, show};
use crate::widgets::table::{Cell, Width};
use qscope_engine::universe::{Bit, NodeUse, State};
use qscope_explain::{listed_words, occupant_name};
use qscope_session::node_facts::exclusive_users;
use qscope_session::query::QueryRecord;

/// Minimum width for whole words in the comment.
const ROOMY: u16 = 100;

/// Minimum width for more than the comment.
const WIDE: u16 = 160;

/// The last columns of a table of that width, without those that would be empty.
pub(super) fn last<'a>(
    table: &'a NodeTable,
    state: &'a State,
    cx: ViewContext<'a>,
    width: u16,
) -> Vec<NodeLineColumn<'a>> {
    let snap = &state.plan.snap;
    let record = record(state);
    let text = move |field: &'static str| {
        move |line: NodeLineRef<'a>| {
            Cell::new(record(line).fact(field).map_or_else(String::new, |fact| show(&fact, snap)))
        }
    };
    let mut columns = Vec::new();
    if width >= WIDE && table.has_queues {
        columns.push(NodeLineColumn::words("queue", Width::Between(6, 10), 30, text("queue")));
    }
    if width >= WIDE && table.has_sets {
        columns.push(NodeLineColumn::words("set", Width::Between(8, 20), 35, text("set")));
    }
    if width >= WIDE {
        let priority = NodeLineColumn::numbers("prio", 5, 25, text("priority"));
        columns.push(priority.sorted_by(move |line: NodeLineRef<'a>| key(record(line).fact("priority"))));
    }
    let whole = if width >= ROOMY { "taken whole by" } else { "whole:" };
    columns.push(NodeLineColumn::words("comment", Width::Fill(8), 55, move |line: NodeLineRef<'a>| {
        match record(line).fact("comment") {
            Some(fact) => Cell::new(show(&fact, snap)),
            None => {
                let kept = keeper_text(state, line.bit, cx);
                Cell::of(
                    Role::TextDim,
                    kept.or_else(|| whole_words(table, state, (whole, line.bit))).unwrap_or_default(),
                )
            }
        }
    }));
    columns
}

/// The job that keeps a node without a comment of its own.
fn keeper_text(state: &State, bit: Bit, cx: ViewContext<'_>) -> Option<String> {
    let job = state.plan.node(bit).jobs.first().filter(|_| state.is_kept(bit))?;
    let known = cx.job_named(job).map(|id| cx.snapshot().jobs[id].state);
    Some(format!("kept by job {}", listed_words(job, known)))
}

/// States who uses a node exclusively, after the given words, if cpus are left on it.
fn whole_words(table: &NodeTable, state: &State, (words, bit): (&str, Bit)) -> Option<String> {
    let (used, all) = amounts(state, bit, consumable(&state.plan, "ncpus"))?;
    if table.uses[bit] != NodeUse::Full || used >= all {
        return None;
    }
    let whole_by = table.whole_by.get_or_init(|| exclusive_users(state));
    let who = (*whole_by.checked(bit)?)?;
    Some(format!("{words} {}", occupant_name(&state.plan, who)))
}
