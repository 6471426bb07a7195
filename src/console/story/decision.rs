//! A decision laid out as paragraphs, from the lines of the [engine](qscope_explain::decision::decision_lines).

mod checks;

use crate::bucket_names::BucketNames;
use crate::theme::Role;
use crate::wording;
use qscope_engine::cluster::{Job, Seconds};
use qscope_engine::cycle::{Outcome, Verdict};
use qscope_engine::placement::PlacementPath;
use qscope_engine::universe::Rejection;
use qscope_explain::BucketBits;
use qscope_explain::decision::{DecisionLine, DecisionPart, DecisionTraceRef, decision_lines};

use super::{Paragraph, Story, TextPiece, offers};

/// Maximum number of chunks of a select that are shown; the level below a decision has them all.
const MAX_PARTS: usize = 4;
/// Maximum number of pieces of an allocation that are shown.
const MAX_PIECES: usize = 24;

/// Indent of the text of a stage, in columns.
const LABEL: usize = 13;

/// Returns the decision on a job; `moved` has the buckets around its step. If there is room, the rule is shown with its
/// sentence, and each check in a line of its own.
pub(crate) fn decision(subject: DecisionTraceRef<'_>, outcome: &Outcome, moved: &[BucketBits]) -> Story {
    let mut story = DecisionWriter { subject, outcome, moved, paragraphs: Vec::new() };
    story.headline(false);
    story.request();
    story.checks();
    let short = std::mem::take(&mut story.paragraphs);
    story.headline(true);
    story.request();
    story.checks_in_lines();
    let roomy = std::mem::take(&mut story.paragraphs);
    story.decision();
    story.placed();
    story.quirks();
    story.scheduler();
    let rest = story.paragraphs;
    let with_rest = |mut head: Vec<Paragraph>| {
        head.extend(rest.iter().cloned());
        head
    };
    Story::new(with_rest(short)).with_roomy(with_rest(roomy))
}

/// Returns what is known of a decision before its step has been examined again on every vnode.
pub(crate) fn decision_to_come(
    subject: DecisionTraceRef<'_>,
    outcome: &Outcome,
    moved: &[BucketBits],
) -> Story {
    let mut story = DecisionWriter { subject, outcome, moved, paragraphs: Vec::new() };
    story.headline(true);
    story.request();
    let nodes = wording::count(subject.run.plan.nodes.len(), "vnode");
    story.words(0, vec![TextPiece::dim(format!("examining {nodes} ..."))]);
    story.placed();
    Story::new(story.paragraphs)
}

/// Selects the visible chunks of a long select: the first few, and those that found no nodes.
#[derive(Default)]
struct VisibleChunks {
    seen: usize,
    skipped: usize,
    skipping: bool,
}

impl VisibleChunks {
    fn is_part(line: &DecisionLine) -> Option<Option<bool>> {
        match line {
            DecisionLine::Stage { part: DecisionPart::Chunk, passed, .. } => Some(*passed),
            _ => None,
        }
    }

    /// Whether a line belongs to a chunk that is not shown.
    fn skips(&mut self, line: &DecisionLine) -> bool {
        if let Some(passed) = Self::is_part(line) {
            self.seen += 1;
            self.skipping = self.seen > MAX_PARTS && passed != Some(false);
            self.skipped += usize::from(self.skipping);
        } else if matches!(line, DecisionLine::Stage { .. }) {
            self.skipping = false;
        }
        self.skipping
    }

    /// Returns the number of chunks skipped before a line that is shown again.
    fn end(&mut self, line: &DecisionLine) -> Option<usize> {
        let ends = matches!(line, DecisionLine::Stage { .. }) && self.skipped > 0;
        ends.then(|| std::mem::take(&mut self.skipped))
    }
}

struct DecisionWriter<'a> {
    subject: DecisionTraceRef<'a>,
    outcome: &'a Outcome,
    /// The buckets around its step.
    moved: &'a [BucketBits],
    paragraphs: Vec<Paragraph>,
}

impl<'a> DecisionWriter<'a> {
    fn words(&mut self, hang: usize, pieces: Vec<TextPiece>) {
        self.paragraphs.push(Paragraph::words(hang, pieces));
    }

    fn blank(&mut self) {
        self.paragraphs.push(Paragraph::Blank);
    }

    /// Adds a line under a label: a sign for passed or failed, the label, and the text.
    fn stage(&mut self, passed: Option<bool>, label: &str, mut words: Vec<TextPiece>) {
        let label = format!("{label:<width$}", width = LABEL - 2);
        let head = match passed {
            Some(true) => TextPiece::signed(Role::VerdictRun, label),
            Some(false) => TextPiece::signed(Role::VerdictNever, label),
            None => TextPiece::dim(format!("  {label}")),
        };
        words.insert(0, head);
        self.words(LABEL, words);
    }

    fn job(&self) -> &'a Job {
        self.subject.run.plan.job(self.outcome.job)
    }

    fn reason(&self, rejection: &Rejection) -> String {
        rejection.full_comment(&self.subject.run.plan.snap.catalogue).trim_end().to_owned()
    }

    fn headline(&mut self, roomy: bool) {
        let outcome = self.outcome;
        let verdict = self.subject.run.verdict(outcome);
        let role = wording::verdict_role(verdict);
        let word = match verdict {
            Verdict::Run => "starts",
            _ if outcome.placed.is_some() => "refused by server",
            verdict => wording::verdict(verdict),
        };
        let mut pieces = vec![TextPiece::signed(role, word)];
        pieces.extend(
            self.subject.run.stop_rule(outcome).map(|rule| TextPiece::dim(format!(" · rule {}", rule.id()))),
        );
        pieces.push(TextPiece::dim(" · "));
        match outcome.would_use {
            Some(choice) => {
                let path_role = match choice.path {
                    PlacementPath::Bucket => Role::PathBucket,
                    PlacementPath::Node => Role::PathNode,
                };
                let would = if outcome.path.is_some() { "" } else { "would use the " };
                pieces.push(TextPiece::signed(path_role, format!("{would}{} path", choice.path.word())));
                let sentence = if roomy { format!(": {}", choice.rule.sentence()) } else { String::new() };
                pieces.push(TextPiece::dim(format!(" · rule {}{sentence}", choice.rule.id())));
            }
            None => pieces.push(TextPiece::dim("no path was entered")),
        }
        self.words(2, pieces);
        let result = self.result();
        self.words(2, vec![TextPiece::plain(result)]);
    }

    /// The full comment that the scheduler would write, or where the job starts.
    fn result(&self) -> String {
        let (run, outcome) = (self.subject.run, self.outcome);
        if let Some(placed) = &outcome.placed {
            let nodes = placed.allocation.nodes();
            let set = placed.set.as_ref().map(|set| format!(" in set {set}")).unwrap_or_default();
            let list = wording::node_list(&run.plan, &nodes);
            let until = self.end_text().map_or_else(String::new, |until| format!(" until {until}"));
            let on = format!("on {}{set} {list}{until}", wording::count(nodes.len(), "node"));
            return match run.is_refused(outcome) {
                true => format!("{}; placed {on}", wording::reason(run, outcome)),
                false => on,
            };
        }
        match (&outcome.rejection, run.excluded(outcome.job)) {
            (Some(rejection), None) => self.reason(rejection),
            (Some(rejection), Some(words)) => {
                format!("{}: {words}", self.reason(rejection).trim_end_matches('.'))
            }
            (None, words) => words.unwrap_or_else(|| "no reason recorded".to_owned()),
        }
    }

    /// When the job ends if it uses its whole walltime; `None` without a walltime.
    fn end_text(&self) -> Option<String> {
        let (run, outcome) = (self.subject.run, self.outcome);
        let request = run.plan.requests[outcome.job].as_ref().ok()?;
        let length = outcome.shrunk_to.unwrap_or(request.duration);
        let snap = &run.plan.snap;
        (length < Seconds::UNLIMITED).then(|| wording::clock(snap, snap.now + length))
    }

    fn request(&mut self) {
        let job = self.job();
        let Ok(request) = &self.subject.run.plan.requests[self.outcome.job] else { return };
        let asks = job
            .select
            .as_ref()
            .map_or_else(|| "?".to_owned(), |select| wording::select_words_within(select, "×", MAX_PARTS));
        let length = match request.duration {
            length if length >= Seconds::UNLIMITED => "no walltime".to_owned(),
            length => wording::duration(length),
        };
        let rest = format!("  {}  {length}  queue {}", request.place, job.queue);
        self.words(
            2,
            vec![TextPiece::dim(format!("{}  ", job.user)), TextPiece::plain(asks), TextPiece::dim(rest)],
        );
    }

    /// Adds the sets, the chunks of the select and what each was offered.
    fn decision(&mut self) {
        let mut parts = VisibleChunks::default();
        let result = self.result();
        for line in decision_lines(self.subject) {
            if parts.skips(&line) {
                continue;
            }
            if let Some(more) = parts.end(&line) {
                self.more_parts(more);
            }
            let rule = line.rule_words();
            match line {
                // Checks have a line above, and the nodes one below, as PBS writes them.
                DecisionLine::Stage { part: DecisionPart::Checks | DecisionPart::Placed, .. } => {}
                DecisionLine::Stage { passed, label, text, result_name, .. } => {
                    // The comment is already in the second line.
                    let text =
                        text.strip_suffix(&*result).and_then(|text| text.strip_suffix("; ")).unwrap_or(&text);
                    let mut words = vec![TextPiece::plain(text)];
                    if !result_name.is_empty() {
                        let role = if passed == Some(false) { Role::VerdictWait } else { Role::TextDim };
                        words.push(TextPiece::of(role, format!(" · {result_name}")));
                    }
                    if !rule.is_empty() {
                        words.push(TextPiece::dim(rule));
                    }
                    self.stage(passed, &label, words);
                }
                DecisionLine::Offers(level) => self.paragraphs.extend(offers::table(
                    &level,
                    self.moved,
                    &BucketNames::of(self.subject.state),
                )),
                DecisionLine::SkippedNode(node, why) => {
                    let pieces = vec![
                        TextPiece::plain("    "),
                        TextPiece::signed(Role::NodeRejected, node),
                        TextPiece::plain(format!(" {why}")),
                    ];
                    self.words(LABEL, pieces);
                }
                DecisionLine::MorePassedOver(more) => {
                    self.words(
                        LABEL,
                        vec![TextPiece::dim(format!("    and {more} more nodes, for the same reason"))],
                    );
                }
            }
        }
        if parts.skipped > 0 {
            self.more_parts(parts.skipped);
        }
    }

    fn more_parts(&mut self, more: usize) {
        let parts = wording::count(more, "more chunk");
        self.words(LABEL, vec![TextPiece::dim(format!("  {parts} of the select; i steps into them"))]);
    }

    fn placed(&mut self) {
        let Some(placed) = &self.outcome.placed else { return };
        let text = placed.allocation.exec_vnode_within(&self.subject.run.plan, MAX_PIECES);
        self.stage(Some(true), "exec_vnode", vec![TextPiece::plain(text)]);
    }

    fn quirks(&mut self) {
        let job = self.outcome.job;
        for witness in self.subject.run.witnesses.iter().filter(|witness| witness.job == job) {
            let words = vec![
                TextPiece::signed(Role::Warning, format!("quirk {}: ", witness.quirk.name())),
                TextPiece::plain(&witness.what),
                TextPiece::dim(format!(" · {}", witness.quirk.sentence())),
            ];
            self.words(2, words);
        }
    }

    /// Adds the comment in the dump, compared with the one of this cycle.
    fn scheduler(&mut self) {
        let Some(comment) = self.job().comment.as_deref().map(str::trim).filter(|text| !text.is_empty())
        else {
            return;
        };
        let catalogue = &self.subject.run.plan.snap.catalogue;
        let ours = self.outcome.rejection.as_ref().map(|rejection| rejection.comment(catalogue));
        let (role, agrees) = match ours {
            Some(ours) if ours.trim_end() == comment => (Role::VerdictRun, "agrees"),
            _ => (Role::Changed, "differs"),
        };
        self.blank();
        self.words(
            2,
            vec![
                TextPiece::dim("PBS comment: "),
                TextPiece::plain(comment),
                TextPiece::plain(" "),
                TextPiece::signed(role, agrees),
            ],
        );
    }
}
