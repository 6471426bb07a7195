//! From a decision and what a listening probe heard to paragraphs.

use crate::cluster::{Job, JobId};
use crate::console::theme::Role;
use crate::console::wording;
use crate::cycle::{Outcome, Run, Stage, Standing, Verdict};
use crate::explain::{Attempt, Tier, attempts};
use crate::placement::Event;
use crate::universe::{Rejection, State};

use super::{Paragraph, Piece, buckets, nodes};

/// Whose story it is.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The cycle.
    pub run: &'a Run,
    /// What became of the job.
    pub outcome: &'a Outcome,
    /// The universe as the job found it.
    pub state: &'a State,
    /// What the probe heard when it was considered again; empty for jobs not considered.
    pub events: &'a [Event],
}

/// So many sets at most are told one by one before the last.
const SETS_MOST: usize = 60;

/// How far the words of a stage stand from the left.
pub(super) const LABEL: usize = 13;

/// Tells the decision.
#[must_use]
pub fn tell(subject: Subject<'_>) -> Vec<Paragraph> {
    let mut teller = Teller { subject, paragraphs: Vec::new() };
    teller.headline();
    teller.path_rule();
    teller.request();
    teller.before_any_path();
    teller.placement();
    teller.placed();
    teller.estimate();
    teller.quirks();
    teller.scheduler();
    teller.paragraphs
}

pub(super) struct Teller<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) paragraphs: Vec<Paragraph>,
}

impl<'a> Teller<'a> {
    pub(super) fn words(&mut self, hang: usize, pieces: Vec<Piece>) {
        self.paragraphs.push(Paragraph::Words { hang, pieces });
    }

    pub(super) fn blank(&mut self) {
        self.paragraphs.push(Paragraph::Blank);
    }

    /// A line under a label: a sign for passed or failed, the label, and the words.
    pub(super) fn stage(&mut self, passed: Option<bool>, label: &str, mut words: Vec<Piece>) {
        let label = format!("{label:<width$}", width = LABEL - 2);
        let head = match passed {
            Some(true) => Piece::signed(Role::VerdictRun, label),
            Some(false) => Piece::signed(Role::VerdictNever, label),
            None => Piece::dim(format!("  {label}")),
        };
        words.insert(0, head);
        self.words(LABEL, words);
    }

    fn job(&self) -> &'a Job {
        self.subject.run.plan.job(self.subject.outcome.job)
    }

    fn comment(&self, rejection: &Rejection) -> String {
        rejection.comment(&self.subject.run.plan.snap.catalogue).trim_end().to_owned()
    }

    fn headline(&mut self) {
        let outcome = self.subject.outcome;
        let role = wording::verdict_role(outcome.verdict);
        let mut pieces = vec![Piece::signed(role, wording::verdict(outcome.verdict).to_uppercase())];
        let path =
            outcome.path.map_or("no path was entered".to_owned(), |path| format!("{} path", path.word()));
        pieces.push(Piece::plain(format!(" · {path}")));
        if let Some(tier) = Tier::of(outcome) {
            pieces.push(Piece::dim(format!(" · {}", tier_words(tier))));
        }
        self.words(2, pieces);
        let said = self.said();
        self.words(2, vec![Piece::plain(said)]);
    }

    /// What the scheduler would write, or where the job starts.
    fn said(&self) -> String {
        let (run, outcome) = (self.subject.run, self.subject.outcome);
        if let Some(placed) = &outcome.placed {
            let nodes = placed.allocation.nodes();
            let set = placed.set.as_ref().map(|set| format!(" in set {set}")).unwrap_or_default();
            let list = wording::node_list(&run.plan, &nodes);
            return format!("starts on {}{set}: {list}", wording::count(nodes.len(), "node"));
        }
        let words = match &run.standing[outcome.job] {
            Standing::Out(_, words) => Some(words),
            _ => None,
        };
        match (&outcome.rejection, words) {
            (Some(rejection), None) => self.comment(rejection),
            (Some(rejection), Some(words)) => {
                format!("{}: {words}", self.comment(rejection).trim_end_matches('.'))
            }
            (None, words) => words.map_or_else(|| "nobody says why".to_owned(), Clone::clone),
        }
    }

    fn path_rule(&mut self) {
        let Some(choice) = self.subject.outcome.would_use else { return };
        let entered = self.subject.outcome.path.is_some();
        let role = match choice.path {
            crate::placement::Path::Bucket => Role::PathBucket,
            crate::placement::Path::Node => Role::PathNode,
        };
        let verb = if entered { "takes the" } else { "would take the" };
        let rule = choice.rule;
        self.words(
            2,
            vec![
                Piece::signed(role, format!("{verb} {} path", choice.path.word())),
                Piece::dim(format!(" · test {}: ", rule.number())),
                Piece::plain(rule.sentence()),
            ],
        );
    }

    fn request(&mut self) {
        let job = self.job();
        let Ok(request) = &self.subject.run.plan.requests[self.subject.outcome.job] else { return };
        let select = job.select.as_ref().map_or("?", |select| &*select.text);
        let whose = format!("{} asks ", job.user);
        let rest =
            format!(" · place={} · {} · queue {}", place_words(&request.place), request.duration, job.queue);
        self.words(2, vec![Piece::dim(whose), Piece::plain(select), Piece::dim(rest)]);
    }

    /// The checks before any path: those passed in one line, since the table of buckets deserves the room, and the
    /// one that failed.
    fn before_any_path(&mut self) {
        let (outcome, events) = (self.subject.outcome, self.subject.events);
        if outcome.verdict == Verdict::NotConsidered {
            return;
        }
        let class = |event: &'a Event| match event {
            Event::ClassShortcut { failed_first, rejection } => Some((failed_first, rejection)),
            _ => None,
        };
        if let Some((first, rejection)) = events.iter().find_map(class) {
            let words =
                format!("job {} asks for the same and was told: {}", short(first), self.comment(rejection));
            return self.stage(Some(false), "class", vec![Piece::plain(words)]);
        }
        let mut passed = vec![Piece::dim("no equal job has failed")];
        let mut failed = None;
        for event in events {
            if let Event::QuickCheck { free_nodes, total_nodes, chunks, rejection } = event {
                let chunks = wording::count(usize::try_from(*chunks).unwrap_or(usize::MAX), "chunk");
                let counted = format!("{free_nodes} of {total_nodes} nodes free, {chunks} wanted");
                match rejection {
                    Some(why) => failed = Some(("all nodes", format!("{counted} · {}", self.comment(why)))),
                    None => passed.extend([Piece::dim("; "), Piece::plain(counted)]),
                }
            }
        }
        match (outcome.turned_away_by, &outcome.rejection) {
            (Some(Stage::AllNodes), _) => {}
            (Some(stage), Some(why)) => failed = Some((stage_label(stage), self.comment(why))),
            _ => passed.push(Piece::dim("; no limit or time window in the way")),
        }
        self.stage(Some(true), "checks", passed);
        if let Some((label, words)) = failed {
            self.stage(Some(false), label, vec![Piece::plain(words)]);
        }
    }

    fn placement(&mut self) {
        if self.subject.outcome.path.is_none() {
            return;
        }
        let attempts = attempts(self.subject.events);
        let left = attempts.len().saturating_sub(SETS_MOST + 1);
        for (at, attempt) in attempts.iter().enumerate() {
            // The first ones, how many are left out, and the last.
            if at < SETS_MOST || at + 1 == attempts.len() {
                self.attempt(attempt);
            } else if at == SETS_MOST {
                self.stage(None, "sets", vec![Piece::dim(format!("and {left} more, likewise"))]);
            }
        }
    }

    fn attempt(&mut self, attempt: &Attempt<'_>) {
        match attempt {
            Attempt::TooSmall(name, rejection) => {
                let numbers = rejection.reason.text(&self.subject.run.plan.snap.catalogue);
                let words =
                    vec![Piece::plain(&**name), Piece::dim(format!(" too small: {}", numbers.trim_end()))];
                self.stage(Some(false), "set", words);
            }
            Attempt::Spanning => self.stage(
                None,
                "sets",
                vec![Piece::plain("none could ever hold it, and it may span: all nodes are tried")],
            ),
            Attempt::FellThrough => self.stage(
                None,
                "sets",
                vec![
                    Piece::plain("one could hold it later, yet all nodes are tried now"),
                    Piece::of(Role::Warning, " (quirk span-when-full)"),
                ],
            ),
            Attempt::Eligible { candidates, turned_away } => {
                let words =
                    format!("{candidates} to look at, {turned_away} left out (not free, or not exclusive)");
                self.stage(Some(*candidates > 0), "nodes", vec![Piece::plain(words)]);
            }
            Attempt::Try(tried) => {
                if let Some(set) = tried.set {
                    let held =
                        self.subject.outcome.placed.as_ref().is_some_and(|p| p.set.as_ref() == Some(set));
                    let what = if held { " holds it" } else { " tried in earnest" };
                    self.stage(held.then_some(true), "set", vec![Piece::plain(&**set), Piece::dim(what)]);
                }
                buckets::tell_chunks(self, tried);
                nodes::tell_search(self, tried);
            }
        }
    }

    fn placed(&mut self) {
        let Some(placed) = &self.subject.outcome.placed else { return };
        let text = placed.allocation.exec_vnode(&self.subject.run.plan);
        self.stage(Some(true), "exec_vnode", vec![Piece::plain(text)]);
    }

    /// A top job waits with nodes kept for it.
    fn estimate(&mut self) {
        let Some(top) = &self.subject.outcome.estimate else { return };
        let plan = &self.subject.run.plan;
        let at = wording::moment(&plan.snap, top.start);
        let nodes = wording::node_list(plan, &top.allocation.nodes());
        let windows = wording::count(usize::try_from(top.windows).unwrap_or(0), "window");
        let words = vec![
            Piece::plain(format!("expected to start at {at} on {nodes}")),
            Piece::dim(format!(" · kept for it; {} path, {windows} simulated", top.path.word())),
        ];
        self.stage(None, "top job", words);
    }

    fn quirks(&mut self) {
        let job = self.subject.outcome.job;
        for witness in self.subject.run.witnesses.iter().filter(|witness| witness.job == job) {
            let words = vec![
                Piece::signed(Role::Warning, format!("quirk {}: ", witness.quirk.name())),
                Piece::plain(&witness.what),
                Piece::dim(format!(" · {}", witness.quirk.sentence())),
            ];
            self.words(2, words);
        }
    }

    /// What the real scheduler wrote last, beside what it would write in this cycle.
    fn scheduler(&mut self) {
        let Some(said) = self.job().comment.as_deref().map(str::trim).filter(|said| !said.is_empty()) else {
            return;
        };
        let ours = self.subject.outcome.rejection.as_ref().map(|rejection| self.comment(rejection));
        let (role, agrees) = match ours {
            Some(ours) if ours == said => (Role::VerdictRun, "agrees"),
            _ => (Role::Changed, "differs from this cycle"),
        };
        self.blank();
        self.words(
            2,
            vec![
                Piece::dim("the scheduler's last word: "),
                Piece::plain(said),
                Piece::plain(" "),
                Piece::signed(role, agrees),
            ],
        );
    }

    pub(super) fn name_of(&self, job: JobId) -> &'a str {
        self.subject.run.plan.job(job).short_name()
    }
}

fn short(name: &str) -> &str {
    name.split_once('.').map_or(name, |(id, _)| id)
}

fn stage_label(stage: Stage) -> &'static str {
    match stage {
        Stage::Eligibility => "eligible",
        Stage::Class(_) => "class",
        Stage::AllNodes => "all nodes",
        Stage::Limit => "limit",
        Stage::Order => "order",
        Stage::Time => "time",
        Stage::QueueResources => "queue",
        Stage::ServerResources => "server",
    }
}

fn tier_words(tier: Tier) -> &'static str {
    match tier {
        Tier::NotEligible => "not eligible",
        Tier::Stopped => "stopped",
        Tier::Never => "cannot fit",
        Tier::Limit => "limit reached",
        Tier::Order => "others ahead",
        Tier::Short => "nodes lack it in sum",
        Tier::Fragmented => "enough in sum, not in one piece",
        Tier::Calendar => "something is planned ahead",
        Tier::NotConsidered => "nobody looked",
    }
}

/// A place as one writes it.
fn place_words(place: &crate::cluster::Place) -> String {
    use crate::cluster::{Arrangement as A, Sharedness as S};
    let arrangement = match place.arrangement {
        A::Free => "free",
        A::Pack => "pack",
        A::Scatter => "scatter",
        A::Vscatter => "vscatter",
    };
    let sharedness = match place.sharedness {
        S::Unsaid => "",
        S::Shared => ":shared",
        S::Excl => ":excl",
        S::Exclhost => ":exclhost",
    };
    let group = place.group.as_ref().map(|key| format!(":group={key}")).unwrap_or_default();
    format!("{arrangement}{sharedness}{group}")
}
