//! `qscope cycle`: what becomes of every job.

use color_eyre::eyre::Result;
use serde_json::{Map, Value, json};

use qscope_engine::cluster::{JobId, Name, Snapshot};
use qscope_engine::cycle::{Action, Confirmation, Outcome, Run, Verdict};
use qscope_engine::placement::Tries;
use qscope_engine::universe::{Allocation, Plan, PreemptMethod, resolved};
use qscope_exits::Lines;
use qscope_session::Generation;
use qscope_session::query::Query;
use qscope_session::records::{JobRecord, job_fields};

use super::cli::CycleArgs;
use super::cycle_policy::UnderPolicy;
use super::cycle_qrun::Qrun;
use super::open::pointed;
use super::{buckets, open, output, pools};

/// Runs the cycle and prints it.
///
/// # Errors
/// Bad input, or an output that cannot be written.
pub(super) fn run(args: &CycleArgs) -> Result<u8> {
    let mut generation = open::what_if(&args.at, &args.set)?;
    let under = UnderPolicy::replace(&mut generation, args);
    let asked = args.qrun.as_deref().map(|job| Qrun::replace(&mut generation, job)).transpose()?;
    let query = query(&generation, args.query.as_deref().unwrap_or_default())?;
    if args.at.json {
        let mut answer = cycle_json(&generation, &query, args.at.reading.semantics.name());
        if let Some(under) = &under {
            answer.insert("policy".to_owned(), under.to_json());
        }
        if let Some(asked) = &asked {
            answer.insert("qrun".to_owned(), asked.to_json(&generation));
        }
        if args.timing {
            answer.insert("timing_ms".to_owned(), timing(&generation));
        }
        output::print_json_about(&generation, Value::Object(answer))?;
    } else {
        let mut text = Lines::new();
        text.extend(under.iter().flat_map(UnderPolicy::to_text));
        text.extend(asked.map(|asked| asked.to_text(&generation)));
        text.append(&table(&generation, &query));
        output::print_about(&generation, &text)?;
    }
    Ok(0)
}

/// Which jobs are asked for.
fn query(generation: &Generation, text: &str) -> Result<Query> {
    let fields = job_fields(&generation.snapshot.catalogue);
    Query::parse(text, &fields).map_err(|error| pointed("--where cannot be read", text, &error.caret(text)))
}

fn timing(generation: &Generation) -> Value {
    let ms = |took: std::time::Duration| took.as_secs_f64() * 1000.0;
    json!({
        "read": ms(generation.read_took),
        "build": ms(generation.build_took),
        "cycle": ms(generation.cycle_took),
    })
}

fn cycle_json(generation: &Generation, query: &Query, semantics: &str) -> Map<String, Value> {
    let (snap, run) = (&generation.snapshot, &generation.run);
    let mut answer = Map::new();
    let rows = rows(run);
    let asked = rows.iter().filter(|row| query.fits(&JobRecord::of(run, &row.outcome)));
    let jobs: Vec<Value> = asked.map(|row| job_json(run, row)).collect();
    let started = run.outcomes().filter(|outcome| outcome.placed.is_some()).map(|outcome| name(run, outcome));
    let mut put = |key: &str, value: Value| answer.insert(key.to_owned(), value);
    put("case", json!(&*snap.title));
    put("now", json!(snap.now.0));
    put("semantics", json!(semantics));
    put("jobs", json!(jobs));
    put("run_order", started.collect());
    put("resv_confirms", run.confirmations.iter().map(|tried| confirmation(run, tried)).collect());
    put("psets", pools::sets_json(run));
    put("buckets", buckets::buckets_json(run));
    put("quirks", run.witnesses.iter().map(|witness| witness_json(snap, witness)).collect());
    put("warnings", warnings(generation));
    if !run.actions.is_empty() {
        put("actions", run.actions.iter().map(|action| json!(action_words(snap, *action))).collect());
    }
    answer
}

/// What the scheduler answers to the server about a reservation.
fn confirmation(run: &Run, tried: &Confirmation) -> Value {
    let snap = &run.plan.snap;
    let name = &snap.reservations[tried.reservation].name;
    let partition = snap.scheduler.partitions.first().map_or("pbs-default", |name| &**name);
    let answer = match &tried.result {
        Ok(placed) => format!(
            "{name} PBS_RESV_CONFIRM_SUCCESS:partition={partition} {} {}",
            tried.start.0,
            placed.exec_vnode(&run.plan)
        ),
        Err(_) => format!("{name} PBS_RESV_CONFIRM_FAIL 0 null"),
    };
    answer.into()
}

/// What the model leaves out, then what readers had to say.
fn warnings(generation: &Generation) -> Value {
    let read = generation
        .snapshot
        .diagnostics
        .iter()
        .filter(|d| d.severity > qscope_engine::cluster::Severity::Note);
    generation.run.warnings.iter().cloned().chain(read.map(ToString::to_string)).collect()
}

/// What the server was asked to do with a job.
fn action_words(snap: &Snapshot, action: Action) -> String {
    let name = |job: JobId| &snap.jobs[job].name;
    match action {
        Action::Preempt(job, method) => {
            let letter = match method {
                PreemptMethod::Suspend => 'S',
                PreemptMethod::Checkpoint => 'C',
                PreemptMethod::Requeue => 'Q',
                PreemptMethod::Delete => 'D',
            };
            format!("preempt {} {letter}", name(job))
        }
        Action::Resume(job) => format!("sigjob {} resume", name(job)),
    }
}

fn witness_json(snap: &Snapshot, witness: &qscope_engine::cycle::Witness) -> Value {
    json!({
        "quirk": witness.quirk.name(),
        "job": &*snap.jobs[witness.job].name,
        "what": witness.what,
        "about": witness.quirk.sentence(),
    })
}

/// The full id; of the subjob, where one was started.
fn name(run: &Run, outcome: &Outcome) -> Value {
    json!(outcome.name(&run.plan.snap))
}

/// One row a job: considered jobs in order, an array before the subjobs it started, the others last.
fn rows(run: &Run) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut parents: rustc_hash::FxHashMap<JobId, usize> = rustc_hash::FxHashMap::default();
    for outcome in run.outcomes() {
        if !run.plan.job(outcome.job).is_array() {
            rows.push(Row { outcome: outcome.clone(), set: set_of(run, outcome) });
            continue;
        }
        let parent = *parents.entry(outcome.job).or_insert_with(|| {
            let parent = Outcome { subjob: None, tries: Tries::default(), placed: None, ..outcome.clone() };
            rows.push(Row { outcome: parent, set: None });
            rows.len() - 1
        });
        if let Some(row) = rows.get_mut(parent) {
            if row.outcome.verdict == Verdict::Run {
                row.set = outcome.tries.last_looked_into(&run.end).or(row.set.take());
            }
            let row = &mut row.outcome;
            row.tries.extend(&outcome.tries);
            row.estimate = outcome.estimate.clone().or(row.estimate.take());
            row.order = row.order.min(outcome.order);
        }
        if outcome.placed.is_some() {
            let subjob = Outcome { tries: Tries::default(), ..outcome.clone() };
            rows.push(Row { outcome: subjob, set: None });
        }
    }
    rows
}

/// One row of the answer.
struct Row {
    outcome: Outcome,
    /// The set that holds the job; of an array, the one looked into last.
    set: Option<Name>,
}

/// The set that holds a job. One that preemption put on its nodes was not looking for a set any more: it may
/// have landed in the one that it looked into last.
fn set_of(run: &Run, outcome: &Outcome) -> Option<Name> {
    let placed = outcome.placed.as_ref()?;
    if !outcome.by_preemption {
        return placed.set.clone();
    }
    outcome.tries.last_looked_into(&run.end).filter(|set| holds(&run.plan, set, &placed.allocation))
}

/// Whether all nodes of a placement have the value that a set is named after.
fn holds(plan: &Plan, set: &str, allocation: &Allocation) -> bool {
    let Some((key, value)) = set.split_once('=') else { return false };
    let Some(resource) = plan.snap.catalogue.id(key) else { return false };
    allocation.nodes().into_iter().all(|bit| {
        let found = resolved(&plan.snap, plan.nodes[bit].id, resource);
        let texts = found.map(|(_, value)| value.texts()).unwrap_or_default();
        if value == NO_VALUE { texts.is_empty() } else { texts.iter().any(|text| **text == *value) }
    })
}

/// How the name of a set says that its nodes lack the key.
const NO_VALUE: &str = "\"\"";

fn job_json(run: &Run, Row { outcome, set }: &Row) -> Value {
    let catalogue = &run.plan.snap.catalogue;
    let path = outcome.path.map(qscope_engine::placement::Path::word);
    let comment = outcome.rejection.as_ref().map(|rejection| rejection.comment(catalogue));
    let named = outcome.tries.named(&run.end);
    let tried = |(name, too_small)| if too_small { format!("too small: {name}") } else { format!("{name}") };
    let tries: Vec<String> = named.into_iter().map(tried).collect();
    let mut row = json!({
        "id": name(run, outcome),
        "order": outcome.order,
        "verdict": outcome.verdict.word(),
        "path": path,
        "would_use": outcome.would_use.map(|choice| choice.path.word()),
        "path_rule": outcome.would_use.map(|choice| choice.rule.name()),
        "turned_away_by": outcome.refused_at.map(qscope_engine::cycle::Stage::word),
        "exec_vnode": outcome.placed.as_ref().map(|placed| placed.allocation.exec_vnode(&run.plan)),
        "comment": comment,
        "topjob": outcome.estimate.is_some() && !run.plan.job(outcome.job).is_array(),
        "estimated": outcome.estimate.as_ref().map(|top| {
            json!({"start": top.start.0, "exec_vnode": top.allocation.merged(&run.plan)})
        }),
        "pset": set.as_deref(),
        "psets_tried": tries,
        "examined": {
            "sets": outcome.examined.sets,
            "buckets": outcome.examined.buckets,
            "nodes": outcome.examined.nodes,
        },
    });
    if let (Some(length), Some(row)) = (outcome.shrunk_to, row.as_object_mut()) {
        row.insert("alters".to_owned(), json!({"Resource_List.walltime": length.to_string()}));
    }
    row
}

/// The most groups of a placement in a line for people; JSON has them all.
const MAX_GROUPS: usize = 2000;

/// The cycle for people: one line a job.
fn table(generation: &Generation, query: &Query) -> Lines {
    let (snap, run) = (&generation.snapshot, &generation.run);
    let mut text = Lines::new();
    let (considered, others) = (run.steps.len(), run.others.len());
    text.line(format_args!("{}: {considered} jobs considered, {others} others", snap.title));
    for outcome in run.outcomes().filter(|outcome| query.fits(&JobRecord::of(run, outcome))) {
        let order = outcome.order.map_or("-".to_owned(), |order| order.to_string());
        let path = outcome.path.map_or("-", |path| path.word());
        let what = match (&outcome.placed, &outcome.rejection) {
            (Some(placed), _) => placed.allocation.exec_vnode_within(&run.plan, MAX_GROUPS),
            (None, Some(rejection)) => rejection.comment(&snap.catalogue),
            (None, None) => String::new(),
        };
        let name = outcome.name(snap);
        text.line(format_args!("{order:>5}  {name:<14} {:<14} {path:<6}  {what}", outcome.verdict.word()));
    }
    for warning in &run.warnings {
        text.line(format_args!("warning: {warning}"));
    }
    text
}
