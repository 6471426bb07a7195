//! Parts of the answer that need no look into the future.

use crate::decision::DecisionLine;
use crate::words::FoldedNames;
use crate::{
    AnswerLine, AnswerSection, AnswerTopic, Cause, Comment, Explanation, Funnel, FunnelStep, LineBar,
    LineKind, LineStatement, LostNodes, Tier, WaitReason, in_one_line, words,
};
use qscope_engine::cluster::short_id;
use qscope_engine::cycle::StopRule;

/// Maximum number of funnels shown for one select.
const MAX_FUNNELS: usize = 4;

/// Returns the sections that need no look into the future: causes, nodes, comment and decision. `bucket` spells the
/// name of a bucket as the page does.
pub fn sections(
    why: &Explanation,
    funnels: &[Funnel],
    bucket: impl Fn(&str) -> String,
) -> Vec<AnswerSection> {
    let mut found = vec![verdict(why)];
    found.extend(comment_section(why));
    // Funnels that fall short come first, because only some are shown for a large select.
    let (short, enough): (Vec<&Funnel>, Vec<&Funnel>) =
        funnels.iter().partition(|funnel| funnel.missing_chunks().is_some());
    let left_out = funnels.len().saturating_sub(MAX_FUNNELS);
    found.extend(short.into_iter().chain(enough).take(MAX_FUNNELS).map(|one| funnel(one, why)));
    if let Some(last) = found.last_mut().filter(|_| left_out > 0) {
        last.line(format!("and {} more", words::count(left_out, "part")));
    }
    found.extend(decision(why));
    found.extend(buckets(why, bucket));
    found
}

fn verdict(why: &Explanation) -> AnswerSection {
    // A job without a cause starts or runs.
    let title = match &why.outcome {
        Some(outcome) if outcome.placed.is_some() => "starts now",
        Some(_) => "not waiting",
        None => "runs",
    };
    let title =
        WaitReason::of(&why.causes).map_or(title.to_owned(), |reason| why.as_certain(reason.headline()));
    let mut section = AnswerSection::new(AnswerTopic::Verdict, title);
    // The title is the reason, so anything else that must change comes first below it (console.md 6, Why).
    let line = |kind, text: String, states| AnswerLine::new(kind, text).with_statement(states);
    let sentence = |text, states| line(LineKind::Sentence, text, states);
    section
        .lines
        .extend(why.banners.iter().map(|banner| sentence(format!("! {banner}"), LineStatement::Banner)));
    let headline = if why.is_headline_of_cause() { LineStatement::Cause(0) } else { LineStatement::Fact };
    section.lines.push(sentence(why.headline.clone(), headline).with_objects(why.objects().to_vec()));
    // The cause states which of the conditions of the rule keeps a job out of the cycle.
    let rule = why.rule.map(|rule| match rule.id {
        id if id == StopRule::JobsConsidered.id() => format!("rule {id}"),
        id => format!("rule {id}: {}", rule.sentence),
    });
    let mut rule = rule.map(|text| sentence(text, LineStatement::Rule));
    let mut rests_on = in_one_line(&why.rests_on).map(|text| sentence(text, LineStatement::RestsOn));
    for (at, cause) in why.causes.iter().enumerate() {
        if at > 0 {
            section.lines.extend(rule.take());
            section.lines.extend(rests_on.take());
            let also = format!("also {}: {}", cause.name(), cause.sentence);
            section.lines.push(sentence(also, LineStatement::Cause(at)).with_objects(cause.objects.clone()));
        }
        // A note comes directly below its sentence.
        let note = |note: &String| {
            line(LineKind::Note, note.clone(), LineStatement::Cause(at))
                .with_objects(named_in(note, &cause.objects))
        };
        section.lines.extend(cause.notes.iter().map(note));
    }
    section.lines.extend(rule);
    section.lines.extend(rests_on);
    section
}

/// Returns the names that occur in a text as whole words.
fn named_in(text: &str, names: &[String]) -> Vec<String> {
    let words: Vec<&str> =
        text.split([' ', ',', '(', ')', ':', ';']).map(|word| word.trim_end_matches('.')).collect();
    let stands = |name: &&String| words.contains(&name.as_str()) || words.contains(&short_id(name));
    names.iter().filter(stands).cloned().collect()
}

/// Maximum number of columns for the name of a condition in the funnel.
const MAX_LABEL: usize = 18;

/// Widths of the number columns of a funnel: nodes left (before the bar), and nodes lost, including the sign.
#[derive(Debug, Clone, Copy)]
struct FunnelColumns {
    left: usize,
    lost: usize,
}

impl FunnelColumns {
    fn of(funnel: &Funnel) -> Self {
        let most = funnel.nodes.max(u64::from(funnel.requested)).max(funnel.held.chunks);
        let left = most.to_string().len().max(2);
        Self { left, lost: left + 1 }
    }

    /// Creates a row that begins with a number and its bar.
    fn row(self, number: u64, bar: (u64, u64), rest: &str) -> AnswerLine {
        AnswerLine::with_bar(&format!("{number:>left$} ", left = self.left), bar, rest)
    }

    /// Places words in the column of the conditions, after their numbers.
    fn align_after_numbers(self, words: &str) -> String {
        format!("{}{words}", " ".repeat(self.lost + 4))
    }
}

/// Creates the funnel of one chunk spec: the nodes left after each condition that loses some, with the reasons, and
/// one line for the conditions that lose none. For a job that can never run, no node is named that would pass once
/// others have ended, or that fails a condition that does not decide.
fn funnel(funnel: &Funnel, why: &Explanation) -> AnswerSection {
    let never = why.tier() == Some(Tier::Never);
    let mut section = AnswerSection::new(
        AnswerTopic::Nodes,
        format!("Nodes lost at each condition, {} × {}", funnel.requested, funnel.part),
    );
    let labels = losing_conditions(funnel).map(|step| step.condition.label().chars().count());
    let label = labels.max().unwrap_or(0).min(MAX_LABEL);
    let all = funnel.nodes;
    let columns = FunnelColumns::of(funnel);
    section.lines.push(columns.row(all, (all, all), &columns.align_after_numbers("vnodes")));
    for (at, step) in losing_conditions(funnel).enumerate() {
        // As many as a click opens.
        let about =
            step.groups.iter().flat_map(|group| group.nodes.iter().take(2).chain(group.jobs.iter().take(3)));
        let (causes, nodes) = loss_text(step);
        let rest = format!(
            " {:>lost$} {} {:<label$}  {causes}  {nodes}",
            format!("−{}", step.lost),
            at + 1,
            step.condition.label(),
            lost = columns.lost,
        );
        let row = columns.row(step.after, (step.after, all), &rest);
        section.lines.push(AnswerLine { list: nodes.to_string().len(), ..row.with_objects(about.cloned()) });
    }
    section.lines.extend(chunks_short(funnel, columns, why));
    section.lines.extend(lossless_conditions(funnel));
    if never && funnel.missing_chunks().is_some() && funnel.held.by.is_some() {
        return section;
    }
    match funnel.near.first().zip(funnel.nearest()) {
        Some((near, nearest)) => {
            section.line_about(format!("nearest: {nearest}"), near.sample.iter().map(|one| one.node.clone()));
            if let Some(would) = near.would_pass.as_ref().filter(|would| !(never && would.is_by_end)) {
                let text = format!("{} would pass if {}", would.node, would.text);
                section.line_about(text, [would.node.clone()]);
            }
        }
        None => section.line(format!(
            "{} of {} {} every condition",
            funnel.left,
            crate::words::count(funnel.nodes, "node"),
            if funnel.left == 1 { "meets" } else { "meet" }
        )),
    }
    section
}

/// Returns the conditions that lose nodes.
fn losing_conditions(funnel: &Funnel) -> impl Iterator<Item = &FunnelStep> {
    funnel.steps.iter().filter(|step| step.before > step.after)
}

/// Returns rows for the chunks held and requested, if the remaining nodes do not hold them all. A node may hold
/// several chunks, so chunks are subtracted from chunks; if each holds exactly one, the row of nodes above is reused.
fn chunks_short(funnel: &Funnel, columns: FunnelColumns, why: &Explanation) -> Vec<AnswerLine> {
    let Some(short) = funnel.missing_chunks() else { return Vec::new() };
    let (requested, held) = (u64::from(funnel.requested), funnel.held.chunks);
    let one_each = held == funnel.left;
    let all = if one_each { funnel.nodes } else { requested };
    let by = match (&funnel.held.by, funnel.left) {
        (Some(by), _) => format!(" on {by}"),
        (None, 1) => " on this node".to_owned(),
        (None, left) => format!(" on these {left} nodes"),
    };
    let what = format!("{}{by}", if held == 1 { "chunk" } else { "chunks" });
    let what = match &funnel.held.by {
        // The last condition, on the chunks together instead of on single nodes.
        Some(_) => {
            let (at, condition) = (losing_conditions(funnel).count() + 1, funnel.held.together);
            format!(" {:lost$} {at} {condition}  {what}", "", lost = columns.lost)
        }
        None => columns.align_after_numbers(&what),
    };
    let row = columns.row(held, (held, all), &what);
    let mut rows: Vec<AnswerLine> = (!one_each).then_some(row).into_iter().collect();
    // As the headline counts them.
    let counts_nodes = |cause: &Cause| cause.kind == "not-exclusive" && cause.unit.is_none();
    let is_whole = one_each && funnel.held.by.is_none() && why.causes.iter().any(counts_nodes);
    let chunks = words::count(requested, if is_whole { "whole node" } else { "chunk" });
    let text = format!(" {short:>lost$} short   requested: {chunks}", lost = columns.lost);
    let row = columns.row(requested, (requested.min(all), all), &text);
    rows.push(AnswerLine { bar: row.bar.map(|bar| LineBar { is_shortage: true, ..bar }), ..row });
    rows
}

/// Returns why a condition loses nodes, largest group first, each with its number of nodes if there are several, and
/// the nodes.
fn loss_text(step: &FunnelStep) -> (String, FoldedNames) {
    const MAX_GROUPS: usize = 3;
    let words = if step.groups.len() > 1 { LostNodes::counted_words } else { LostNodes::words };
    let mut causes: Vec<String> = step.groups.iter().take(MAX_GROUPS).map(words).collect();
    // Behind a list of jobs `+1` would count jobs.
    let others: usize = step.groups.iter().skip(MAX_GROUPS).map(|group| group.nodes.len()).sum();
    causes.extend((others > 0).then(|| format!("other on {others}")));
    let nodes = step.groups.iter().flat_map(|group| &group.nodes).map(String::as_str);
    (causes.join(" · "), words::fold_names(nodes, 40))
}

/// Lists the conditions that lose no node, and those that were not reached because no node was left.
fn lossless_conditions(funnel: &Funnel) -> Option<AnswerLine> {
    let steps: Vec<&FunnelStep> = funnel.steps.iter().filter(|step| step.before == step.after).collect();
    let (harmless, unreached): (Vec<&FunnelStep>, Vec<&FunnelStep>) =
        steps.into_iter().partition(|step| step.before > 0);
    let states = if unreached.is_empty() { LineStatement::NoLoss } else { LineStatement::Fact };
    let line = [("no loss", harmless), ("not reached", unreached)].into_iter().filter_map(|(what, steps)| {
        let names: Vec<String> = steps.iter().map(|step| step.condition.name()).collect();
        (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
    });
    let line: Vec<String> = line.collect();
    (!line.is_empty()).then(|| AnswerLine::new(LineKind::Sentence, line.join("; ")).with_statement(states))
}

/// Returns the scheduler's own comment with an assessment.
fn comment_section(why: &Explanation) -> Option<AnswerSection> {
    let comment = why.comment.as_ref()?;
    let title = format!("PBS comment{}", assessment(comment));
    let mut section = AnswerSection::new(AnswerTopic::Comment, title);
    section.lines.push(comment_line(comment, comment.text.clone()));
    section.lines.extend(comment.remark.as_ref().map(|remark| AnswerLine::new(LineKind::Sentence, remark)));
    Some(section)
}

/// States whether the comment agrees with the cycle; empty if that is not known.
fn assessment(comment: &Comment) -> &'static str {
    match comment.agrees {
        _ if comment.has_other_numbers => " · agrees, other numbers",
        Some(true) => " · agrees",
        Some(false) => " · differs",
        None => "",
    }
}

fn comment_line(comment: &Comment, text: String) -> AnswerLine {
    AnswerLine { is_success: comment.agrees, ..AnswerLine::new(LineKind::Sentence, text) }
}

/// Returns the comment for a page that shows it below the verdict, as `PBS comment · agrees: Not Running: …`, with the
/// remark as a note, or in the assessment where it only differs in its numbers. `would` is the comment that this cycle
/// gives a job that has none yet.
pub fn comment_lines(why: &Explanation, would: Option<&str>) -> Vec<AnswerLine> {
    match (&why.comment, would) {
        (Some(comment), _) => {
            let text = format!("PBS comment{}: {}", assessment(comment), comment.text);
            let remark = comment.remark.iter().filter(|_| !comment.has_other_numbers);
            let remark = remark.map(|remark| AnswerLine::new(LineKind::Note, remark));
            std::iter::once(comment_line(comment, text)).chain(remark).collect()
        }
        (None, Some(would)) => {
            let text = format!("no PBS comment yet; would be {would}");
            vec![AnswerLine::new(LineKind::Sentence, text)]
        }
        (None, None) => Vec::new(),
    }
}

/// Columns of the name of a stage.
const STAGE: usize = 12;

/// Shows the decision, stage by stage.
fn decision(why: &Explanation) -> Option<AnswerSection> {
    let mut section = AnswerSection::new(AnswerTopic::Decision, "The decision, stage by stage");
    for line in &why.decision {
        match line {
            DecisionLine::Stage { passed, label, text, result_name, .. } => {
                let mark = match passed {
                    Some(true) => "✓",
                    Some(false) => "✗",
                    None => "–",
                };
                let aside = if result_name.is_empty() { String::new() } else { format!(": {result_name}") };
                let text = format!("{mark} {label:<STAGE$} {text}{aside}{}", line.rule_words());
                let new = AnswerLine::new(LineKind::Sentence, text);
                // Two columns of indent, the mark and the label stand before the text.
                section.lines.push(AnswerLine { is_success: *passed, hanging_indent: STAGE + 5, ..new });
            }
            DecisionLine::SkippedNode(node, why) => {
                section.line_about(format!("– passed over  {node}: {why}"), [node.clone()]);
            }
            DecisionLine::MorePassedOver(more) => {
                section.line(format!("– and {}, likewise", words::count(*more, "more node")));
            }
            // Displayed in a section of their own.
            DecisionLine::Offers(_) => {}
        }
    }
    (!section.lines.is_empty()).then_some(section)
}

/// Shows what each bucket offered.
fn buckets(explanation: &Explanation, spelled: impl Fn(&str) -> String) -> Option<AnswerSection> {
    let mut section = AnswerSection::new(AnswerTopic::Buckets, "Buckets");
    section.row(" fits total  free later  busy  bucket, for each chunk");
    let mut chunk = "";
    for offer in &explanation.chunks {
        if chunk != offer.chunk {
            chunk = &offer.chunk;
            section.row(chunk.to_owned());
        }
        let bucket = spelled(&offer.bucket);
        let text = match &offer.mismatch {
            Some(mismatch) => format!(" {:>4} {:>23}  {bucket}: {mismatch}", "-", ""),
            None => format!(
                " {:>4} {:>5} {:>5} {:>5} {:>5}  {bucket}",
                offer.fits, offer.total, offer.free, offer.later, offer.busy
            ),
        };
        section.row_of(text, [offer.bucket.clone()]);
    }
    (!explanation.chunks.is_empty()).then_some(section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_whole_words() {
        let names = ["n1", "12.svr", "13.svr", "n10"].map(str::to_owned);
        assert_eq!(named_in("held by 12.svr and 13, on n10.", &names), ["12.svr", "13.svr", "n10"]);
    }
}
