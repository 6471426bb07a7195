//! `qscope check`: what was read, from which files, and what the answers rest on: a page for a ticket.

mod facts;
mod meaning;
mod page;

use color_eyre::eyre::Result;
use serde_json::{Value, json};

use qscope_engine::cluster::{Diagnostic, FileForm, FileRecord, Severity};
use qscope_session::Generation;

use super::arguments::FolderArgs;
use super::{open, output};
use facts::{CheckFacts, CheckFinding, place_of};

/// Prints what was read; the exit code is 1 ("no") if something was not.
pub(super) fn run(args: &FolderArgs) -> Result<u8> {
    let generation = open::generation(&args.paths, &args.form.reading)?;
    let facts = facts::CheckFacts::of(&generation);
    if args.form.json {
        output::print_json_about(&generation, check_json(&generation, &facts))?;
    } else {
        output::print(&page::text(&generation, &facts, output::takes_styles()))?;
    }
    Ok(u8::from(generation.snapshot.diagnostics.iter().any(|reported| reported.severity == Severity::Error)))
}

/// What was read, and what the answers rest on.
fn check_json(generation: &Generation, facts: &CheckFacts<'_>) -> Value {
    let snap = &generation.snapshot;
    let of_jobs = facts.inferred.iter().filter(|inferred| inferred.of == "jobs");
    json!({
        "case": snap.title,
        // The moment of the snapshot, in seconds since 1970, and its source.
        "now": snap.now.0,
        "now_source": snap.now_source,
        "zone": snap.zone,
        "zone_source": snap.zone_source,
        "counts": {
            "nodes": snap.nodes.len(),
            "jobs": snap.jobs.len(),
            "queues": snap.queues.len(),
            "reservations": snap.reservations.len(),
        },
        "servers": facts.servers,
        "versions": facts.versions,
        // `manager`, or `ordinary user` where attributes are missing that only managers see.
        "seen_as": if facts.inferred.is_empty() { "manager" } else { "ordinary user" },
        "inferred": facts.inferred,
        "hidden_jobs": facts.hidden_jobs,
        "skew": facts.skew,
        "files": facts.files.iter().map(|file| file_json(file, generation)).collect::<Vec<_>>(),
        "findings": facts.findings.iter().map(finding_json).collect::<Vec<_>>(),
        "diagnostics": snap.diagnostics.iter().map(diagnostic_json).collect::<Vec<_>>(),
        // The attributes of jobs among `inferred`.
        "derived": of_jobs
            .map(|one| json!({ "attribute": one.attribute, "jobs": one.count }))
            .collect::<Vec<_>>(),
        "warnings": generation.run.warnings,
    })
}

/// A file of the folder.
fn file_json(file: &FileRecord, generation: &Generation) -> Value {
    json!({
        "file": file.name,
        // `json`, `text`, `toml` or `native`.
        "form": form(file),
        "records": file.records,
        "bytes": file.bytes,
        // When it was made, as it states itself, in seconds since 1970.
        "timestamp": file.timestamp.map(|at| at.0),
        // When it was last written, in seconds since 1970.
        "modified": file.modified.map(|at| at.0),
        "age": file.made().map(|at| (generation.snapshot.now - at).0),
        "server": file.server.as_deref(),
        "version": file.version.as_deref(),
        "unused": file.unused,
    })
}

/// All findings of one kind about one file.
fn finding_json(finding: &CheckFinding<'_>) -> Value {
    json!({
        "group": finding.group.word(),
        "severity": <&str>::from(finding.severity),
        "code": finding.code,
        "file": finding.file,
        "count": finding.count,
        "first": format!("{}{}", finding.file, place_of(&finding.first, None)),
        "record": finding.record,
        "message": finding.message,
        "may_change": finding.may_change,
    })
}

/// One finding.
fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    json!({
        "severity": <&str>::from(diagnostic.severity),
        "code": diagnostic.code,
        "file": diagnostic.file,
        "record": diagnostic.record.as_deref(),
        "message": diagnostic.to_string(),
    })
}

fn form(file: &FileRecord) -> &'static str {
    match file.form {
        FileForm::Json => "json",
        FileForm::Text => "text",
        FileForm::Toml => "toml",
        FileForm::Native => "native",
    }
}
