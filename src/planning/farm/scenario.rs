//! A farm and its work in one JSON file, as written by hand by people and tests.

mod file;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use qscope_engine::cluster::{Column, Name};

use super::{ClassNo, FarmError, FarmJob, FarmNode, FarmPolicy, NodeNo, Resident, Workload};
use file::{FarmInteger, JOB_KEYS, JobEntry, NodeEntry, RESIDENT_KEYS, ResidentEntry, ScenarioFile, entry};

/// A farm, its work, and which classes pack.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    pub name: String,
    /// What the scenario demonstrates.
    pub why: String,
    /// Nodes, jobs, and the jobs that run at the start.
    pub workload: Workload,
    /// The classes to which a policy applies.
    pub packing: Vec<ClassNo>,
    /// Policies of single classes, where they differ.
    pub mixed: Vec<(ClassNo, FarmPolicy)>,
    /// Errors of single jobs, which are left out.
    pub problems: Vec<String>,
    /// Unknown keys, as `jobs: slot`.
    pub unknown: Vec<String>,
}

impl Scenario {
    /// Reads a scenario. `file` is its name in messages; `wanted` selects one of several in the same file.
    ///
    /// # Errors
    /// The text is not JSON, has no nodes, or has several scenarios and none is selected.
    pub fn parse(file: &str, text: &[u8], wanted: Option<&str>) -> Result<Self, FarmError> {
        let root: Value = serde_json::from_slice(text).map_err(|error| FarmError::Line {
            file: file.to_owned(),
            line: error.line() as u64,
            what: error.to_string(),
        })?;
        let fail = |what: String| FarmError::File { file: file.to_owned(), what };
        let chosen = match root.get("scenarios").and_then(Value::as_array) {
            Some(all) => one_of(all, wanted).map_err(fail)?,
            None => &root,
        };
        if !chosen.is_object() {
            return Err(fail("expected an object with nodes and jobs".to_owned()));
        }
        read(file, chosen)
    }
}

/// Picks one scenario of several.
fn one_of<'a>(all: &'a [Value], wanted: Option<&str>) -> Result<&'a Value, String> {
    fn name(one: &Value) -> &str {
        one.get("name").and_then(Value::as_str).unwrap_or_default()
    }
    if let ([only], None) = (all, wanted) {
        return Ok(only);
    }
    let names = || all.iter().map(name).collect::<Vec<_>>().join(", ");
    let wanted = wanted.ok_or_else(|| format!("holds several scenarios, name one: {}", names()))?;
    let fits = |one: &&Value| name(one) == wanted || name(one).starts_with(&format!("{wanted}_"));
    all.iter().find(fits).ok_or_else(|| format!("no scenario `{wanted}`; there are {}", names()))
}

fn read(file: &str, object: &Value) -> Result<Scenario, FarmError> {
    let all: ScenarioFile = entry(object).map_err(|what| FarmError::File { file: file.to_owned(), what })?;
    let mut scenario = Scenario { unknown: unknown_keys(&all), ..Scenario::default() };
    let workload = &mut scenario.workload;
    workload.classes = class_names(&all).into_iter().map(Name::from).collect();
    workload.nodes = nodes(file, &all.nodes)?;
    workload.from = all.t0.map_or(workload.from, |from| from.0);
    let mut problem =
        |place: String, what: String| scenario.problems.push(format!("{file}: {place}: {what}"));
    for (at, job) in all.jobs.iter().enumerate() {
        if let Err(what) = add_job(workload, job) {
            problem(format!("jobs[{at}]"), what);
        }
    }
    for (at, job) in all.initial.iter().enumerate() {
        if let Err(what) = add_resident(workload, job) {
            problem(format!("initial[{at}]"), what);
        }
    }
    scenario.packing = all.packing.iter().filter_map(|name| workload.class_named(name)).collect();
    for (name, policy) in &all.mixed {
        match (workload.class_named(name), policy_of(policy)) {
            (Some(class), Some(policy)) => scenario.mixed.push((class, policy)),
            _ => problem(format!("mixed.{name}"), format!("no policy: {policy}")),
        }
    }
    (scenario.name, scenario.why) = (all.name, all.why);
    Ok(scenario)
}

/// Returns the unknown keys, once each.
fn unknown_keys(all: &ScenarioFile) -> Vec<String> {
    fn of_jobs(jobs: &[Value], known: &[&str]) -> BTreeSet<String> {
        let keys = jobs.iter().filter_map(Value::as_object).flat_map(Map::keys);
        keys.filter(|key| !known.contains(&key.as_str())).cloned().collect()
    }
    let nodes: BTreeSet<&String> = all.nodes.iter().flat_map(|node| node.unknown.keys()).collect();
    let mut unknown: Vec<String> = all.unknown.keys().cloned().collect();
    unknown.extend(nodes.into_iter().map(|key| format!("nodes: {key}")));
    unknown.extend(of_jobs(&all.jobs, &JOB_KEYS).into_iter().map(|key| format!("jobs: {key}")));
    unknown.extend(of_jobs(&all.initial, &RESIDENT_KEYS).into_iter().map(|key| format!("initial: {key}")));
    unknown
}

/// Returns all class names found anywhere, in byte order.
fn class_names(all: &ScenarioFile) -> BTreeSet<&str> {
    let jobs = all.jobs.iter().chain(&all.initial);
    let of_jobs = jobs.filter_map(|job| job.get("class")?.as_str());
    let listed = all.classes.iter().chain(&all.packing).chain(all.mixed.keys());
    listed.map(String::as_str).chain(of_jobs).collect()
}

fn nodes(file: &str, entries: &[NodeEntry]) -> Result<Column<NodeNo, FarmNode>, FarmError> {
    let mut column = Column::new();
    for (at, node) in entries.iter().enumerate() {
        let fail =
            |what: &str| FarmError::Scenario { place: format!("{file}: nodes[{at}]"), what: what.to_owned() };
        let slots = node.slots.narrow("slots").ok().filter(|slots| *slots <= super::MAX_SLOTS);
        let slots = slots.ok_or_else(|| fail("expected slots, a whole number up to 65536"))?;
        let memory = node.mem.map(|memory| memory.narrow("mem")).transpose().map_err(|what| fail(&what))?;
        column.push(FarmNode { name: node.name.as_str().into(), slots, memory });
    }
    if column.is_empty() {
        return Err(FarmError::File { file: file.to_owned(), what: "has no nodes".to_owned() });
    }
    Ok(column)
}

/// Reads a policy by name, or a lifetime in seconds.
fn policy_of(value: &Value) -> Option<FarmPolicy> {
    match value {
        Value::String(text) if text == "inf" => Some(FarmPolicy::Exclusive),
        Value::String(text) => FarmPolicy::parse(text).ok(),
        other => FarmInteger::try_from(other.clone())
            .ok()
            .filter(|ttl| ttl.0 >= 0)
            .map(|ttl| FarmPolicy::Ttl(ttl.0)),
    }
}

fn class_of(workload: &Workload, name: &str) -> Result<ClassNo, String> {
    workload.class_named(name).ok_or_else(|| format!("no class `{name}`"))
}

fn add_job(workload: &mut Workload, value: &Value) -> Result<(), String> {
    let job: JobEntry = entry(value)?;
    let read = FarmJob {
        submit: job.submit.0,
        run: job.run.narrow("run")?,
        class: class_of(workload, &job.class)?,
        slots: job.slots.unwrap_or(FarmInteger(1)).narrow("slots")?,
        priority: job.prio.unwrap_or(FarmInteger(0)).narrow("prio")?,
        memory: job.mem.unwrap_or(FarmInteger(0)).narrow("mem")?,
    };
    workload.jobs.push(read);
    workload.ids.push(job.id.into());
    Ok(())
}

fn add_resident(workload: &mut Workload, value: &Value) -> Result<(), String> {
    let job: ResidentEntry = entry(value)?;
    let node = workload.nodes.enumerate().find(|(_, node)| *node.name == *job.node);
    let (node, _) = node.ok_or_else(|| format!("no node `{}`", job.node))?;
    workload.residents.push(Resident {
        class: class_of(workload, &job.class)?,
        node,
        start: job.start.0,
        end: job.end.0,
        slots: job.slots.unwrap_or(FarmInteger(1)).narrow("slots")?,
        memory: job.mem.unwrap_or(FarmInteger(0)).narrow("mem")?,
        id: job.id.map_or_else(|| "?".into(), Into::into),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_job_is_left_out_and_named() {
        let text = br#"{"nodes": [{"name": "a", "slots": 2}], "jobs": [
            {"id": "1", "class": "P", "submit": 0, "run": 5},
            {"id": "2", "class": "P", "submit": "x", "run": 5},
            {"id": "3", "class": "P", "submit": 0, "run": -5}]}"#;
        let scenario = Scenario::parse("s.json", text, None).unwrap();
        assert_eq!(scenario.workload.jobs.len(), 1);
        assert_eq!(
            scenario.problems,
            [
                "s.json: jobs[1]: submit: expected a whole number, found \"x\"",
                "s.json: jobs[2]: run: -5 is out of range"
            ]
        );
    }

    #[test]
    fn a_key_that_means_nothing_is_named_once() {
        let text = br#"{"nodes": [{"name": "a", "slots": 2}], "packs": ["P"], "jobs": [
            {"id": "1", "class": "P", "submit": 0, "run": 5, "slot": 2},
            {"id": "2", "class": "P", "submit": 0, "run": 5, "slot": 2}]}"#;
        let scenario = Scenario::parse("s.json", text, None).unwrap();
        assert_eq!(scenario.unknown, ["packs", "jobs: slot"]);
        assert_eq!(scenario.workload.jobs.len(), 2);
    }

    #[test]
    fn a_scenario_without_nodes_or_not_json_names_the_file() {
        let error_of = |text: &[u8]| Scenario::parse("s.json", text, None).unwrap_err().to_string();
        assert_eq!(error_of(b"{}"), "s.json: has no nodes");
        assert!(error_of(b"{\n\"nodes\": [\n}").starts_with("s.json:3: "));
    }
}
