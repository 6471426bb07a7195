//! A cluster without placement sets: why there are none, and which resources could group its nodes.
//!
//! ```text
//! There are no placement sets: node_group_enable is off.
//! All nodes: 9 free 3 part 16 full 4 out, 143 of 448 ncpus left in service
//!
//! resources that could group the nodes
//! switch    4 values on 32 of 32 nodes   8 nodes a value at most
//! ```

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::story::{Paragraph, Story, TextPiece};
use crate::theme::Theme;
use crate::views::ViewContext;
use crate::widgets::frame;
use crate::wording;
use qscope_engine::cluster::{Name, ResourceId, ResourceType};
use qscope_engine::universe::{NodeUse, State};

/// Maximum number of resources named.
const MAX_RESOURCES: usize = 12;

/// A resource whose values could be placement sets.
#[derive(Debug)]
struct CandidateResource {
    name: Name,
    values: usize,
    /// Number of nodes with a value.
    nodes: usize,
    /// Number of nodes with the most frequent value.
    largest: usize,
}

/// The text for a cluster without placement sets.
#[derive(Debug)]
pub(super) struct NoSetsNotice {
    why: &'static str,
    /// The use of all nodes, and the amounts left.
    together: String,
    nodes: usize,
    candidates: Vec<CandidateResource>,
    settings: String,
}

impl NoSetsNotice {
    /// Describes the cluster as read.
    pub(super) fn of(cx: ViewContext<'_>) -> Self {
        let snap = cx.snapshot();
        let is_on = snap.server.node_group_enable;
        let why = wording::no_sets(&snap.server);
        let texts = snap
            .catalogue
            .iter()
            .filter(|(_, def)| matches!(def.kind, ResourceType::Text | ResourceType::TextArray));
        let mut candidates: Vec<CandidateResource> =
            texts.filter_map(|(resource, _)| candidate(cx, resource)).collect();
        candidates.sort_by(|a, b| (b.nodes, &a.name).cmp(&(a.nodes, &b.name)));
        candidates.truncate(MAX_RESOURCES);
        let key = candidates.first().map_or("", |first| &*first.name);
        let enable = if is_on { "" } else { "= server.node_group_enable=True, then " };
        let settings = format!("To see what sets would change: {enable}= node_group_key={key}");
        let together = one_pool_text(cx.state());
        Self { why, together, nodes: snap.nodes.len(), candidates, settings }
    }

    pub(super) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        if self.candidates.is_empty() {
            let none = "No resource has values that would group the nodes.";
            return frame::empty(area, buf, theme, &[self.why, &self.together, none]);
        }
        let name = self.candidates.iter().map(|one| one.name.len()).max().unwrap_or(0).clamp(8, 24);
        let row = |one: &CandidateResource| {
            let values = wording::count(one.values, "value");
            let nodes = format!("on {} of {}", one.nodes, wording::count(self.nodes, "node"));
            let most = wording::count(one.largest, "node");
            let text = format!("{:<name$}  {values:>12} {nodes:<24} at most {most} a value", one.name);
            Paragraph::Line(vec![TextPiece::plain(text)])
        };
        let mut lines = vec![
            Paragraph::words(0, [TextPiece::dim(self.why)]),
            Paragraph::words(2, [TextPiece::plain(&self.together)]),
            Paragraph::Blank,
            Paragraph::words(2, [TextPiece::dim("resources that could group the nodes")]),
        ];
        lines.extend(self.candidates.iter().map(row));
        lines.extend([Paragraph::Blank, Paragraph::words(2, [TextPiece::dim(&self.settings)])]);
        Story::new(lines).render(area, buf, theme);
    }
}

/// The nodes as one pool at this moment; nodes out of service do not count.
fn one_pool_text(state: &State) -> String {
    let plan = &state.plan;
    let of_nodes = format!("All nodes: {}", wording::by_use(state.node_counts()));
    let Some(ix) = plan.consumables.ix(ResourceId::ncpus()) else { return of_nodes };
    let in_service = plan.nodes.ids().filter(|bit| state.node_use(*bit) != NodeUse::Out);
    let amounts =
        in_service.map(|bit| (state.occupancy.left(plan, ix, bit), plan.capacity.contribution(ix, bit)));
    let known = amounts.filter(|(left, all)| left.is_finite() && all.is_finite());
    let (left, all) = known.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    format!("{of_nodes}, {left} of {all} ncpus left in service")
}

/// A resource with at least two values, one of them on more than one node; hosts do not count as sets.
fn candidate(cx: ViewContext<'_>, resource: ResourceId) -> Option<CandidateResource> {
    let snap = cx.snapshot();
    let name = snap.catalogue.name(resource).clone();
    if matches!(&*name, "host" | "vnode" | "arch") {
        return None;
    }
    let mut by_value: BTreeMap<&str, usize> = BTreeMap::new();
    let mut nodes = 0;
    for value in snap.nodes.iter().filter_map(|node| node.available.get(resource)) {
        nodes += usize::from(!value.texts().is_empty());
        for text in value.texts() {
            *by_value.entry(text).or_default() += 1;
        }
    }
    let largest = by_value.values().copied().max()?;
    (by_value.len() > 1 && largest > 1).then_some(CandidateResource {
        name,
        values: by_value.len(),
        nodes,
        largest,
    })
}
