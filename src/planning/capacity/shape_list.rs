//! A plain list of what jobs need, as JSON or CSV, without a batch system.
//!
//! ```json
//! [{ "cores": 2, "memory": "4gb", "disk": "10gb", "wall_time": "01:00:00", "preemptible": false, "count": 10 }]
//! ```
//!
//! ```csv
//! cores,memory,disk,wall_time,preemptible,count
//! 2,4gb,10gb,01:00:00,false,10
//! ```
//!
//! Only `cores` and `memory` are required. By default the disk is 0, the wall time an hour and the count 1,
//! and a job is not preemptible. Sizes have a unit or are bytes, wall times are seconds or `01:00:00`. The
//! columns of a CSV may be in any order; lines that begin with `#` are comments.

use qscope_engine::cluster::{Amount, ResourceType, parse_duration};
use serde_json::{Map, Value};

use super::shape::CapacityShape;

/// Jobs by their shape, in the order of the list.
#[derive(Clone, PartialEq, Debug)]
pub struct ShapeList {
    /// Each shape with its count.
    pub jobs: Vec<(CapacityShape, u64)>,
}

/// Why a list cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {what}")]
pub struct ShapeListError {
    /// The line or item.
    pub place: String,
    /// What is wrong, and what is expected.
    pub what: String,
}

const COLUMNS: [&str; 6] = ["cores", "memory", "disk", "wall_time", "preemptible", "count"];

/// Default wall time in seconds.
const HOUR: f64 = 3600.0;

/// Maximum number of jobs of a list.
const MOST: u64 = 1_000_000;

impl ShapeList {
    /// Reads a list; none if the text is another problem of the scaler.
    ///
    /// # Errors
    /// A key or column is unknown, a value is invalid, or there are too many jobs.
    pub fn read(text: &str) -> Result<Option<Self>, ShapeListError> {
        let jobs = if text.trim_start().starts_with(['[', '{']) {
            let Some(items) = items(text) else { return Ok(None) };
            let read = |(at, item): (usize, &Map<String, Value>)| row(&format!("item {at}"), item);
            items.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?
        } else {
            csv(text)?
        };
        let all = jobs.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
        if all > MOST {
            return Err(list_error("the list", format!("it has {all} jobs; at most {MOST} are packed")));
        }
        Ok(Some(Self { jobs }))
    }
}

fn list_error(place: &str, what: impl Into<String>) -> ShapeListError {
    ShapeListError { place: place.to_owned(), what: what.into() }
}

/// Returns the objects of a JSON list whose first object has a key of a column; problems of the scaler have
/// none.
fn items(text: &str) -> Option<Vec<Map<String, Value>>> {
    let Ok(Value::Array(items)) = serde_json::from_str::<Value>(text) else { return None };
    let objects: Vec<Map<String, Value>> = items
        .into_iter()
        .map(|item| match item {
            Value::Object(object) => object,
            _ => Map::new(),
        })
        .collect();
    let is_row = |object: &Map<String, Value>| COLUMNS.iter().any(|column| object.contains_key(*column));
    objects.first().is_some_and(is_row).then_some(objects)
}

fn csv(text: &str) -> Result<Vec<(CapacityShape, u64)>, ShapeListError> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let Some((at, head)) = lines.next() else { return Err(list_error("line 1", "the list is empty")) };
    let columns: Vec<&str> = head.split(',').map(str::trim).collect();
    if let Some(unknown) = columns.iter().find(|column| !COLUMNS.contains(column)) {
        let what = format!("`{unknown}` is no column; there are {}", COLUMNS.join(", "));
        return Err(list_error(&format!("line {at}"), what));
    }
    let mut jobs = Vec::new();
    for (at, line) in lines {
        let place = format!("line {at}");
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() != columns.len() {
            let what = format!("{} cells under {} columns", cells.len(), columns.len());
            return Err(list_error(&place, what));
        }
        let given = columns.iter().zip(cells).filter(|(_, cell)| !cell.is_empty());
        let object = given.map(|(column, cell)| ((*column).to_owned(), Value::from(cell))).collect();
        jobs.push(row(&place, &object)?);
    }
    Ok(jobs)
}

fn row(place: &str, given: &Map<String, Value>) -> Result<(CapacityShape, u64), ShapeListError> {
    if let Some(unknown) = given.keys().find(|key| !COLUMNS.contains(&key.as_str())) {
        return Err(list_error(place, format!("`{unknown}` is no key; there are {}", COLUMNS.join(", "))));
    }
    let text = |key: &str| {
        given.get(key).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    let bad = |key: &str, found: &str, expected: &str| {
        list_error(place, format!("{key}: `{found}` is no {expected}"))
    };
    let number = |key: &str| match text(key) {
        None => Ok(None),
        Some(found) => match found.parse::<f64>() {
            Ok(number) if number >= 0.0 && number.is_finite() => Ok(Some(number)),
            _ => Err(bad(key, &found, "number from 0 on")),
        },
    };
    let size = |key: &str| match text(key) {
        None => Ok(None),
        Some(found) => match Amount::parse(ResourceType::Size, &found) {
            Ok(amount) if amount.0 >= 0.0 => Ok(Some((amount.0 * 1024.0).min(9e15) as i64)),
            _ => Err(bad(key, &found, "size such as 4gb")),
        },
    };
    let needed = |key: &str| list_error(place, format!("`{key}` is missing"));
    let wall_time = match text("wall_time") {
        None => HOUR,
        Some(found) => {
            parse_duration(&found).ok_or_else(|| bad("wall_time", &found, "time such as 01:00:00"))?
        }
    };
    let preemptible = match text("preemptible").as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("false" | "0" | "no") => false,
        Some("true" | "1" | "yes") => true,
        Some(found) => return Err(bad("preemptible", found, "true or false")),
    };
    let count = number("count")?.unwrap_or(1.0);
    if count.fract() != 0.0 {
        return Err(bad("count", &count.to_string(), "whole number"));
    }
    let shape = CapacityShape {
        cores: number("cores")?.ok_or_else(|| needed("cores"))?,
        memory: size("memory")?.ok_or_else(|| needed("memory"))?,
        disk: size("disk")?.unwrap_or(0),
        wall_time,
        preemptible,
        ..CapacityShape::default()
    };
    let shape = shape.checked().map_err(|error| list_error(place, error.to_string()))?;
    Ok((shape, count as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_hold_the_same_list() {
        let json = r#"[{ "cores": 2, "memory": "4gb", "disk": "10gb", "wall_time": "01:30:00", "preemptible": true,
            "count": 10 }, { "cores": 0.5, "memory": 1048576 }]"#;
        let csv =
            "# jobs\ncores,memory,disk,wall_time,preemptible,count\n2,4gb,10gb,5400,true,10\n0.5,1mb,,,,\n";
        let list = ShapeList::read(json).unwrap().unwrap();
        assert_eq!(ShapeList::read(csv).unwrap().unwrap(), list);
        let (first, second) = (list.jobs[0], list.jobs[1]);
        assert_eq!((first.0.cores, first.0.memory, first.0.wall_time, first.1), (2.0, 4 << 30, 5400.0, 10));
        assert_eq!((second.0.memory, second.0.disk, second.0.wall_time, second.1), (1 << 20, 0, 3600.0, 1));
        assert!(first.0.preemptible && !second.0.preemptible);
    }

    #[test]
    fn other_problems_are_no_lists_and_mistakes_are_named() {
        assert_eq!(ShapeList::read(r#"{"mode": "pack"}"#).unwrap(), None);
        assert_eq!(ShapeList::read("[1, 2]").unwrap(), None);
        let wrong = |text: &str| ShapeList::read(text).unwrap_err().to_string();
        assert_eq!(
            wrong("cores,mem\n"),
            format!("line 1: `mem` is no column; there are {}", COLUMNS.join(", "))
        );
        assert_eq!(wrong("cores,memory\n1,2gb\n\n1,x\n"), "line 4: memory: `x` is no size such as 4gb");
        assert_eq!(wrong("cores,memory\n1\n"), "line 2: 1 cells under 2 columns");
        assert!(wrong(r#"[{"cores": 1}]"#).starts_with("item 0: `memory` is missing"));
        assert!(wrong(r#"[{"cores": 1, "memory": "1gb", "count": 1e9}]"#).contains("at most 1000000"));
    }
}
