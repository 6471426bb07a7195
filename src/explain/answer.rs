//! A whole answer as sections of plain lines: the same text for a ticket, for Markdown and for the console.

mod in_the_way;
mod later;
mod nodes;
mod now;
mod print;

pub use in_the_way::in_the_way;
pub use later::{queues_left, running_forward, what_would_help, when, without_effect};
pub use nodes::{node_sections, on_node};
pub use now::{comment_lines, sections};
pub use print::{as_markdown, as_text, wrapped, wrapped_within};

/// Which part of an answer a section is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Topic {
    /// The cause in one line, and the others.
    Verdict,
    /// The nodes lost at each condition.
    Nodes,
    /// Who stands in the way.
    InTheWay,
    /// When it would start.
    When,
    /// What would let it start.
    Help,
    /// What was tried and would not.
    WithoutEffect,
    /// Which waiting jobs name it in their answers.
    Behind,
    /// The scheduler's own words.
    Comment,
    /// The decision, stage by stage.
    Decision,
    /// What each bucket offered.
    Buckets,
    /// Every node by the condition that stops it.
    StopMap,
    /// One node, and why it does not take the job.
    OnNode,
    /// One node: what it has and holds.
    Node,
    /// Jobs that a node does not take, and those that it could.
    Refusal,
}

/// One part of an answer; foldable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Which part.
    pub topic: Topic,
    /// What it is about.
    pub title: String,
    /// Its lines, not yet wrapped.
    pub lines: Vec<AnswerLine>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswerLine {
    pub text: String,
    pub kind: LineKind,
    /// Whether it is about something that passed or failed.
    pub good: Option<bool>,
    /// What it is about, by its name in the batch system: jobs, nodes, queues, sets, and what else has a name.
    pub about: Vec<String>,
    /// A bar that a screen draws within the text.
    pub bar: Option<LineBar>,
    /// Where the text is broken first if it is too long, each behind so many bytes.
    pub breaks: Vec<usize>,
    /// So many bytes at the end are a folded list of names, which is folded again where a row is too long.
    pub list: usize,
    /// What it states, where a page may leave that out or state it otherwise.
    pub states: Stated,
}

/// What a line states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stated {
    /// Something that every page has.
    #[default]
    Fact,
    /// What else must change first.
    Banner,
    /// A cause, by its place among the causes: its sentence or a note on it.
    Cause(usize),
    /// What the title of its section has whole, where that is not cut.
    InTitle,
    /// What the verdict rests on, in full.
    RestsOn,
    /// That a comment has the reason of this cycle with other numbers.
    SameReason,
    /// That conditions lose no node, all of them reached.
    NoLoss,
}

/// How a line stands among the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineKind {
    /// It wraps.
    Sentence,
    /// A note on the sentence above: it wraps, with a dash before it.
    Note,
    /// A row of a table: it is cut.
    Row,
}

/// A bar within a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineBar {
    /// Behind so many bytes of the text.
    pub at: usize,
    pub have: u64,
    pub want: u64,
    /// Whether it stands for something that is missing.
    pub hollow: bool,
}

impl Section {
    /// An empty section.
    pub fn new(topic: Topic, title: impl Into<String>) -> Self {
        Self { topic, title: title.into(), lines: Vec::new() }
    }

    /// Adds a sentence.
    pub fn line(&mut self, text: impl Into<String>) {
        self.line_about(text, []);
    }

    /// Adds a sentence about things that have names.
    pub fn line_about(&mut self, text: impl Into<String>, about: impl IntoIterator<Item = String>) {
        self.lines.push(AnswerLine::new(LineKind::Sentence, text).about(about));
    }

    /// Adds a sentence in parts: one that is too long for a line is broken between them first.
    pub(crate) fn parts(&mut self, parts: &[&str], about: impl IntoIterator<Item = String>) {
        let ends = parts.iter().scan(0, |end, part| {
            *end += part.len();
            Some(*end)
        });
        let breaks = ends.take(parts.len().saturating_sub(1)).collect();
        let line = AnswerLine { breaks, ..AnswerLine::new(LineKind::Sentence, parts.concat()) };
        self.lines.push(line.about(about));
    }

    /// Adds a row of a table.
    pub fn row(&mut self, text: impl Into<String>) {
        self.row_of(text, []);
    }

    /// Adds a row about things that have names.
    pub fn row_of(&mut self, text: impl Into<String>, about: impl IntoIterator<Item = String>) {
        self.lines.push(AnswerLine::new(LineKind::Row, text).about(about));
    }
}

impl AnswerLine {
    fn new(kind: LineKind, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            text,
            kind,
            good: None,
            about: Vec::new(),
            bar: None,
            breaks: Vec::new(),
            list: 0,
            states: Stated::Fact,
        }
    }

    /// A row with a bar behind its first part: what there is, of how many.
    fn with_bar(head: &str, (have, want): (u64, u64), rest: &str) -> Self {
        let bar = LineBar { at: head.len(), have, want, hollow: false };
        Self { bar: Some(bar), ..Self::new(LineKind::Row, format!("{head}{rest}")) }
    }

    /// The same, with what it states.
    pub(crate) fn stating(self, states: Stated) -> Self {
        Self { states, ..self }
    }

    fn about(self, about: impl IntoIterator<Item = String>) -> Self {
        Self { about: about.into_iter().collect(), ..self }
    }
}
