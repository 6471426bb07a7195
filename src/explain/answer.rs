//! A whole answer as sections of plain lines: the same text for a ticket, for Markdown and for the console.

use unicode_width::UnicodeWidthStr;

use crate::cluster::Snapshot;

use super::blame::Blame;
use super::forecast::{ASSUMPTION, Forecast, Source};
use super::funnel::Funnel;
use super::node_story::PartOnNode;
use super::remedy::Remedy;
use super::why::Why;
use super::words;

/// One part of an answer; foldable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// What it is about.
    pub title: String,
    /// Its lines, not yet wrapped.
    pub lines: Vec<Line>,
}

/// One line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A sentence: it wraps.
    Text(String),
    /// A row of a table: it is cut.
    Row(String),
}

impl Section {
    /// An empty section.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), lines: Vec::new() }
    }

    /// Adds a sentence.
    pub fn say(&mut self, text: impl Into<String>) {
        self.lines.push(Line::Text(text.into()));
    }

    /// Adds a row of a table.
    pub fn row(&mut self, text: impl Into<String>) {
        self.lines.push(Line::Row(text.into()));
    }
}

/// The sections of what is known without looking into the future: causes, nodes, the comment, the decision.
#[must_use]
pub fn sections(why: &Why, funnels: &[Funnel]) -> Vec<Section> {
    let mut found = vec![verdict(why)];
    found.extend(funnels.iter().map(funnel));
    if let Some(comment) = &why.comment {
        let mut section = Section::new("The scheduler said");
        let mark = match comment.agrees {
            Some(true) => "agrees",
            Some(false) => "DIFFERS",
            None => "not its own text",
        };
        section.say(format!("[{mark}] {}", comment.said));
        if let Some(remark) = &comment.remark {
            section.say(remark.clone());
        }
        found.push(section);
    }
    found.extend(decision(why));
    found
}

fn verdict(why: &Why) -> Section {
    let title =
        why.causes.first().map_or("Answer".to_owned(), |cause| format!("Waits: {}", cause.tier.title()));
    let mut section = Section::new(title);
    for banner in &why.banners {
        section.say(format!("! {banner}"));
    }
    section.say(why.headline.clone());
    for (at, cause) in why.causes.iter().enumerate() {
        if at > 0 {
            section.say(format!("also {}: {}", cause.tier.title(), cause.sentence));
        }
        for note in &cause.notes {
            section.say(format!("- {note}"));
        }
    }
    section
}

/// One part's funnel as a table.
fn funnel(funnel: &Funnel) -> Section {
    let mut section = Section::new(format!("Nodes for {} x {}", funnel.wanted, funnel.part));
    section.row(format!("{:>6} {:>6}  condition", "before", "after"));
    for step in &funnel.steps {
        let lost: Vec<String> = step.lost.iter().map(|(node, have)| format!("{node} {have}")).collect();
        let lost = if lost.is_empty() { String::new() } else { format!("  lost: {}", lost.join("; ")) };
        section.row(format!("{:>6} {:>6}  {}{lost}", step.before, step.after, step.condition.words()));
    }
    match funnel.nearest() {
        Some(nearest) => section.say(format!("nearest: {nearest}")),
        None => section.say(format!("{} of {} nodes meet every condition", funnel.left, funnel.nodes)),
    }
    section
}

/// The decision stage by stage, and what each bucket offered.
fn decision(why: &Why) -> Vec<Section> {
    let mut found = Vec::new();
    if !why.stages.is_empty() {
        let mut section = Section::new("The decision, stage by stage");
        for stage in &why.stages {
            let mark = match stage.passed {
                Some(true) => "ok  ",
                Some(false) => "FAIL",
                None => "    ",
            };
            section.say(format!("{mark} {:<12} {}", stage.stage, stage.text));
        }
        found.push(section);
    }
    if !why.chunks.is_empty() {
        let mut section = Section::new("Buckets");
        section.row(" fits total  free later  busy  bucket, for each chunk");
        let mut chunk = "";
        for offer in &why.chunks {
            if chunk != offer.chunk {
                chunk = &offer.chunk;
                section.row(chunk.to_owned());
            }
            section.row(match &offer.mismatch {
                Some(mismatch) => format!(" {:>4} {:>23}  {}: {mismatch}", "-", "", offer.bucket),
                None => format!(
                    " {:>4} {:>5} {:>5} {:>5} {:>5}  {}",
                    offer.fits, offer.total, offer.free, offer.later, offer.busy, offer.bucket
                ),
            });
        }
        found.push(section);
    }
    found
}

/// Why one node does not take the job.
#[must_use]
pub fn on_node(node: &str, parts: &[PartOnNode]) -> Section {
    let mut section = Section::new(format!("Why not {node}"));
    for part in parts {
        if part.failures.is_empty() {
            section.say(format!("{}: {node} would do; what keeps the job is elsewhere", part.part));
        }
        for failure in &part.failures {
            section.say(format!("{}: fails {}, has {}", part.part, failure.condition.words(), failure.have));
        }
    }
    section
}

/// Who is in the way, in order of time; none when nobody is known to be.
#[must_use]
pub fn in_the_way(snap: &Snapshot, blame: &Blame) -> Option<Section> {
    let mut section = Section::new("In its way");
    for end in &blame.ends {
        let nodes =
            if end.nodes.is_empty() { String::new() } else { format!(", on {}", words::some(&end.nodes, 4)) };
        let limit = if end.limit { ", counted by the limit" } else { "" };
        section.say(format!("{} until {}{nodes}{limit}", end.who, words::moment(snap, end.at)));
    }
    if let Some(at) = blame.alone {
        section.say(format!(
            "with what is planned now and nobody else, it could start at {}",
            words::moment(snap, at)
        ));
    }
    for link in &blame.chain {
        section.say(link.clone());
    }
    (!section.lines.is_empty()).then_some(section)
}

/// When it would start, and on which assumption.
#[must_use]
pub fn when(snap: &Snapshot, found: &Forecast) -> Section {
    let mut section = Section::new("When");
    let cycles = words::count(u64::from(found.cycles), "cycle");
    section.say(match (found.source, found.start) {
        (Source::Now, _) => "in this cycle".to_owned(),
        (Source::TopJob, Some(at)) => {
            format!("{}, as the scheduler's own calendar plans it for this top job", words::moment(snap, at))
        }
        (_, Some(at)) => format!("{}, by running {cycles} forward", words::moment(snap, at)),
        (Source::Ended, None) => {
            format!(
                "not before {}: {cycles} were run forward, and the look ahead ended there",
                words::moment(snap, found.until)
            )
        }
        (_, None) => format!("not at all: {cycles} were run forward until nothing was left to happen"),
    });
    if let Some(on) = &found.exec_vnode {
        section.row(on.clone());
    }
    section.say(ASSUMPTION);
    if let Some((jobs, mean)) = found.declared {
        section.say(format!(
            "the error is in the declared walltimes: {} run with {mean} left on average, and none need last so long",
            words::count(u64::from(jobs), "job")
        ));
    }
    section
}

/// What would let it start now, the smallest change first.
#[must_use]
pub fn what_would_help(remedies: &[Remedy]) -> Section {
    let mut section = Section::new("What would let it start now (each tried by running the cycle with it)");
    for (at, remedy) in remedies.iter().enumerate() {
        section.say(format!("{}. {}: {}; {}", at + 1, remedy.change, remedy.effect, remedy.costs));
    }
    if remedies.is_empty() {
        section.say("no single change that was tried lets it start in this cycle");
    }
    section
}

/// The sections as plain text of so many columns.
#[must_use]
pub fn as_text(sections: &[Section], columns: usize) -> String {
    let mut text = String::new();
    for (at, section) in sections.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        text.push_str(&section.title);
        text.push('\n');
        for line in &section.lines {
            for piece in wrapped(line, columns) {
                text.push_str(piece.trim_end());
                text.push('\n');
            }
        }
    }
    text
}

/// The sections as Markdown.
#[must_use]
pub fn as_markdown(sections: &[Section]) -> String {
    let mut text = String::new();
    for section in sections {
        text.push_str(&format!("### {}\n\n", section.title));
        let mut table = false;
        for line in &section.lines {
            let row = matches!(line, Line::Row(_));
            if row != table {
                text.push_str(if row { "```\n" } else { "```\n\n" });
                table = row;
            }
            match line {
                Line::Row(row) => text.push_str(&format!("{}\n", row.trim_end())),
                Line::Text(line) => text.push_str(&format!("- {}\n", line.trim_start_matches("- "))),
            }
        }
        text.push_str(if table { "```\n\n" } else { "\n" });
    }
    text
}

/// A line in pieces of at most so many columns, indented by two, what follows by four.
#[must_use]
pub fn wrapped(line: &Line, columns: usize) -> Vec<String> {
    let text = match line {
        Line::Row(row) => {
            let mut cut = String::from("  ");
            for character in row.chars() {
                if cut.width() + 1 >= columns {
                    break;
                }
                cut.push(character);
            }
            return vec![cut];
        }
        Line::Text(text) => text,
    };
    let mut pieces = Vec::new();
    let mut piece = String::from("  ");
    for word in text.split(' ') {
        let room = piece.trim().is_empty() || piece.width() + 1 + word.width() <= columns;
        if !room {
            pieces.push(std::mem::replace(&mut piece, "    ".to_owned()));
            piece.push_str(word);
        } else {
            if !piece.ends_with("  ") || !piece.trim().is_empty() {
                piece.push(' ');
            }
            piece.push_str(word);
        }
    }
    pieces.push(piece);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_wrap_and_rows_are_cut() {
        let line = Line::Text("aaaa bbbb cccc dddd".to_owned());
        assert_eq!(wrapped(&line, 12), ["  aaaa bbbb", "    cccc", "    dddd"]);
        assert_eq!(wrapped(&Line::Row("0123456789".to_owned()), 8), ["  01234"]);
    }

    #[test]
    fn markdown_fences_tables() {
        let mut section = Section::new("T");
        section.row("a b");
        section.say("done");
        assert_eq!(as_markdown(&[section]), "### T\n\n```\na b\n```\n\n- done\n\n");
    }
}
