//! Parses requests made with `-L` (sites 4.4): as interpreted by the server, else the raw text.

use std::collections::BTreeMap;

use super::memory::kilobytes;
use super::request::{TorqueRequest, TorqueSpec};
use crate::record::Record;

/// Returns the request, if the job was submitted with `-L`.
pub(super) fn request<'r>(record: &'r Record<'_>) -> Option<TorqueRequest<'r>> {
    let read = by_server(record);
    let specs = if read.is_empty() { raw(record.value("L_Request")?) } else { read };
    (!specs.is_empty()).then(|| TorqueRequest { specs, ..TorqueRequest::default() })
}

/// Parses `req_information.KEY.I = value`, one spec for each I.
fn by_server<'r>(record: &'r Record<'_>) -> Vec<TorqueSpec<'r>> {
    let mut all: BTreeMap<u32, TorqueSpec<'r>> = BTreeMap::new();
    for attribute in record.attributes.iter().filter(|attribute| attribute.name == "req_information") {
        let Some((key, index)) = attribute.resource.as_deref().and_then(|key| key.split_once('.')) else {
            continue;
        };
        let Ok(index) = index.parse::<u32>() else { continue };
        let value = attribute.value.trim();
        let spec =
            all.entry(index).or_insert_with(|| TorqueSpec { count: 1, slots: 1, ..TorqueSpec::default() });
        take(spec, key, value);
    }
    all.into_values().collect()
}

/// Parses `-L tasks=2:lprocs=4:memory=8GB:place=socket -L tasks=1:…`.
fn raw(text: &str) -> Vec<TorqueSpec<'_>> {
    let requests = text.split("-L").map(str::trim).filter(|request| !request.is_empty());
    requests
        .map(|request| {
            let mut spec = TorqueSpec { count: 1, slots: 1, ..TorqueSpec::default() };
            for word in request.split(':') {
                let (key, value) = word.split_once('=').unwrap_or((word, ""));
                take(&mut spec, key.trim(), value.trim());
            }
            spec
        })
        .collect()
}

fn take<'r>(spec: &mut TorqueSpec<'r>, key: &str, value: &'r str) {
    let number = value.parse::<u32>().ok();
    match (key, number) {
        ("task_count" | "tasks", Some(tasks)) => spec.count = tasks,
        ("lprocs", Some(slots)) => spec.slots = slots,
        ("gpus", Some(gpus)) => spec.gpus = gpus,
        ("mics", Some(mics)) => spec.mics = mics,
        ("memory", _) => spec.memory = kilobytes(value).unwrap_or(0),
        ("features" | "feature", _) => spec.properties.extend(super::extension::words(value)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Attribute;
    use qscope_engine::cluster::FilePosition;

    fn record(attributes: &[(&'static str, Option<&'static str>, &'static str)]) -> Record<'static> {
        let attributes = attributes
            .iter()
            .map(|(name, resource, value)| {
                Attribute::on_line((*name).into(), resource.map(Into::into), (*value).into(), 1)
            })
            .collect();
        Record { name: "1.s".into(), position: FilePosition::Line(1), attributes }
    }

    #[test]
    fn the_raw_text_and_what_the_server_made_of_it() {
        let job = record(&[(
            "L_Request",
            None,
            "-L tasks=2:lprocs=4:memory=8GB:place=socket -L tasks=1:lprocs=1:feature=big",
        )]);
        assert_eq!(request(&job).unwrap().select(), "2:ncpus=4:mem=8388608kb+1:ncpus=1:big=True");
        let job = record(&[
            ("L_Request", None, "-L tasks=9"),
            ("req_information", Some("task_count.0"), "2"),
            ("req_information", Some("lprocs.0"), "4"),
            ("req_information", Some("gpus.0"), "1"),
            ("req_information", Some("task_count.1"), "1"),
        ]);
        assert_eq!(request(&job).unwrap().select(), "2:ncpus=4:ngpus=1+1:ncpus=1");
        assert_eq!(request(&record(&[])), None);
    }
}
