//! A farm and its work in one JSON file, as people and tests write it by hand.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use qscope_engine::cluster::{Column, Name};

use super::FarmError;
use super::policy::Policy;
use super::workload::{ClassNo, FarmJob, FarmNode, NodeNo, Resident, Workload};

/// A farm, its work, and which classes pack.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub why: String,
    /// Nodes, jobs, and what runs at the start.
    pub workload: Workload,
    /// The classes that a policy is for.
    pub packing: Vec<ClassNo>,
    /// A policy for each of some classes, where they differ.
    pub mixed: Vec<(ClassNo, Policy)>,
    /// What was wrong with single jobs, which are left out.
    pub problems: Vec<String>,
    /// Keys that mean nothing here, as `jobs: slot`.
    pub unknown: Vec<String>,
}

impl Scenario {
    /// Reads a scenario. `file` is for messages; `wanted` picks one of several in the same file.
    ///
    /// # Errors
    /// Not JSON, no nodes, or several scenarios and none picked.
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
        let object =
            chosen.as_object().ok_or_else(|| fail("expected an object with nodes and jobs".to_owned()))?;
        read(file, object)
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

fn read(file: &str, object: &Map<String, Value>) -> Result<Scenario, FarmError> {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = |key: &str| object.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut reader = ScenarioReader { file, scenario: Scenario::default() };
    reader.scenario.name = text("name");
    reader.scenario.why = text("why");
    reader.unknown("", [object].into_iter(), &KEYS);
    let objects = |key: &str| list(key).iter().filter_map(Value::as_object);
    reader.unknown("nodes: ", objects("nodes"), &["name", "slots", "mem"]);
    reader.unknown("jobs: ", objects("jobs"), &["id", "class", "submit", "run", "slots", "mem", "prio"]);
    reader.unknown(
        "initial: ",
        objects("initial"),
        &["id", "class", "node", "start", "end", "slots", "mem", "prio"],
    );
    reader.classes(object, list("jobs"), list("initial"));
    reader.nodes(list("nodes"))?;
    for (at, job) in list("jobs").iter().enumerate() {
        if let Err(what) = reader.job(job) {
            reader.problem(&format!("jobs[{at}]"), &what);
        }
    }
    for (at, job) in list("initial").iter().enumerate() {
        if let Err(what) = reader.resident(job) {
            reader.problem(&format!("initial[{at}]"), &what);
        }
    }
    let classes = list("packing").iter().filter_map(Value::as_str);
    reader.scenario.packing = classes.filter_map(|name| reader.scenario.workload.class_named(name)).collect();
    for (name, policy) in object.get("mixed").and_then(Value::as_object).into_iter().flatten() {
        let class = reader.scenario.workload.class_named(name);
        match (class, policy_of(policy)) {
            (Some(class), Some(policy)) => reader.scenario.mixed.push((class, policy)),
            _ => reader.problem(&format!("mixed.{name}"), &format!("no policy: {policy}")),
        }
    }
    if let Some(from) = object.get("t0").and_then(whole) {
        reader.scenario.workload.from = from;
    }
    Ok(reader.scenario)
}

/// What a scenario may say; answers may lie beside it.
const KEYS: [&str; 11] = [
    "name",
    "why",
    "nodes",
    "jobs",
    "initial",
    "packing",
    "mixed",
    "classes",
    "t0",
    "total_slots",
    "expected",
];

/// A policy by name, or a lifetime in seconds.
fn policy_of(value: &Value) -> Option<Policy> {
    match value {
        Value::String(text) if text == "inf" => Some(Policy::Exclusive),
        Value::String(text) => Policy::parse(text).ok(),
        other => whole(other).filter(|ttl| *ttl >= 0).map(Policy::Ttl),
    }
}

struct ScenarioReader<'a> {
    file: &'a str,
    scenario: Scenario,
}

impl ScenarioReader<'_> {
    fn problem(&mut self, place: &str, what: &str) {
        self.scenario.problems.push(format!("{}: {place}: {what}", self.file));
    }

    /// Remembers keys that mean nothing, once each: a misspelt one would change the farm without a word.
    fn unknown<'v>(
        &mut self,
        place: &str,
        objects: impl Iterator<Item = &'v Map<String, Value>>,
        known: &[&str],
    ) {
        let found: BTreeSet<String> = objects
            .flat_map(Map::keys)
            .filter(|key| !known.contains(&key.as_str()))
            .map(|key| format!("{place}{key}"))
            .collect();
        self.scenario.unknown.extend(found);
    }

    /// All classes that are named anywhere, in byte order.
    fn classes(&mut self, object: &Map<String, Value>, jobs: &[Value], initial: &[Value]) {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for key in ["classes", "packing"] {
            let listed = object.get(key).and_then(Value::as_array).into_iter().flatten();
            names.extend(listed.filter_map(Value::as_str));
        }
        let jobs = jobs.iter().chain(initial);
        names.extend(jobs.filter_map(|job| job.get("class").and_then(Value::as_str)));
        if let Some(mixed) = object.get("mixed").and_then(Value::as_object) {
            names.extend(mixed.keys().map(String::as_str));
        }
        self.scenario.workload.classes = names.into_iter().map(Name::from).collect();
    }

    fn nodes(&mut self, nodes: &[Value]) -> Result<(), FarmError> {
        let mut column = Column::new();
        for (at, node) in nodes.iter().enumerate() {
            let fail = |what: &str| FarmError::Scenario {
                place: format!("{}: nodes[{at}]", self.file),
                what: what.to_owned(),
            };
            let name = node.get("name").and_then(Value::as_str).ok_or_else(|| fail("expected a name"))?;
            let slots = node.get("slots").and_then(whole).and_then(|slots| u32::try_from(slots).ok());
            let slots = slots.filter(|slots| *slots <= super::MAX_SLOTS);
            let slots = slots.ok_or_else(|| fail("expected slots, a whole number up to 65536"))?;
            let memory = match node.get("mem").filter(|memory| !memory.is_null()) {
                None => None,
                Some(memory) => Some(
                    whole(memory)
                        .and_then(|memory| u64::try_from(memory).ok())
                        .ok_or_else(|| fail("expected mem, a whole number"))?,
                ),
            };
            column.push(FarmNode { name: name.into(), slots, memory });
        }
        if column.is_empty() {
            return Err(FarmError::File { file: self.file.to_owned(), what: "has no nodes".to_owned() });
        }
        self.scenario.workload.nodes = column;
        Ok(())
    }

    fn class(&self, job: &Value) -> Result<ClassNo, String> {
        let name = job.get("class").and_then(Value::as_str).ok_or("expected a class")?;
        self.scenario.workload.class_named(name).ok_or_else(|| format!("no class `{name}`"))
    }

    fn job(&mut self, job: &Value) -> Result<(), String> {
        let class = self.class(job)?;
        let submit = number(job, "submit", None)?;
        let what = FarmJob {
            submit,
            run: narrow(number(job, "run", None)?, "run")?,
            class,
            slots: narrow(number(job, "slots", Some(1))?, "slots")?,
            priority: i32::try_from(number(job, "prio", Some(0))?).map_err(|_| "prio is out of range")?,
            memory: narrow(number(job, "mem", Some(0))?, "mem")?,
        };
        let id = id(job).ok_or("expected an id")?;
        self.scenario.workload.jobs.push(what);
        self.scenario.workload.ids.push(id);
        Ok(())
    }

    fn resident(&mut self, job: &Value) -> Result<(), String> {
        let class = self.class(job)?;
        let name = job.get("node").and_then(Value::as_str).ok_or("expected a node")?;
        let nodes = &self.scenario.workload.nodes;
        let node = nodes.enumerate().find(|(_, node)| &*node.name == name).map(|(node, _)| node);
        let node: NodeNo = node.ok_or_else(|| format!("no node `{name}`"))?;
        let (start, end) = (number(job, "start", None)?, number(job, "end", None)?);
        let resident = Resident {
            id: id(job).unwrap_or_else(|| "?".into()),
            class,
            node,
            start,
            end,
            slots: narrow(number(job, "slots", Some(1))?, "slots")?,
            memory: narrow(number(job, "mem", Some(0))?, "mem")?,
        };
        self.scenario.workload.residents.push(resident);
        Ok(())
    }
}

fn id(job: &Value) -> Option<Name> {
    match job.get("id")? {
        Value::String(text) => Some(Name::from(text.as_str())),
        Value::Number(number) => Some(Name::from(number.to_string())),
        _ => None,
    }
}

/// A whole number; `1.0` counts as one.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        (number.fract() == 0.0 && number.abs() < super::LATEST as f64).then_some(number as i64)
    })
}

fn number(job: &Value, key: &str, default: Option<i64>) -> Result<i64, String> {
    match (job.get(key).filter(|value| !value.is_null()), default) {
        (None, Some(default)) => Ok(default),
        (None, None) => Err(format!("expected {key}")),
        (Some(value), _) => whole(value)
            .filter(|number| number.abs() <= super::LATEST)
            .ok_or_else(|| format!("{key}: expected a whole number, found {value}")),
    }
}

fn narrow<T: TryFrom<i64>>(number: i64, key: &str) -> Result<T, String> {
    T::try_from(number).map_err(|_| format!("{key}: {number} is out of range"))
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
        let say = |text: &[u8]| Scenario::parse("s.json", text, None).unwrap_err().to_string();
        assert_eq!(say(b"{}"), "s.json: has no nodes");
        assert!(say(b"{\n\"nodes\": [\n}").starts_with("s.json:3: "));
    }
}
