//! The selected set in full: its place, its sums, its nodes, and the result for the job.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::job_trial::{JobSetTrial, ordinal, sums};
use super::layout::DETAIL;
use super::{PoolsView, cells};
use crate::layout::indented_inner_area;
use crate::set_counts;
use crate::theme::{Role, Theme};
use crate::views::ViewContext;
use crate::widgets::frame;
use crate::wording;
use qscope_engine::cluster::ResourceId;
use qscope_engine::universe::{PlacementSet, SetIx, State};

impl PoolsView {
    pub(super) fn render_detail(
        &self,
        area: Rect,
        buf: &mut Buffer,
        cx: ViewContext<'_>,
        job: Option<&JobSetTrial<'_>>,
    ) {
        let theme = cx.theme;
        let state = cx.state();
        let found = self
            .set()
            .and_then(|line| Some((line, state.sets.checked(line.ix)?, state.pools.checked(line.pool)?)));
        let Some((line, set, pool)) = found else {
            frame::pane(area, buf, theme, "No set under the cursor", "", false);
            return;
        };
        let place = format!("tried {} of {}", ordinal(line.place), pool.order.len());
        let place = match self.usual.get(&line.ix) {
            Some(usual) if pool.ranks.is_some() => {
                format!("{place} · without the key {}", ordinal(usual.place))
            }
            None if pool.ranks.is_some() => format!("{place} · no set without the key"),
            _ => place,
        };
        frame::pane(area, buf, theme, &set.shape.name, &place, false);
        let inner = indented_inner_area(area);
        let (amounts, nodes) = (amounts(state, line.ix), self.nodes(state, set, inner.width, theme));
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

/// The usual amounts of a set: what is assigned, the total, and what the scheduler counts where that is another amount.
fn amounts(state: &State, at: SetIx) -> String {
    let (set, catalogue) = (&state.sets[at], &state.plan.snap.catalogue);
    let amount = |resource| {
        let [all, _, left] = sums(state, at, resource)?;
        let (assigned, counted) = set_counts::shown_amounts(state, set, resource)?;
        let name = catalogue.name(resource);
        Some(match counted {
            Some(counted) => {
                format!("{name} {assigned} of {all} assigned; PBS counts {counted}, {left} left")
            }
            None => format!("{name} {assigned} of {all} assigned, {left} left"),
        })
    };
    let amounts = [ResourceId::ncpus(), ResourceId::mem()].into_iter().filter_map(amount);
    // If its count of nodes lags, the cause is stated there.
    let why = set_counts::count_difference_reason(state, set, ResourceId::ncpus());
    let why = why.filter(|_| !state.counts_of(set).is_outdated()).map(str::to_owned);
    amounts.chain(why).collect::<Vec<_>>().join(" · ")
}

impl PoolsView {
    /// Its nodes, and the scheduler's count of them. If the count lags, it is stated instead of the pictures, one of
    /// which is in the list above as well.
    fn nodes(&self, state: &State, set: &PlacementSet, columns: u16, theme: &Theme) -> String {
        let names = wording::node_list(&state.plan, &set.shape.members);
        let counted = set_counts::nodes(state, set);
        if state.counts_of(set).is_outdated() {
            return format!("{counted}: {names}");
        }
        let room = usize::from(columns / 3).min(set.total_nodes());
        let map = cells::map(state, set, (room, &self.taken), theme);
        format!("{map} {} {counted}: {names}", cells::bar(set, 10, theme))
    }
}
