//! The answer for programs.

use std::time::Duration;

use serde_json::{Map, Value, json};

use qscope_planning::farm::answer::answer;
use qscope_planning::farm::{Case, ClassNo, FarmRun};

/// One run: its keys at the top. Several: a list of such objects under `runs`.
pub(super) fn json(
    case: &Case,
    runs: &[FarmRun],
    simulated: &[&FarmRun],
    timing: Option<(Duration, Duration)>,
) -> Value {
    let of = |run: &FarmRun| {
        let mut all = Map::new();
        all.insert("policy".into(), json!(run.ask.name));
        all.extend(answer(&case.workload, run));
        all.insert("summary".into(), summary(case, run, runs));
        all
    };
    let mut root = match simulated {
        [only] => of(only),
        several => {
            let all: Vec<Value> = several.iter().map(|run| Value::Object(of(run))).collect();
            Map::from_iter([("runs".to_owned(), Value::Array(all))])
        }
    };
    root.insert("classes".into(), case.workload.classes.iter().map(|name| json!(&**name)).collect());
    root.insert(
        "packing".into(),
        case.packing.iter().map(|class| json!(&*case.workload.classes[*class])).collect(),
    );
    let kept = simulated.iter().find_map(|run| run.recording.as_ref());
    let kept = kept
        .map(|recording| recording.series.classes.iter().map(|class| json!(&*case.workload.classes[*class])));
    root.insert("series_classes".into(), kept.map_or(Value::Null, Iterator::collect));
    if let Some(real) = runs.iter().find(|run| run.ask.name == "real") {
        root.insert("real".into(), summary(case, real, runs));
    }
    root.insert("total_slots".into(), json!(case.workload.total_slots()));
    root.insert("seed".into(), json!(case.seed));
    root.insert("broken_records".into(), json!(case.broken));
    root.insert("problems".into(), json!(case.problems));
    root.insert("notes".into(), json!(case.notes));
    if let Some((read, simulate)) = timing {
        let ms = |took: Duration| took.as_millis() as u64;
        root.insert("timing_ms".into(), json!({"read": ms(read), "simulate": ms(simulate)}));
    }
    Value::Object(root)
}

/// The figures of a run.
fn summary(case: &Case, run: &FarmRun, runs: &[FarmRun]) -> Value {
    let summary = &run.summary;
    // Costs compare simulations with each other, not with what really ran.
    let relaxed = runs.iter().find(|other| other.ask.name == "relaxed").filter(|_| run.ask.name != "real");
    let relaxed = relaxed.map(|run| &run.summary);
    let class = |class: ClassNo| {
        let (means, waits) = (summary.class_means(class), &summary.classes[class].waits);
        json!({
            "policy": run.ask.policies[class].to_string(),
            "pi": summary.index(class),
            "slots": means.slots,
            "nodes": means.nodes,
            "sufficient": means.sufficient,
            "dispersion": means.nodes - means.sufficient,
            "mixed_nodes": means.mixed,
            "jobs_at_risk": means.at_risk,
            "jobs": waits.jobs(),
            "never_fits": summary.classes[class].never_fits,
            "slot_seconds": summary.classes[class].slot_seconds as f64,
            "wait_seconds": {"mean": waits.mean(), "median": waits.percentile(50), "p95": waits.percentile(95),
                             "longest": waits.longest(), "total": waits.total() as f64},
        })
    };
    let names = case.workload.classes.enumerate();
    let classes: Map<String, Value> = names.map(|(number, name)| (name.to_string(), class(number))).collect();
    json!({
        "window": [summary.window.from, summary.window.to],
        "mean_ff": summary.mean_ff(),
        "cost_slots": relaxed.and_then(|relaxed| summary.cost_against(relaxed)),
        "pi_classes": summary.index_of_all(&case.packing),
        "held_nodes": summary.mean_held(),
        "blocked_slots": summary.mean_blocked(),
        "busy_nodes": summary.mean_busy(),
        "pending_jobs": summary.mean_pending(),
        "makespan": summary.makespan,
        "events": summary.events,
        "classes": classes,
    })
}
