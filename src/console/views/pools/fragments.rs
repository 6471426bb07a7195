//! The fragmentation of one pool, shown if the cursor is on its head: for jobs of 1, 2, 4 … whole nodes, how many fit
//! within one set, compared with how many would fit if sets did not matter.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::tree::owner;
use crate::layout::cells;
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use crate::widgets::text::{Align, fit};
use crate::wording;
use qscope_engine::universe::{PoolIx, State};
use qscope_explain::{FragmentFit, Fragmentation, LargestFreeSet, pool_fragmentation};

/// Maximum number of sets that can be analysed between two key presses.
const MAX_SETS: usize = 20_000;

/// The text about one pool.
#[derive(Debug)]
pub(super) struct FragmentationText {
    title: String,
    /// The text above the sizes, and the lines below them.
    heading: String,
    text_lines: Vec<(Role, String)>,
    fragmentation: Option<Fragmentation>,
}

impl FragmentationText {
    /// Analyses the free nodes of a pool in this state.
    pub(super) fn of(state: &State, at: PoolIx) -> Self {
        let pool = &state.pools[at];
        let title = format!("Free nodes of the pool of {}", owner(state, pool));
        if pool.order.len() > MAX_SETS {
            let words = format!(
                "{} are too many to look through here: qscope pools --fragmentation",
                wording::count(pool.order.len(), "set")
            );
            return Self { title, heading: words, text_lines: Vec::new(), fragmentation: None };
        }
        let found = pool_fragmentation(state, at, &[]);
        let largest = match &found.largest {
            Some(LargestFreeSet { name, nodes }) if *nodes > 0 => {
                format!("the most in one set: {nodes} in {name}")
            }
            _ => "none of them in a set".to_owned(),
        };
        let nodes = wording::count(found.nodes, "node");
        let heading = format!("{} of {nodes} free; {largest}", found.free);
        let text_lines = unusable_text(state, &found);
        Self { title, heading, text_lines, fragmentation: Some(found) }
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// Number of rows, with the frame.
    pub(super) fn height(&self) -> u16 {
        let sizes = self.fragmentation.as_ref().map_or(0, |found| found.sizes.len() + 1);
        cells(1 + sizes + self.text_lines.len() + 2)
    }

    pub(super) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let inner = frame::pane(area, buf, theme, &self.title, "", false);
        frame::lines_inside(inner, buf, theme, self.lines(inner.width, theme));
    }

    /// The lines in `columns` columns: free nodes, how many jobs of each size fit, and which nodes are stranded.
    pub(super) fn lines(&self, columns: u16, theme: &Theme) -> Vec<(Role, String)> {
        let bar = usize::from(columns).saturating_sub(NUMBERS).min(60);
        let found = self.fragmentation.iter().filter(|found| !found.sizes.is_empty());
        let sizes = found.flat_map(|found| {
            let heading = ["in one set", "sets or not", "of no use"].map(str::to_owned);
            let heading = (Role::TextDim, line("nodes", "jobs that fit now", bar, heading));
            let row = |size: &FragmentFit| {
                let numbers = [size.jobs_within_sets, size.jobs_without_sets, size.unusable_nodes]
                    .map(|n| n.to_string());
                let nodes = size.nodes.to_string();
                (Role::Text, line(&nodes, &fit_bar(*size, bar, theme), bar, numbers))
            };
            std::iter::once(heading).chain(found.sizes.iter().map(row))
        });
        let head = std::iter::once((Role::Text, self.heading.clone()));
        head.chain(sizes).chain(self.text_lines.iter().cloned()).collect()
    }
}

/// Columns of a line without its bar.
const NUMBERS: usize = 7 + 12 + 13 + 11 + 1;

fn line(nodes: &str, bar: &str, room: usize, [in_sets, anywhere, useless]: [String; 3]) -> String {
    let bar = fit(bar, room, Align::Left, "");
    format!("{nodes:>6} {bar}{in_sets:>12}{anywhere:>13}{useless:>11}")
}

/// A bar of the jobs that fit within one set, out of those that would fit anywhere.
fn fit_bar(fit: FragmentFit, room: usize, theme: &Theme) -> String {
    if fit.jobs_without_sets == 0 {
        return String::new();
    }
    let part = (fit.jobs_within_sets * room).div_ceil(fit.jobs_without_sets).min(room);
    format!("{}{}", theme.glyph(Role::Gauge).repeat(part), theme.by_set("·", ".").repeat(room - part))
}

/// Free nodes that the smallest waiting job cannot use, and those in no set.
fn unusable_text(state: &State, found: &Fragmentation) -> Vec<(Role, String)> {
    let plan = &state.plan;
    let nodes = |n: usize| wording::count(n, "node");
    let mut lines = Vec::new();
    let smallest = found.smallest.map(|(job, needs)| {
        format!("job {}, the smallest that waits ({needs}+ nodes)", plan.job(job).short_name())
    });
    lines.push(match smallest {
        None => (Role::TextDim, "no job waits that a set of this pool could hold".to_owned()),
        Some(job) if found.stranded.is_empty() => {
            (Role::TextDim, format!("no node is stranded: each helps {job}"))
        }
        Some(job) => {
            let names = wording::node_list(plan, &found.stranded);
            let them = nodes(found.stranded.len());
            (Role::Changed, format!("{them} stranded, in no set that holds {job}: {names}"))
        }
    });
    if !found.in_no_set.is_empty() {
        let names = wording::node_list(plan, &found.in_no_set);
        lines.push((
            Role::Changed,
            format!("{} free in no set at all: {names}", nodes(found.in_no_set.len())),
        ));
    }
    lines
}
