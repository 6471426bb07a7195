//! The node under the map's cursor: its state, jobs and amounts, and what it lacks for the selected job; in one line or
//! in its own pane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw_context::DrawContext;
use crate::bucket_names::BucketNames;
use crate::layout::{Pane, indented_inner_area};
use crate::node_map::bucket_of;
use crate::story::{Paragraph, Story, TextPiece, rest_leading_to};
use crate::theme::{Role, Theme};
use crate::views::nodes::use_words;
use crate::views::{Object, ViewContext, names};
use crate::widgets::frame;
use crate::widgets::text::clean;
use crate::wording;
use qscope_engine::cluster::{JobId, Node, short_id};
use qscope_engine::cycle::Run;
use qscope_engine::placement::{PlacementPath, why_not};
use qscope_engine::universe::{Bit, Occupant, State};
use qscope_explain::decision::NodeTest;
use qscope_explain::{standing_starts, unmet_on_node};

/// Maximum number of lines about the chunks of a job.
const MAX_CHUNKS: usize = 3;

/// A node at one moment of a cycle.
struct NodeFacts<'a> {
    run: &'a Run,
    state: &'a State,
    /// Number of jobs considered by that moment.
    considered_jobs: usize,
    /// The selected job.
    job: Option<JobId>,
    bit: Bit,
}

impl<'a> NodeFacts<'a> {
    fn of(drawing: DrawContext<'a>, bit: Bit) -> Self {
        let screen = drawing.screen();
        let job = screen.outcome().map(|outcome| outcome.job);
        Self {
            run: screen.run(),
            state: drawing.state(),
            considered_jobs: screen.subject_state.position(),
            job,
            bit,
        }
    }

    /// The node at the position, for the selected job.
    fn at(cx: ViewContext<'a>, bit: Bit) -> Self {
        let job = cx.subject().map(|outcome| outcome.job);
        Self { run: cx.run(), state: cx.state(), considered_jobs: cx.position(), job, bit }
    }

    fn node(&self) -> &'a Node {
        self.run.plan.node(self.bit)
    }

    /// The jobs on the node: those of the dump, and those that the cycle started there before this moment and that were
    /// not preempted since.
    fn jobs(&self) -> Vec<String> {
        let short = |name: &str| short_id(name).to_owned();
        let mut jobs: Vec<String> = self.node().jobs.iter().map(|name| short(name)).collect();
        for step in standing_starts(self.run, self.considered_jobs) {
            let placed = step.outcome.placed.iter().flat_map(|placed| &placed.allocation.pieces);
            if placed.into_iter().any(|piece| piece.bit == self.bit) {
                let how = if self.run.is_refused(&step.outcome) { "refused by server" } else { "started" };
                jobs.push(format!("{} ({how})", short(&step.outcome.name(&self.run.plan.snap))));
            }
        }
        jobs
    }

    /// Name, amount in use and total of each consumable.
    fn amounts(&self) -> Vec<(String, String, String)> {
        let (plan, bit) = (&self.run.plan, self.bit);
        let amount_of = |ix| {
            let total = plan.capacity.available(ix, bit);
            let resource = plan.consumables.resource(ix);
            let kind = plan.snap.catalogue.kind(resource);
            let used = self.state.occupancy.assigned[ix][plan.capacity.keeper(ix, bit)];
            let name = plan.snap.catalogue.name(resource).to_string();
            (!total.is_nan()).then(|| (name, wording::part(kind, used), wording::amount(kind, total)))
        };
        plan.consumables.ids().filter_map(amount_of).collect()
    }

    /// For each chunk of the job's select, its number and what the node lacks for it; `None` if it fits.
    fn lacks(&self) -> Vec<(usize, Option<String>)> {
        let plan = &self.run.plan;
        let Some(job) = self.job else { return Vec::new() };
        let Ok(request) = plan.request(job, self.state.ledger.preempted[job]) else { return Vec::new() };
        let path = self
            .run
            .outcome(job)
            .and_then(|outcome| outcome.would_use)
            .map_or(PlacementPath::Node, |use_| use_.path);
        // Further conditions: queue or partition, exclusive use, what is planned there.
        let mut others = unmet_on_node(self.state, job, path, self.run.plan.nodes[self.bit].id).into_iter();
        let lack = |(at, spec): (usize, &qscope_engine::universe::Spec)| {
            let reason = why_not(self.state, spec.shape, self.bit);
            let words = reason.map(|reason| wording::short_reason(&plan.snap.catalogue, &reason.not_now()));
            let other = others.next().flatten();
            (at + 1, words.or(other))
        };
        request.specs.iter().enumerate().map(lack).collect()
    }

    /// Whether each chunk of the job fits: chunks with the same result share a line, and the last line counts the rest.
    fn chunk_lines(&self) -> Vec<(Role, String)> {
        let job = self.job.map_or("", |job| self.run.plan.job(job).short_name());
        let lacks = self.lacks();
        let same: Vec<&[(usize, Option<String>)]> = lacks.chunk_by(|(_, a), (_, b)| a == b).collect();
        let shown = if same.len() <= MAX_CHUNKS { same.len() } else { MAX_CHUNKS - 1 };
        let line = |same: &&[(usize, Option<String>)]| {
            let ((first, lacks), (last, _)) = (same.first()?, same.last()?);
            let chunks =
                if first == last { format!("chunk {first}") } else { format!("chunks {first}-{last}") };
            Some(match lacks {
                Some(words) => (Role::NodeRejected, format!("{chunks} of {job}: {words}")),
                None => (Role::NodeFree, format!("{chunks} of {job}: fits")),
            })
        };
        let mut lines: Vec<(Role, String)> = same.iter().take(shown).filter_map(line).collect();
        let rest: Vec<&(usize, Option<String>)> = same.iter().skip(shown).copied().flatten().collect();
        if !rest.is_empty() {
            let fit = rest.iter().filter(|(_, lacks)| lacks.is_none()).count();
            let text = format!("{} of {job}: {fit} fit", wording::count(rest.len(), "more chunk"));
            lines.push((if fit > 0 { Role::NodeFree } else { Role::NodeRejected }, text));
        }
        lines
    }

    fn lines(&self) -> Vec<(Role, String)> {
        let (state, plan, node) = (self.state, &self.run.plan, self.node());
        let mut lines = vec![(Role::Text, format!("state    {}", use_words(self.state, self.bit)))];
        lines.extend(self.chunk_lines());
        let jobs = self.jobs();
        let jobs = if jobs.is_empty() { "none".to_owned() } else { jobs.join(" ") };
        lines.push((Role::Text, format!("jobs     {jobs}")));
        let bucket = bucket_of(state, self.bit).map_or("in none".to_owned(), |ix| {
            BucketNames::of(state).full_name(&state.buckets[ix].name(plan))
        });
        lines.push((Role::Text, format!("bucket   {bucket}")));
        for (name, used, total) in self.amounts() {
            lines.push((Role::Text, format!("{name:<8} {used} of {total} used")));
        }
        for event in state.node_events[self.bit].iter().flat_map(|events| events.iter()).take(4) {
            let who = match event.occupant {
                Occupant::Job(job, _) => format!("job {}", plan.job(job).short_name()),
                Occupant::Reservation(id) => {
                    format!("reservation {}", short_id(&plan.snap.reservations[id].name))
                }
            };
            let at = wording::clock(&plan.snap, event.at);
            lines.push((Role::NodeLater, format!("later    {who} at {at}")));
        }
        let sets: Vec<&str> = state.set_names(self.bit).into_iter().map(|name| &**name).take(8).collect();
        if !sets.is_empty() {
            lines.push((Role::Text, format!("sets     {}", sets.join(" "))));
        }
        if let Some(queue) = &node.queue {
            lines.push((Role::Text, format!("queue    {queue}")));
        }
        if let Some(published) = &node.extra.published {
            let value = |(name, value): (&String, &String)| format!("{name} {value}");
            let values: Vec<String> = published.values.iter().map(value).collect();
            lines.push((Role::Text, format!("elim     {}", values.join(", "))));
        }
        lines.push((Role::TextDim, format!("sharing  {}", node.sharing.word())));
        lines.push((Role::TextDim, format!("rank     {} in the scheduler's node order", self.bit.0 + 1)));
        if let Some(comment) = &node.comment {
            lines.push((Role::TextDim, format!("comment  {comment}")));
        }
        lines
    }
}

/// The node in one line: `n7 free; jobs 12 15; ncpus 4 of 8 used; chunk 1: ncpus 8 requested, 4 left of 8`.
pub(super) fn one_line(drawing: DrawContext<'_>) -> Option<String> {
    let bit = drawing.view.node()?;
    let facts = NodeFacts::of(drawing, bit);
    let mut text =
        format!("{} {}", drawing.view.node_name(drawing.cx.plan())?, use_words(drawing.state(), bit));
    if let Some(word) = decision_word(drawing) {
        text.push_str(&format!(", {word}"));
    }
    let jobs = facts.jobs();
    if !jobs.is_empty() {
        text.push_str(&format!("; jobs {}", jobs.join(" ")));
    }
    for (part, lacks) in facts.lacks().into_iter().take(3) {
        if let Some(words) = lacks {
            text.push_str(&format!("; chunk {part}: {words}"));
        }
    }
    for (name, used, total) in facts.amounts() {
        text.push_str(&format!("; {name} {used} of {total} used"));
    }
    Some(clean(&text).into_owned())
}

/// What the decision did with the node.
fn decision_word(drawing: DrawContext<'_>) -> Option<&'static str> {
    match drawing.view.map.role(drawing.view.map_state.line, drawing.view.map_state.node)? {
        Role::NodeTaken => Some("taken by this decision"),
        Role::NodeRejected => Some("refused in this step"),
        Role::NodeFree | Role::NodeLater if !state_is_free(drawing) => {
            Some("free in the bitmap, busy on the node")
        }
        Role::NodeLater => Some("planned later"),
        _ => None,
    }
}

fn state_is_free(drawing: DrawContext<'_>) -> bool {
    drawing.view.node().is_some_and(|bit| drawing.state().occupancy.states[bit].is_free())
}

/// Draws the node's pane.
pub(super) fn draw(context: DrawContext<'_>, area: Rect, buf: &mut Buffer) {
    let focused = context.has_focus(Pane::Side);
    let title =
        context.view.node_name(context.cx.plan()).map_or("Node".to_owned(), |name| format!("Node {name}"));
    let inner = frame::pane(area, buf, context.theme, &title, "", focused);
    let Some(bit) = context.view.node() else {
        frame::empty(
            inner,
            buf,
            context.theme,
            &["No node is under the map's cursor.", "Tab goes to the map."],
        );
        return;
    };
    let mut lines = NodeFacts::of(context, bit).lines();
    let test = context.view.descent.as_ref().and_then(|descent| descent.depth()?.test.as_ref());
    if let Some((_, test)) = test.filter(|(of, _)| *of == bit) {
        lines.splice(1..1, tested(test));
    }
    if let Some(word) = decision_word(context) {
        lines.insert(1, (Role::Heading, format!("         {word}")));
    }
    draw_lines(&lines, indented_inner_area(area), buf, context.theme);
}

/// Every condition that a node passes or fails inside a decision, and what would have to be different.
fn tested(test: &NodeTest) -> Vec<(Role, String)> {
    let mut lines = vec![(Role::Text, format!("asks     {}", test.part))];
    for one in &test.conditions {
        let (role, word) = if one.passed { (Role::TextDim, "passes") } else { (Role::NodeRejected, "fails") };
        let found = if one.found.is_empty() { String::new() } else { format!(": {}", one.found) };
        lines.push((role, format!("{word:<8} {}{found}", one.label)));
    }
    let rule = test.conditions.iter().find(|one| !one.passed).map(|one| one.rule);
    lines.extend(rule.map(|rule| (Role::TextDim, format!("rule     {rule}"))));
    lines.extend(test.would_pass.iter().map(|would| (Role::Heading, format!("would    pass if {would}"))));
    lines
}

/// Draws everything about a node at the position.
pub(crate) fn draw_facts(cx: ViewContext<'_>, bit: Bit, area: Rect, buf: &mut Buffer) {
    draw_lines(&NodeFacts::at(cx, bit).lines(), area, buf, cx.theme);
}

/// The same lines, each with its area and with links from the names in it.
pub(crate) fn lines_with_areas(cx: ViewContext<'_>, bit: Bit, area: Rect) -> Vec<(Story, Rect)> {
    let facts = NodeFacts::at(cx, bit);
    let whole = Object::Node(cx.plan().node_name(bit).to_string());
    let line = |(role, text): &(Role, String)| {
        rest_leading_to(TextPiece::linked(*role, text, names::of(&[], text, cx)), whole.clone())
    };
    place_lines(facts.lines().iter().map(line).collect(), area)
}

/// Column at which the values of the lines begin.
const VALUE: usize = 9;

/// Draws the lines of a pane.
fn draw_lines(lines: &[(Role, String)], area: Rect, buf: &mut Buffer, theme: &Theme) {
    frame::left_out(lines.len().saturating_sub(usize::from(area.height)), area, buf, theme);
    let lines = lines.iter().map(|(role, text)| vec![TextPiece::of(*role, text)]).collect();
    for (story, place) in place_lines(lines, area) {
        story.draw(0, place, buf, theme);
    }
}

/// Lays out the lines of a pane: a long one wraps into spare rows, and is cut where there are none.
fn place_lines(lines: Vec<Vec<TextPiece>>, area: Rect) -> Vec<(Story, Rect)> {
    let width = usize::from(area.width);
    let mut spare = usize::from(area.height).saturating_sub(lines.len());
    let mut rows = area.rows();
    let mut placed = Vec::new();
    for pieces in lines {
        let mut story = Story::new(vec![Paragraph::words(VALUE, pieces.clone())]);
        story.fit(width);
        let mut more = story.lines().len().saturating_sub(1);
        if more > spare {
            story = Story::new(vec![Paragraph::Line(pieces)]);
            story.fit(width);
            more = 0;
        }
        spare -= more;
        let Some(place) = rows.by_ref().take(more + 1).reduce(Rect::union) else { break };
        placed.push((story, place));
    }
    placed
}
