//! The answers as JSON.

use serde_json::{Value, json};

use color_eyre::eyre::Result;
use qscope_record::{Damage, Moment, Point, Recording};

/// What a recording holds.
pub(super) fn recording_json(recording: &Recording, point: Option<Point>) -> Result<Value> {
    let only = point.map(|point| recording.files_at(point).map(|(moment, _)| moment)).transpose()?;
    let moments = recording.moments().iter().filter(|moment| only.is_none_or(|only| only == **moment));
    let snapshot =
        |moment: &Moment| json!({ "number": moment.number, "at": moment.at.0, "bytes": moment.bytes });
    Ok(json!({
        "recording": recording.folder().display().to_string(),
        "bytes": recording.bytes(),
        "snapshots": moments.map(snapshot).collect::<Vec<_>>(),
        "damage": recording.damage().iter().map(damage_json).collect::<Vec<_>>(),
    }))
}

/// The result of reading all of it.
pub(super) fn recording_check_json(recording: &Recording, readable: usize, lost: &[String]) -> Value {
    json!({
        "recording": recording.folder().display().to_string(),
        "readable": readable,
        "lost": lost,
        "damage": recording.damage().iter().map(damage_json).collect::<Vec<_>>(),
    })
}

fn damage_json(damage: &Damage) -> Value {
    let Damage { file, offset, bytes, is_end } = damage;
    json!({ "file": file.display().to_string(), "offset": offset, "bytes": bytes, "cut": is_end })
}
