//! A decision as lines from its first check to its nodes, taken from the levels that one steps into. The layout of
//! the lines is left to others.

use crate::{NodeListSearch, SearchAttempt, attempts};
use qscope_engine::cycle::Verdict;
use qscope_engine::placement::ProbeEvent;

use super::{
    DecisionContents, DecisionLevel, DecisionPoint, DecisionRow, DecisionTraceRef, StageName, Subject,
    buckets, decision_contents, searches,
};

/// Maximum number of sets listed one by one before the last.
const SETS_MOST: usize = 60;
/// Maximum number of nodes listed one by one.
const NODES_MOST: usize = 12;

/// The subject of a line of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionPart {
    Check,
    /// All checks passed before any path, in one line.
    Checks,
    Sets,
    /// A chunk spec of the select.
    Chunk,
    Placed,
}

/// A line of a decision in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionLine {
    /// A check, a set or a chunk spec of the select.
    Stage {
        part: DecisionPart,
        /// Whether the job passed; `None` if there is nothing to pass, or if it was not reached.
        passed: Option<bool>,
        /// Its kind, in one or two words.
        label: String,
        /// Its name, or what was compared.
        text: String,
        /// The result, if the text is a name.
        result_name: String,
        /// The id of the rule of a check, where one is known.
        rule: Option<&'static str>,
    },
    /// The buckets offered to a chunk spec.
    Offers(DecisionLevel),
    /// A skipped node, with the reason.
    SkippedNode(String, String),
    /// Number of further skipped nodes.
    MorePassedOver(usize),
}

/// Returns the lines of a decision; empty for jobs not considered.
pub fn decision_lines(scene: DecisionTraceRef<'_>) -> Vec<DecisionLine> {
    let DecisionContents::Level(level) = decision_contents(scene, &DecisionPoint::Job) else {
        return Vec::new();
    };
    if matches!(scene.subject, Subject::Job(outcome) if outcome.verdict == Verdict::NotConsidered) {
        return Vec::new();
    }
    let mut lines: Vec<DecisionLine> = checks(&level.frames).into_iter().collect();
    for frame in &level.frames {
        match frame.point {
            DecisionPoint::Stage(StageName::Sets | StageName::Placement) => add_attempts(scene, &mut lines),
            DecisionPoint::Stage(StageName::Preemption | StageName::Calendar) => lines.push(stage(frame)),
            _ if frame.passed == Some(false) => lines.push(stage(frame)),
            _ => {}
        }
    }
    lines
}

/// Returns the lines of a decision with every check on its own line, and the placement of the job.
pub fn all_decision_lines(scene: DecisionTraceRef<'_>) -> Vec<DecisionLine> {
    let DecisionContents::Level(level) = decision_contents(scene, &DecisionPoint::Job) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for frame in &level.frames {
        lines.push(stage(frame));
        if matches!(frame.point, DecisionPoint::Stage(StageName::Sets | StageName::Placement)) {
            add_attempts(scene, &mut lines);
        }
    }
    if let Some(placed) = scene.placed() {
        let text = placed.allocation.exec_vnode_within(&scene.run.plan, GROUPS_MOST);
        lines.push(line(DecisionPart::Placed, Some(true), "placed", text));
    }
    lines
}

fn line(part: DecisionPart, passed: Option<bool>, label: &str, text: String) -> DecisionLine {
    DecisionLine::Stage {
        part,
        passed,
        label: label.to_owned(),
        text,
        result_name: String::new(),
        rule: None,
    }
}

fn stage(row: &DecisionRow) -> DecisionLine {
    DecisionLine::Stage {
        part: DecisionPart::Check,
        passed: row.passed,
        label: row.label.clone(),
        text: row.text.clone(),
        result_name: String::new(),
        rule: row.rule,
    }
}

impl DecisionLine {
    /// Returns the rule that stopped the job, to follow a line in which it did: ` · rule limits-check`; empty in the
    /// others.
    pub fn rule_words(&self) -> String {
        match self {
            Self::Stage { passed: Some(false), rule: Some(rule), .. } => format!(" · rule {rule}"),
            _ => String::new(),
        }
    }
}

/// Returns one line for all checks passed before any path, because what follows needs the space.
fn checks(frames: &[DecisionRow]) -> Option<DecisionLine> {
    let passed = |name: StageName| {
        frames.iter().find(|frame| frame.point == DecisionPoint::Stage(name) && frame.passed == Some(true))
    };
    let passed_frames = [StageName::Class, StageName::AllNodes].into_iter().filter_map(passed);
    let mut words: Vec<&str> = passed_frames.map(|frame| &*frame.text).collect();
    if [StageName::Limits, StageName::Time, StageName::Resources]
        .into_iter()
        .all(|name| passed(name).is_some())
    {
        words.push("no limit or time window in the way");
    }
    (!words.is_empty()).then(|| line(DecisionPart::Checks, Some(true), "checks", words.join("; ")))
}

/// Adds the sets skipped and the lists of nodes searched: the first ones, the number left out, and the last.
fn add_attempts(scene: DecisionTraceRef<'_>, lines: &mut Vec<DecisionLine>) {
    let tried = attempts(scene.events);
    let last = tried.len().saturating_sub(1);
    for (at, attempt) in tried.iter().enumerate() {
        if at < SETS_MOST || at == last {
            add_attempt(scene, at, attempt, at == last, lines);
        } else if at == SETS_MOST {
            let text = format!("and {} more, likewise", last - SETS_MOST);
            lines.push(line(DecisionPart::Sets, None, "sets", text));
        }
    }
}

/// Adds one attempt. A failed set that is not the last takes one line; stepping in shows more.
fn add_attempt(
    scene: DecisionTraceRef<'_>,
    at: usize,
    attempt: &SearchAttempt<'_>,
    last: bool,
    lines: &mut Vec<DecisionLine>,
) {
    let frame = searches::attempt(scene, at, attempt);
    let holds = frame.passed == Some(true);
    match attempt {
        SearchAttempt::TooSmall(..) | SearchAttempt::Try(NodeListSearch { set: Some(_), .. }) => {
            let DecisionRow { passed, label: text, text: aside, .. } = frame;
            lines.push(DecisionLine::Stage {
                part: DecisionPart::Sets,
                passed,
                label: "set".to_owned(),
                text,
                result_name: aside,
                rule: None,
            });
        }
        SearchAttempt::Try(_) => {}
        _ => lines.push(stage(&frame)),
    }
    if let SearchAttempt::Try(search) = attempt
        && (holds || last)
    {
        add_parts(scene, at, search, lines);
    }
}

/// Maximum number of groups of a placement that are listed.
const GROUPS_MOST: usize = 2000;
/// Maximum number of chunk specs of a select that are listed one by one.
const PARTS_MOST: usize = 100;

fn add_parts(
    scene: DecisionTraceRef<'_>,
    at: usize,
    search: &NodeListSearch<'_>,
    lines: &mut Vec<DecisionLine>,
) {
    let mapped = search.events.iter().filter(|event| matches!(event, ProbeEvent::ChunkMapped { .. })).count();
    let frames = searches::parts_of(scene, search, at).frames;
    // With very many chunk specs, lists the first ones and the one at which the search ended.
    let stuck = frames.iter().position(|frame| frame.passed == Some(false));
    let more = frames.len().saturating_sub(PARTS_MOST);
    for (part, frame) in frames.into_iter().enumerate() {
        if part == PARTS_MOST {
            lines.push(line(DecisionPart::Check, None, "chunks", format!("and {more} more")));
        }
        if part >= PARTS_MOST && stuck != Some(part) {
            continue;
        }
        let spec = scene.request().and_then(|request| request.specs.get(part));
        let text = spec.map(searches::asked).unwrap_or_default();
        let DecisionRow { passed, text: result_name, .. } = frame;
        let label = format!("chunk {}", part + 1);
        lines.push(DecisionLine::Stage {
            part: DecisionPart::Chunk,
            passed,
            label,
            text,
            result_name,
            rule: None,
        });
        if mapped > part {
            lines.push(DecisionLine::Offers(buckets::offers_of(scene, search, at, part)));
            add_passed_over(scene, search, part, lines);
        }
    }
}

fn add_passed_over(
    trace: DecisionTraceRef<'_>,
    search: &NodeListSearch<'_>,
    part: usize,
    lines: &mut Vec<DecisionLine>,
) {
    let passed_over = buckets::passed_over(trace, search, part);
    let more = passed_over.len().saturating_sub(NODES_MOST);
    lines.extend(
        passed_over.into_iter().take(NODES_MOST).map(|(name, why)| DecisionLine::SkippedNode(name, why)),
    );
    if more > 0 {
        lines.push(DecisionLine::MorePassedOver(more));
    }
}
