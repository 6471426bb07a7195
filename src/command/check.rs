//! `qscope check`: what was read, and what was odd.

use color_eyre::eyre::Result;
use serde_json::{Value, json};

use crate::cluster::{Diagnostic, FileForm, FileRecord, Severity, Snapshot};
use crate::session::Generation;

use super::cli::FolderArgs;
use super::{open, output};

/// Prints what was read; the answer is no (1) if something was not.
///
/// # Errors
/// Bad input, or an output that cannot be written.
pub(super) fn run(args: &FolderArgs) -> Result<u8> {
    let generation = open::generation(args)?;
    let snap = &generation.snapshot;
    if args.json {
        output::print_json(&check_json(&generation))?;
    } else {
        output::print(&crate::console::widgets::text::clean_lines(&check_text(&generation)))?;
    }
    let unread = snap.diagnostics.iter().any(|d| d.severity == Severity::Error);
    Ok(u8::from(unread))
}

fn form(file: &FileRecord) -> &'static str {
    match file.form {
        FileForm::Json => "json",
        FileForm::Text => "text",
        FileForm::Toml => "toml",
        FileForm::Native => "native",
    }
}

fn severity(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn check_json(generation: &Generation) -> Value {
    let snap = &generation.snapshot;
    let files: Vec<Value> = snap
        .files
        .iter()
        .map(|file| {
            json!({
                "file": &*file.name, "form": form(file), "records": file.records, "bytes": file.bytes,
                "timestamp": file.timestamp.map(|at| at.0), "modified": file.modified.map(|at| at.0),
                "server": file.server.as_deref(), "version": file.version.as_deref(), "unused": file.unused,
            })
        })
        .collect();
    let diagnostics: Vec<Value> = snap
        .diagnostics
        .iter()
        .map(|d| {
            json!({
                "severity": severity(d), "code": d.code, "file": &*d.file, "record": d.record.as_deref(),
                "message": d.to_string(),
            })
        })
        .collect();
    json!({
        "case": &*snap.title, "now": snap.now.0, "now_source": snap.now_source, "zone": snap.zone,
        "zone_source": snap.zone_source, "files": files, "diagnostics": diagnostics,
        "derived": derived(snap).into_iter().map(|(name, count)| json!({"attribute": name, "jobs": count})).collect::<Vec<_>>(),
        "warnings": generation.run.warnings,
    })
}

/// Attributes that had to be derived, with how many jobs that concerns.
fn derived(snap: &Snapshot) -> Vec<(&'static str, usize)> {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for name in snap.jobs.iter().flat_map(|job| &job.derived) {
        match counts.iter_mut().find(|(have, _)| have == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    counts
}

fn check_text(generation: &Generation) -> String {
    let snap = &generation.snapshot;
    let mut text = format!(
        "{}: {} nodes, {} jobs, {} queues\n",
        snap.title,
        snap.nodes.len(),
        snap.jobs.len(),
        snap.queues.len()
    );
    text.push_str(&format!(
        "now   {} ({})\nzone  {} ({})\n\nfiles\n",
        snap.now.0, snap.now_source, snap.zone, snap.zone_source
    ));
    for file in &snap.files {
        let note = file.unused.as_ref().map_or(String::new(), |why| format!("  not used: {why}"));
        text.push_str(&format!(
            "  {:<16} {:<6} {:>7} records {:>10} bytes{note}\n",
            file.name,
            form(file),
            file.records,
            file.bytes
        ));
    }
    let derived = derived(snap);
    if !derived.is_empty() {
        text.push_str(&format!("\nseen as an ordinary user: {} attributes inferred\n", derived.len()));
        for (name, count) in derived {
            text.push_str(&format!("  {name} of {count} jobs\n"));
        }
    }
    text.push_str(&format!("\n{} things to say\n", snap.diagnostics.len()));
    for diagnostic in &snap.diagnostics {
        text.push_str(&format!("  {:<8} {diagnostic}\n", severity(diagnostic)));
    }
    for warning in &generation.run.warnings {
        text.push_str(&format!("  model    {warning}\n"));
    }
    text
}
