//! `qscope why JOB`: why a job waits, or where it starts; `qscope why-node NODE`: why a node takes nothing.

use std::ops::ControlFlow;

use color_eyre::eyre::{Result, eyre};
use serde_json::{Value, json};

use qscope_engine::cluster::{JobId, NodeId, Snapshot};
use qscope_exits::Lines;
use qscope_explain::decision::DecisionLine;
use qscope_explain::{
    ASSUMPTION, Blame, Cause, ChunkOffer, Ending, Forecast, Funnel, NodeStory, PartOnNode, Remedy, Section,
    Tier, Turn, Why, as_markdown, as_text, blame, forecast, funnels, in_the_way, node_sections, on_node,
    remedies, sections, what_would_help, when, why, why_node, why_not_here,
};
use qscope_session::Generation;

use super::cli::{WhyArgs, WhyNodeArgs};
use super::{open, output};

/// Columns of the text for a ticket.
const COLUMNS: usize = 100;

/// Explains one job; the answer is no (1) while it waits.
///
/// # Errors
/// Bad input, no such job or node, or an output that cannot be written.
pub(super) fn run(args: &WhyArgs) -> Result<u8> {
    let generation = open::what_if(&args.at, &args.set)?;
    let job = open::job(&generation, &args.job)?;
    let node = args.node.as_deref().map(|name| node_of(&generation.snapshot, name)).transpose()?;
    let mut turn = Turn::new(&generation.run, job);
    let answer = why(&generation.run, job);
    let waits = answer.tier().is_some();
    let later = Later { generation: &generation, job, args, waits };
    let funnels = turn.as_mut().filter(|_| waits).map(funnels).unwrap_or_default();
    let here = node.and_then(|(id, name)| Some((name, why_not_here(turn.as_mut()?, id))));
    if args.at.json {
        let mut found = why_json(&generation, job, &answer, &funnels, here.as_ref());
        if let Some(map) = found.as_object_mut() {
            let blame = later.blame(turn.as_ref(), &answer).unwrap_or_default();
            let chain: Value = blame.chain.iter().map(|link| link.text.clone()).collect();
            map.insert("blame".to_owned(), blame_json(&blame));
            map.insert("chain".to_owned(), chain);
            let (estimate, remedies) = later.both(&|_| Ok(()))?;
            map.insert("estimate".to_owned(), estimate.map_or(Value::Null, |f| estimate_json(&f)));
            map.insert("remedies".to_owned(), remedies.iter().map(remedy_json).collect());
        }
        output::print_json_about(&generation, found)?;
    } else {
        let mut told = sections(&answer, &funnels);
        if let Some((name, parts)) = &here {
            told.insert(1.min(told.len()), on_node(generation.snapshot.jobs[job].short_name(), name, parts));
        }
        output::print_about(&generation, &written(&told, args.markdown))?;
        // What takes longer follows as it is found.
        let snap = &generation.snapshot;
        if let Some(found) = later.blame(turn.as_ref(), &answer).and_then(|blame| in_the_way(snap, &blame)) {
            print_next(&found, args.markdown)?;
        }
        let (_, remedies) = later.both(&|found| print_next(&when(snap, found), args.markdown))?;
        if waits && !args.fast && !args.no_remedies {
            print_next(&what_would_help(&remedies), args.markdown)?;
        }
    }
    Ok(u8::from(waits))
}

/// What takes longer than a moment.
struct Later<'a> {
    generation: &'a Generation,
    job: JobId,
    args: &'a WhyArgs,
    waits: bool,
}

impl Later<'_> {
    fn blame(&self, turn: Option<&Turn>, why: &Why) -> Option<Blame> {
        let wanted = self.waits && !self.args.fast && !self.args.no_estimate;
        turn.filter(|_| wanted).map(|turn| blame(turn, &why.causes))
    }

    /// The estimate, which `told` hears as soon as it is there, and the remedies, looked for at the same time.
    fn both(&self, told: &dyn Fn(&Forecast) -> Result<()>) -> Result<(Option<Forecast>, Vec<Remedy>)> {
        std::thread::scope(|scope| {
            let remedies = scope.spawn(|| self.remedies());
            let estimate = self.estimate();
            if let Some(found) = &estimate {
                told(found)?;
            }
            let remedies = remedies.join().map_err(|_| eyre!("the search for remedies broke off"))?;
            Ok((estimate, remedies))
        })
    }

    fn estimate(&self) -> Option<Forecast> {
        if self.args.fast || self.args.no_estimate {
            return None;
        }
        let snap = &self.generation.snapshot;
        let size = u32::try_from(snap.nodes.len() + snap.jobs.len()).unwrap_or(u32::MAX).max(1);
        let most = self.args.cycles.unwrap_or((600_000 / size).clamp(25, 5000));
        forecast(&self.generation.run, self.job, &mut |progress| {
            if progress.cycles < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    }

    fn remedies(&self) -> Vec<Remedy> {
        if !self.waits || self.args.fast || self.args.no_remedies {
            return Vec::new();
        }
        remedies(&self.generation.run, self.job, &mut |_| ControlFlow::Continue(()))
    }
}

fn print_next(section: &Section, markdown: bool) -> Result<()> {
    let mut text = Lines::new();
    if !markdown {
        text.blank();
    }
    text.append(&written(std::slice::from_ref(section), markdown));
    output::print(&text)
}

fn blame_json(blame: &Blame) -> Value {
    let end = |end: &Ending| json!({"who": end.who, "at": end.at.0, "nodes": end.nodes, "limit": end.limit});
    blame.ends.iter().map(end).collect()
}

fn estimate_json(found: &Forecast) -> Value {
    json!({
        "start": found.start.map(|at| at.0), "exec_vnode": found.exec_vnode, "source": found.source.word(),
        "cycles": found.cycles, "until": found.until.0, "assumption": ASSUMPTION,
    })
}

fn remedy_json(remedy: &Remedy) -> Value {
    json!({
        "change": remedy.change, "effect": remedy.effect, "costs": remedy.costs, "delayed": remedy.delayed,
        "start": remedy.start.map(|at| at.0), "size": remedy.size,
    })
}

/// Explains one node; the answer is no (1) when jobs wait that it does not take.
///
/// # Errors
/// Bad input, no such node, or an output that cannot be written.
pub(super) fn run_node(args: &WhyNodeArgs) -> Result<u8> {
    let generation = open::what_if(&args.at, &args.set)?;
    let (id, _) = node_of(&generation.snapshot, &args.node)?;
    let story = why_node(&generation.run, id);
    if args.at.json {
        output::print_json_about(&generation, node_json(&story))?;
    } else {
        output::print_about(&generation, &written(&node_sections(&story), false))?;
    }
    Ok(u8::from(!story.refusals.is_empty()))
}

fn written(sections: &[Section], markdown: bool) -> Lines {
    if markdown { as_markdown(sections) } else { as_text(sections, COLUMNS) }
}

fn node_of(snap: &Snapshot, name: &str) -> Result<(NodeId, String)> {
    let id = snap
        .node_named(name)
        .ok_or_else(|| eyre!("no node `{name}` among {} in {}", snap.nodes.len(), snap.title))?;
    Ok((id, name.to_owned()))
}

fn why_json(
    generation: &Generation,
    job: JobId,
    why: &Why,
    funnels: &[Funnel],
    here: Option<&(String, Vec<PartOnNode>)>,
) -> Value {
    let outcome = why.outcome.as_ref();
    let choice = outcome.and_then(|outcome| outcome.would_use);
    let stages: Vec<Value> = why.decision.iter().filter_map(stage_json).collect();
    let mut answer = json!({
        "job": &*generation.snapshot.jobs[job].name,
        "verdict": outcome.map(|outcome| outcome.verdict.word()),
        "tier": why.tier().map(Tier::word),
        "objects": why.objects(),
        "headline": why.headline,
        "also": why.also().into_iter().map(Tier::word).collect::<Vec<_>>(),
        "causes": why.causes.iter().map(cause_json).collect::<Vec<_>>(),
        "banners": why.banners,
        "path": outcome.and_then(|outcome| outcome.path).map(qscope_engine::placement::Path::word),
        "would_use": choice.map(|choice| choice.path.word()),
        "path_rule": choice.map(|choice| choice.rule.name()),
        "turned_away_by": outcome.and_then(|outcome| outcome.refused_at).map(qscope_engine::cycle::Stage::word),
        "funnel": funnels.iter().map(funnel_json).collect::<Vec<_>>(),
        "stages": stages,
        "chunks": why.chunks.iter().map(chunk_json).collect::<Vec<_>>(),
        "scheduler_said": why.comment.as_ref().map(|comment| &comment.text),
        "scheduler_agrees": why.comment.as_ref().and_then(|comment| comment.agrees),
        "scheduler_remark": why.comment.as_ref().and_then(|comment| comment.remark.as_ref()),
        "blame": [],
        "estimate": null,
        "remedies": [],
    });
    if let (Some((node, parts)), Some(map)) = (here, answer.as_object_mut()) {
        let parts: Vec<Value> = parts.iter().map(part_json).collect();
        map.insert("node".to_owned(), json!({"name": node, "parts": parts}));
    }
    answer
}

fn cause_json(cause: &Cause) -> Value {
    let numbers: serde_json::Map<String, Value> =
        cause.numbers.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    json!({
        "tier": cause.tier.word(), "kind": cause.kind, "objects": cause.objects, "sentence": cause.sentence,
        "numbers": numbers, "notes": cause.notes,
    })
}

fn funnel_json(funnel: &Funnel) -> Value {
    let sample = |sample: &[(String, String)]| -> Vec<Value> {
        sample.iter().map(|(node, has)| json!({"node": node, "has": has})).collect()
    };
    let steps: Vec<Value> = funnel
        .steps
        .iter()
        .map(|step| {
            json!({
                "condition": step.condition.words(), "before": step.before, "after": step.after,
                "lost": step.before - step.after, "sample": sample(&step.lost),
            })
        })
        .collect();
    let near: Vec<Value> = funnel
        .near
        .iter()
        .map(|miss| json!({"lacks": miss.lacks, "nodes": miss.nodes, "sample": sample(&miss.sample)}))
        .collect();
    json!({
        "part": funnel.part, "wanted": funnel.requested, "nodes": funnel.nodes, "steps": steps, "left": funnel.left,
        "nearest": near,
    })
}

/// A line of the decision; what buckets offered stands by itself.
fn stage_json(told: &DecisionLine) -> Option<Value> {
    match told {
        DecisionLine::Stage { passed, label, text, aside } => {
            let text = if aside.is_empty() { text.clone() } else { format!("{text}: {aside}") };
            Some(json!({"stage": label, "passed": passed, "text": text}))
        }
        DecisionLine::PassedOver(node, why) => {
            Some(json!({"stage": "passed over", "passed": null, "text": format!("{node}: {why}")}))
        }
        DecisionLine::MorePassedOver(more) => {
            Some(json!({"stage": "passed over", "passed": null, "text": format!("and {more} more nodes")}))
        }
        DecisionLine::Offers(_) => None,
    }
}

fn chunk_json(offer: &ChunkOffer) -> Value {
    json!({
        "chunk": offer.chunk, "wanted": offer.requested, "bucket": offer.bucket, "fits": offer.fits,
        "total": offer.total, "free": offer.free, "busy_later": offer.later, "busy": offer.busy,
        "mismatch": offer.mismatch,
    })
}

fn part_json(part: &PartOnNode) -> Value {
    let failures: Vec<Value> = part
        .failures
        .iter()
        .map(|failure| json!({"condition": failure.condition.words(), "has": failure.have}))
        .collect();
    json!({"part": part.part, "fails": failures})
}

fn node_json(story: &NodeStory) -> Value {
    let left: Vec<Value> = story
        .left
        .iter()
        .map(|(resource, left, total)| json!({"resource": resource, "left": left, "total": total}))
        .collect();
    let turned: Vec<Value> = story
        .refusals
        .iter()
        .map(|turned| json!({"reason": turned.reason, "jobs": turned.jobs, "sample": turned.sample}))
        .collect();
    let planned: Vec<String> = story.planned.iter().map(|(who, at)| format!("{who} from {at}")).collect();
    json!({
        "node": story.node, "state": story.state, "comment": story.comment, "jobs": story.jobs,
        "starting": story.starting, "left": left, "planned": planned, "turned_away": turned,
        "could_take": story.could,
    })
}
