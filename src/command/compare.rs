//! `qscope compare`: what differs between two folders, or two cycles over one.

use color_eyre::eyre::{Result, eyre};
use serde_json::{Map, Value, json};

use qscope_engine::cluster::{Name, Seconds};
use qscope_engine::cycle::Verdict;
use qscope_exits::Lines;
use qscope_explain::words;
use qscope_session::compare::changes::{self, Line};
use qscope_session::compare::{
    AmountChange, Comparison, FieldChange, JobChange, JobChangeKind, NodeChange, SettingChange, Stand,
};
use qscope_session::{Effects, Generation};

use super::cli::{CompareArgs, FolderArgs};
use super::{open, output};

/// Compares two folders; the answer is no (1) when they differ.
///
/// # Errors
/// Bad input, or an output that cannot be written.
pub(super) fn run(args: &CompareArgs) -> Result<u8> {
    let at = |folder: &std::path::Path| FolderArgs {
        folder: Some(folder.to_owned()),
        json: args.json,
        reading: args.reading.clone(),
    };
    let before = open::generation(&at(&args.before))?;
    let after = match &args.after {
        None if args.set.settings.is_empty() => {
            return Err(eyre!(
                "expected a second folder, or --set KEY=VALUE to compare the folder with itself"
            ));
        }
        after => open::what_if(&at(after.as_ref().unwrap_or(&args.before)), &args.set)?,
    };
    print(&before, &after, args.json)
}

/// Compares two generations and prints what differs; 1 when anything does.
///
/// # Errors
/// The output cannot be written.
pub(super) fn print(before: &Generation, after: &Generation, as_json: bool) -> Result<u8> {
    let found = Comparison::of(&before.run, &after.run);
    let effects = after.what_if.as_ref().map(|_| Effects::of(&before.run, &after.run, &found));
    if as_json {
        let mut answer = to_json(&found);
        if let Some(map) = answer.as_object_mut() {
            output::label_unreadable(map, "unreadable_before", &before.snapshot);
        }
        if let (Some(effects), Some(map)) = (&effects, answer.as_object_mut()) {
            map.insert("effects".to_owned(), effects_json(effects));
        }
        output::print_json_about(after, answer)?;
    } else {
        let mut text = output::warnings(&before.snapshot);
        text.append(&effects.as_ref().map(effects_text).unwrap_or_default());
        text.append(&to_text(&found, before, after));
        output::print_about(after, &text)?;
    }
    Ok(u8::from(found.differs()))
}

/// For programs: what the settings do to jobs, by full id.
fn effects_json(effects: &Effects) -> Value {
    let names = |names: &[Name]| names.iter().map(|name| json!(&**name)).collect::<Value>();
    let timed = |times: &[(Name, Option<Seconds>)]| {
        let one = |(name, by): &(Name, Option<Seconds>)| json!({"id": &**name, "seconds": by.map(|by| by.0)});
        times.iter().map(one).collect::<Value>()
    };
    json!({
        "starts": names(&effects.starts),
        "waits": names(&effects.waits),
        "moved": names(&effects.moved),
        "spans": names(&effects.spans),
        "spans_no_longer": names(&effects.together),
        "later": timed(&effects.later),
        "sooner": timed(&effects.sooner),
    })
}

/// For people: a line for each thing that happens to jobs.
fn effects_text(effects: &Effects) -> Lines {
    let kinds = effects.in_words();
    if kinds.is_empty() {
        return Lines::from_iter(["no job is touched", ""]);
    }
    let line =
        |(word, jobs): &(&str, Vec<String>)| format!("{word:<14}  {:>5}  {}", jobs.len(), jobs.join(" "));
    let mut text: Lines = kinds.iter().map(line).collect();
    text.blank();
    text
}

/// For programs: jobs by kind of change, vnodes, settings.
fn to_json(found: &Comparison) -> Value {
    let mut jobs = Map::new();
    for kind in JobChangeKind::ALL {
        jobs.insert(kind.word().to_owned(), found.jobs_that(kind).map(job_json).collect());
    }
    json!({
        "from": found.from.0,
        "to": found.to.0,
        "differs": found.differs(),
        "jobs": jobs,
        "nodes": found.nodes.iter().map(node_json).collect::<Vec<_>>(),
        "unsure": found.unsure.iter().map(job_json).collect::<Vec<_>>(),
        "doubt": found.doubt,
        "settings": found.settings.iter().map(setting_json).collect::<Vec<_>>(),
    })
}

pub(super) fn job_json(change: &JobChange) -> Value {
    let stand = |stand: &Stand| {
        json!({
            "state": stand.state.letter().to_string(),
            "verdict": stand.verdict.map(Verdict::word).or(stand.runs().then_some("running")),
            "path": stand.path.map(qscope_engine::placement::Path::word),
            "tier": stand.tier.map(qscope_explain::Tier::word),
            "comment": stand.reason,
            "exec_vnode": stand.on,
            "estimated_start": stand.estimate.map(|start| start.0),
        })
    };
    json!({
        "id": &*change.job,
        "before": change.before.as_ref().map(stand),
        "after": change.after.as_ref().map(stand),
        "altered": fields_json(&change.altered),
    })
}

fn fields_json(fields: &[FieldChange]) -> Vec<Value> {
    let one = |field: &FieldChange| json!({"name": field.name, "before": field.before, "after": field.after});
    fields.iter().map(one).collect()
}

fn node_json(change: &NodeChange) -> Value {
    let names =
        |names: &[qscope_engine::cluster::Name]| names.iter().map(|name| json!(&**name)).collect::<Value>();
    let free = |one: &AmountChange| {
        json!({
            "resource": &*one.resource,
            "before": one.before.map(|amount| amount.show(one.kind)),
            "after": one.after.map(|amount| amount.show(one.kind)),
        })
    };
    json!({
        "node": &*change.node,
        "change": change.kind.word(),
        "before": change.before.map(|states| states.to_string()),
        "after": change.after.map(|states| states.to_string()),
        "free": change.free.iter().map(free).collect::<Vec<_>>(),
        "altered": fields_json(&change.altered),
        "arrived": names(&change.arrived),
        "left": names(&change.left),
    })
}

fn setting_json(change: &SettingChange) -> Value {
    let field = &change.field;
    json!({"object": change.object, "name": field.name, "before": field.before, "after": field.after})
}

/// For people: a line a change, under headings.
fn to_text(found: &Comparison, before: &Generation, after: &Generation) -> Lines {
    let (old, new) = (&before.snapshot, &after.snapshot);
    let apart = (found.to - found.from).0;
    let later = match apart {
        0 => "the same moment".to_owned(),
        _ => {
            let length = qscope_engine::cluster::Seconds(apart.abs());
            format!("{} {}", words::span(length), if apart > 0 { "later" } else { "earlier" })
        }
    };
    let mut text = Lines::new();
    text.line(format_args!("{} -> {}, {later}: {}", old.title, new.title, changes::summary(found)));
    if let Some(doubt) = &found.doubt {
        text.line(format_args!("{doubt}"));
    }
    let lines = changes::lines(found, new);
    for group in lines.chunk_by(|a, b| a.group == b.group) {
        text.blank();
        text.extend(group.first().map(|line| line.group));
        let wide = group.iter().map(|line| line.name.len()).max().unwrap_or(0).min(24);
        for Line { name, text: what, .. } in group {
            text.line(format_args!("  {name:<wide$}  {what}"));
        }
    }
    text
}
