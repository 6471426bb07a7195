//! The set under the cursor in full: its place, its sums, its nodes, and the result for the job.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::meeting::{Meeting, ordinal, sums};
use super::parts::DETAIL;
use super::{Pools, cells};
use crate::layout::inside_indented;
use crate::node_map::set_role;
use crate::theme::{Role, Theme};
use crate::views::World;
use crate::widgets::frame;
use crate::wording;
use qscope_engine::cluster::{Id, ResourceId};
use qscope_engine::universe::{Bit, NodeUse, PlacementSet, Slot, State};

impl Pools {
    pub(super) fn render_detail(
        &self,
        area: Rect,
        buf: &mut Buffer,
        world: World<'_>,
        theme: &Theme,
        job: Option<&Meeting<'_>>,
    ) {
        let state = world.state();
        let found = self
            .set()
            .and_then(|line| Some((line, state.sets.checked(line.ix)?, state.pools.checked(line.pool)?)));
        let Some((line, set, pool)) = found else {
            frame::pane(area, buf, theme, "No set under the cursor", "", false);
            return;
        };
        let place = format!("tried {} of {}", ordinal(line.place), pool.order.len());
        let place = match self.usual.get(&line.ix) {
            Some(usual) if pool.ranks.is_some() => format!("{place} · {} today", ordinal(usual.place)),
            None if pool.ranks.is_some() => format!("{place} · no set today"),
            _ => place,
        };
        frame::pane(area, buf, theme, &set.shape.name, &place, false);
        let inner = inside_indented(area);
        let catalogue = &state.plan.snap.catalogue;
        let amounts = [ResourceId::ncpus(), ResourceId::mem()].into_iter().filter_map(|resource| {
            let [all, assigned, unused] = sums(state, line.ix, resource)?;
            Some(format!("{} {all}: {assigned} assigned, {unused} unused", catalogue.name(resource)))
        });
        let amounts = amounts.collect::<Vec<_>>().join(" · ");
        let room = usize::from(inner.width / 3);
        let nodes = format!(
            "{} {} {} of {} free or part: {}{}",
            cells::map(state, set, room.min(set.total_nodes()), theme),
            cells::bar(set, 10, theme),
            set.free_nodes.max(0),
            wording::count(set.total_nodes(), "node"),
            wording::node_list(&state.plan, &set.shape.members),
            busy_elsewhere(state, set)
        );
        let verdict = job.and_then(|job| Some((job, job.verdict(line.pool, line.ix)?)));
        let verdict = verdict
            .map(|(job, (role, words))| (role, format!("{} job {}: {words}", theme.glyph(role), job.job)));
        let mut lines = vec![(Role::Text, amounts), (Role::Text, nodes)];
        lines.extend(verdict);
        if let Some(fragments) = self.fragments.as_ref().filter(|_| area.height > DETAIL) {
            lines.push((Role::Text, String::new()));
            lines.push((Role::TextDim, fragments.title().to_owned()));
            lines.extend(fragments.lines(inner.width, theme));
        }
        frame::lines_inside(inner, buf, theme, lines);
    }
}

/// The nodes that the set still has as free although a job has them: its bitmaps lag behind what the cycle gave away.
fn busy_elsewhere(state: &State, set: &PlacementSet) -> String {
    let is_free = |at: usize, bit: Bit| {
        matches!(set_role(state, set, Slot::at(at), bit), Role::NodeFree | Role::NodeLater)
    };
    let members = set.shape.members.iter().enumerate().filter(|(at, bit)| is_free(*at, **bit));
    let busy: Vec<Bit> =
        members.map(|(_, bit)| *bit).filter(|bit| state.node_use(*bit) == NodeUse::Full).collect();
    match wording::node_list(&state.plan, &busy) {
        _ if busy.is_empty() => String::new(),
        names => format!(" · ! free in the bitmap, busy on the node: {names}"),
    }
}
