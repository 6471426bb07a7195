//! The reading as JSON.

use serde_json::{Value, json};

use super::facts::{Facts, Finding, place_of};
use qscope_engine::cluster::{Diagnostic, FileForm, FileRecord, Severity};
use qscope_session::Generation;

/// The whole answer.
pub(super) fn json(generation: &Generation, facts: &Facts<'_>) -> Value {
    let snap = &generation.snapshot;
    let named = |all: &[(&str, Vec<&str>)]| -> Vec<Value> {
        all.iter().map(|(value, files)| json!({"value": value, "files": files})).collect()
    };
    let derived: Vec<Value> = facts
        .inferred
        .iter()
        .filter(|inferred| inferred.of == "jobs")
        .map(|inferred| json!({"attribute": inferred.attribute, "jobs": inferred.count}))
        .collect();
    let inferred: Vec<Value> = facts
        .inferred
        .iter()
        .map(|i| json!({"attribute": i.attribute, "count": i.count, "of": i.of, "from": i.from}))
        .collect();
    json!({
        "case": &*snap.title, "now": snap.now.0, "now_source": snap.now_source, "zone": snap.zone,
        "zone_source": snap.zone_source,
        "counts": {
            "nodes": snap.nodes.len(), "jobs": snap.jobs.len(), "queues": snap.queues.len(),
            "reservations": snap.reservations.len(),
        },
        "servers": named(&facts.servers), "versions": named(&facts.versions),
        "seen_as": if facts.inferred.is_empty() { "manager" } else { "ordinary user" },
        "inferred": inferred, "hidden_jobs": facts.hidden_jobs, "skew": facts.skew,
        "files": facts.files.iter().map(|file| file_json(file, generation)).collect::<Vec<_>>(),
        "findings": facts.findings.iter().map(finding_json).collect::<Vec<_>>(),
        "diagnostics": snap.diagnostics.iter().map(diagnostic_json).collect::<Vec<_>>(),
        "derived": derived,
        "warnings": generation.run.warnings,
    })
}

fn file_json(file: &FileRecord, generation: &Generation) -> Value {
    json!({
        "file": &*file.name, "form": form(file), "records": file.records, "bytes": file.bytes,
        "timestamp": file.timestamp.map(|at| at.0), "modified": file.modified.map(|at| at.0),
        "age": file.made().map(|at| (generation.snapshot.now - at).0),
        "server": file.server.as_deref(), "version": file.version.as_deref(), "unused": file.unused,
    })
}

fn finding_json(finding: &Finding<'_>) -> Value {
    json!({
        "group": finding.group.word(), "severity": severity(finding.severity), "code": finding.code,
        "file": finding.file, "count": finding.count,
        "first": format!("{}{}", finding.file, place_of(&finding.first, None)),
        "record": finding.record, "message": finding.message, "may_change": finding.may_change,
    })
}

fn diagnostic_json(said: &Diagnostic) -> Value {
    json!({
        "severity": severity(said.severity), "code": said.code, "file": &*said.file,
        "record": said.record.as_deref(), "message": said.to_string(),
    })
}

/// The form of a file for programs.
pub(super) fn form(file: &FileRecord) -> &'static str {
    match file.form {
        FileForm::Json => "json",
        FileForm::Text => "text",
        FileForm::Toml => "toml",
        FileForm::Native => "native",
    }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
