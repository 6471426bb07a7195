//! A complete answer as sections of plain lines: the same text for tickets, Markdown and the console.

mod blockers;
mod nodes;
mod present;
mod print;
mod prospects;

pub use blockers::blockers_section;
pub use nodes::{node_sections, node_title, on_node};
pub use present::{comment_lines, sections};
pub use print::{as_markdown, as_text, wrapped, wrapped_within};
pub use prospects::{estimate_section, queues_left, remedies_section, running_forward, without_effect};

/// The topic of a section.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AnswerTopic {
    /// The main cause in one line, and the other causes.
    Verdict,
    /// The nodes lost at each condition.
    Nodes,
    /// The jobs that block it.
    Blockers,
    /// The time it would start.
    Estimate,
    /// Changes that would let it start.
    Help,
    /// Changes that were tried and have no effect.
    WithoutEffect,
    /// Waiting jobs that name it in their answers.
    BlockedJobs,
    /// The scheduler's own comment.
    Comment,
    /// The decision, stage by stage.
    Decision,
    /// What each bucket offered.
    Buckets,
    /// Every node by the condition that excludes it.
    StopMap,
    /// One node, and why it does not accept the job.
    OnNode,
    /// One node: its resources and jobs.
    Node,
    /// Waiting jobs that a node does not accept, and those it could.
    Refusal,
}

/// The column below which most sentences go on.
const HANG: usize = 4;

/// One foldable section of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswerSection {
    /// Which part.
    pub topic: AnswerTopic,
    /// Heading.
    pub title: String,
    /// Lines, not yet wrapped.
    pub lines: Vec<AnswerLine>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswerLine {
    pub text: String,
    pub kind: LineKind,
    /// Whether it reports success or failure, if either.
    pub is_success: Option<bool>,
    /// Batch system names of the objects it concerns: jobs, nodes, queues, sets and others.
    pub object_names: Vec<String>,
    /// A bar drawn within the text on a screen.
    pub bar: Option<LineBar>,
    /// Byte offsets at which the text is broken first if it is too long.
    pub breaks: Vec<usize>,
    /// The column below which a wrapped sentence goes on.
    pub hanging_indent: usize,
    /// Number of bytes at the end that are a folded list of names; it is folded again if a row is too long.
    pub list: usize,
    /// The statement it makes, for pages that leave it out or word it differently.
    pub statement: LineStatement,
}

/// The statement that a line makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LineStatement {
    /// A fact shown on every page.
    #[default]
    Fact,
    /// Something else that must change first.
    Banner,
    /// A cause, by its index: its sentence or a note on it.
    Cause(usize),
    /// The rule that decided.
    Rule,
    /// What the title of its section has whole, where that is not cut.
    InTitle,
    /// The full basis of the verdict.
    RestsOn,
    /// That conditions lose no node, if all conditions are reached.
    NoLoss,
}

/// The layout of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineKind {
    /// Wraps.
    Sentence,
    /// A note on the sentence above: wraps, with a dash in front.
    Note,
    /// A table row: cut if too long.
    Row,
}

/// A bar within a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineBar {
    /// Byte offset of the bar in the text.
    pub at: usize,
    pub available: u64,
    pub requested: u64,
    /// Whether the bar stands for something missing.
    pub is_shortage: bool,
}

impl AnswerSection {
    /// An empty section.
    pub fn new(topic: AnswerTopic, title: impl Into<String>) -> Self {
        Self { topic, title: title.into(), lines: Vec::new() }
    }

    /// Adds a sentence.
    pub fn line(&mut self, text: impl Into<String>) {
        self.line_about(text, []);
    }

    /// Adds a sentence about things that have names.
    pub fn line_about(&mut self, text: impl Into<String>, about: impl IntoIterator<Item = String>) {
        self.lines.push(AnswerLine::new(LineKind::Sentence, text).with_objects(about));
    }

    /// Adds a sentence made of parts; if it is too long for a line, it is broken between parts first.
    pub(crate) fn parts(&mut self, parts: &[&str], about: impl IntoIterator<Item = String>) {
        let ends = parts.iter().scan(0, |end, part| {
            *end += part.len();
            Some(*end)
        });
        let breaks = ends.take(parts.len().saturating_sub(1)).collect();
        let line = AnswerLine { breaks, ..AnswerLine::new(LineKind::Sentence, parts.concat()) };
        self.lines.push(line.with_objects(about));
    }

    /// Adds a row of a table.
    pub fn row(&mut self, text: impl Into<String>) {
        self.row_of(text, []);
    }

    /// Adds a row about things that have names.
    pub fn row_of(&mut self, text: impl Into<String>, about: impl IntoIterator<Item = String>) {
        self.lines.push(AnswerLine::new(LineKind::Row, text).with_objects(about));
    }
}

impl AnswerLine {
    fn new(kind: LineKind, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            text,
            kind,
            is_success: None,
            object_names: Vec::new(),
            bar: None,
            breaks: Vec::new(),
            hanging_indent: HANG,
            list: 0,
            statement: LineStatement::Fact,
        }
    }

    /// Creates a row with a bar after `head` that shows `available` of `requested`.
    fn with_bar(head: &str, (available, requested): (u64, u64), rest: &str) -> Self {
        let bar = LineBar { at: head.len(), available, requested, is_shortage: false };
        Self { bar: Some(bar), ..Self::new(LineKind::Row, format!("{head}{rest}")) }
    }

    /// Sets the statement that the line makes.
    pub(crate) fn with_statement(self, statement: LineStatement) -> Self {
        Self { statement, ..self }
    }

    fn with_objects(self, about: impl IntoIterator<Item = String>) -> Self {
        Self { object_names: about.into_iter().collect(), ..self }
    }
}
