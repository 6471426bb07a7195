//! The reading as JSON.

use serde::Serialize;

use super::facts::{CheckFacts, InferredAttribute, StatedValue};
use qscope_engine::cluster::{Diagnostic, FileFormat, FileRecord};
use qscope_session::Generation;
use qscope_session::findings::{FindingGroup, place_of};

/// What was read, and what the answers rest on.
#[derive(Serialize)]
pub(super) struct CheckJson<'a> {
    /// The title of the folder.
    case: &'a str,
    /// The moment of the snapshot, in seconds since 1970, and its source.
    now: i64,
    now_source: &'a str,
    /// The time zone of dates without one, and its source.
    zone: &'a str,
    zone_source: &'a str,
    counts: CheckCounts,
    /// The servers that files name, each with those files.
    servers: &'a [StatedValue<'a>],
    versions: &'a [StatedValue<'a>],
    /// `manager`, or `ordinary user` where attributes are missing that only managers see.
    seen_as: &'static str,
    /// The attributes that were inferred for lack of permission.
    inferred: &'a [InferredAttribute],
    /// Number of job ids on vnodes that the job dump lacks.
    hidden_jobs: usize,
    /// Seconds between the oldest and the newest dump.
    skew: Option<i64>,
    files: Vec<FileJson<'a>>,
    /// What readers found, by group and kind.
    findings: Vec<FindingJson<'a>>,
    /// What readers found, one by one.
    diagnostics: Vec<DiagnosticJson<'a>>,
    /// The attributes of jobs among `inferred`.
    derived: Vec<DerivedJson>,
    /// What the model leaves out.
    warnings: &'a [String],
}

/// How many objects were read.
#[derive(Serialize)]
struct CheckCounts {
    nodes: usize,
    jobs: usize,
    queues: usize,
    reservations: usize,
}

/// An attribute of jobs that was inferred.
#[derive(Serialize)]
struct DerivedJson {
    attribute: &'static str,
    jobs: usize,
}

/// A file of the folder.
#[derive(Serialize)]
struct FileJson<'a> {
    file: &'a str,
    /// `json`, `text`, `toml` or `native`.
    form: &'static str,
    records: usize,
    bytes: u64,
    /// When it was made, as it states itself, in seconds since 1970.
    timestamp: Option<i64>,
    /// When it was last written, in seconds since 1970.
    modified: Option<i64>,
    /// Seconds from that time to the moment of the snapshot.
    age: Option<i64>,
    server: Option<&'a str>,
    version: Option<&'a str>,
    /// Why it was not used.
    unused: &'a Option<String>,
}

/// All findings of one kind about one file.
#[derive(Serialize)]
struct FindingJson<'a> {
    group: &'static str,
    severity: &'static str,
    /// A stable id of the kind.
    code: &'static str,
    file: &'a str,
    count: usize,
    /// The first place.
    first: String,
    /// The first record.
    record: Option<&'a str>,
    /// The first message.
    message: &'a str,
    /// The answers that this may change.
    may_change: Option<&'static str>,
    /// The command, or the setting, that makes an assumption unnecessary.
    fix: Option<String>,
}

/// One finding.
#[derive(Serialize)]
struct DiagnosticJson<'a> {
    severity: &'static str,
    code: &'static str,
    file: &'a str,
    record: Option<&'a str>,
    message: String,
}

impl<'a> CheckJson<'a> {
    pub(super) fn of(generation: &'a Generation, facts: &'a CheckFacts<'a>) -> Self {
        let snap = &generation.snapshot;
        let of_jobs = facts.inferred.iter().filter(|inferred| inferred.of == "jobs");
        Self {
            case: &snap.title,
            now: snap.now.0,
            now_source: &snap.now_source,
            zone: &snap.zone,
            zone_source: &snap.zone_source,
            counts: CheckCounts {
                nodes: snap.nodes.len(),
                jobs: snap.jobs.len(),
                queues: snap.queues.len(),
                reservations: snap.reservations.len(),
            },
            servers: &facts.servers,
            versions: &facts.versions,
            seen_as: if facts.inferred.is_empty() { "manager" } else { "ordinary user" },
            inferred: &facts.inferred,
            hidden_jobs: facts.hidden_jobs,
            skew: facts.skew,
            files: facts.files.iter().map(|file| FileJson::of(file, generation)).collect(),
            findings: facts.findings.iter().map(FindingJson::of).collect(),
            diagnostics: snap.diagnostics.iter().map(DiagnosticJson::of).collect(),
            derived: of_jobs.map(|one| DerivedJson { attribute: one.attribute, jobs: one.count }).collect(),
            warnings: &generation.run.warnings,
        }
    }
}

impl<'a> FileJson<'a> {
    fn of(file: &'a FileRecord, generation: &Generation) -> Self {
        Self {
            file: &file.name,
            form: form(file),
            records: file.records,
            bytes: file.bytes,
            timestamp: file.timestamp.map(|at| at.0),
            modified: file.modified.map(|at| at.0),
            age: file.made().map(|at| (generation.snapshot.now - at).0),
            server: file.server.as_deref(),
            version: file.version.as_deref(),
            unused: &file.unused,
        }
    }
}

impl<'a> FindingJson<'a> {
    fn of(finding: &'a FindingGroup<'a>) -> Self {
        Self {
            group: finding.group.word(),
            severity: finding.severity.into(),
            code: finding.code,
            file: finding.file,
            count: finding.count,
            first: format!("{}{}", finding.file, place_of(&finding.first, None)),
            record: finding.record,
            message: finding.message,
            may_change: finding.may_change,
            fix: finding.remedy().map(|fix| fix.words),
        }
    }
}

impl<'a> DiagnosticJson<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Self {
        Self {
            severity: diagnostic.severity.into(),
            code: diagnostic.code,
            file: &diagnostic.file,
            record: diagnostic.record.as_deref(),
            message: diagnostic.to_string(),
        }
    }
}

fn form(file: &FileRecord) -> &'static str {
    match file.form {
        FileFormat::Json => "json",
        FileFormat::Text => "text",
        FileFormat::Toml => "toml",
        FileFormat::Native => "native",
    }
}
