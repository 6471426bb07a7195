//! The lines of the board: causes, and jobs behind them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Listing;
use crate::theme::Role;
use crate::widgets::table::{Cell, Column, Rows, Width};
use crate::wording;
use crate::wording::reason;
use qscope_engine::cluster::{JobId, short_id};
use qscope_engine::cycle::{Outcome, Run};
use qscope_explain::{BoardRow, core_hours};

/// One cause and its jobs; names outlive the generation that they were read in.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// What tells it from others.
    pub key: String,
    title: &'static str,
    object: String,
    pub example: String,
    core_hours: f64,
    nodes: u64,
    analysed: bool,
    pub jobs: Arc<[Arc<JobLine>]>,
}

/// One job that waits.
#[derive(Debug, Clone)]
pub(super) struct JobLine {
    /// Its full id.
    pub name: String,
    order: Option<u32>,
    user: String,
    queue: String,
    core_hours: f64,
    select: String,
    why: String,
}

/// The lines of all jobs, by job.
pub(super) type JobLines = FxHashMap<JobId, Arc<JobLine>>;

/// A line for every job of a cycle, by its first turn.
pub(super) fn job_lines(run: &Run) -> JobLines {
    let mut lines = JobLines::default();
    for outcome in run.outcomes() {
        lines.entry(outcome.job).or_insert_with(|| Arc::new(JobLine::of(run, outcome)));
    }
    lines
}

impl Line {
    pub(super) fn of(row: &BoardRow, jobs: &JobLines) -> Self {
        // Causes that were seen at a glance only are told apart by their words.
        let words = if row.object.is_empty() && row.kind == "scheduler" { &row.example } else { &row.object };
        Self {
            key: format!("{} {} {words}", row.tier.word(), row.kind),
            title: row.title(),
            object: row.object.clone(),
            example: row.example.clone(),
            core_hours: row.core_hours,
            nodes: row.nodes,
            analysed: row.analysed,
            jobs: row.jobs.iter().filter_map(|job| jobs.get(job).cloned()).collect(),
        }
    }

    pub(super) fn title(&self) -> String {
        let about = if self.object.is_empty() { String::new() } else { format!(" {}", self.object) };
        let nodes = match self.nodes {
            0 => String::new(),
            1 => ", 1 node could serve".to_owned(),
            n => format!(", {n} nodes could serve"),
        };
        let jobs = wording::count(self.jobs.len(), "job");
        format!("{}{about}: {jobs}, {:.1} core-hours{nodes}", self.title, self.core_hours)
    }

    pub(super) fn some_jobs(&self) -> String {
        const MOST: usize = 24;
        let names: Vec<&str> = self.jobs.iter().take(MOST).map(|job| job.short()).collect();
        let more = self.jobs.len().saturating_sub(MOST);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}{more}", names.join(" "))
    }

    pub(super) fn words(&self) -> String {
        format!("{} {} {}", self.title, self.object, self.example)
    }
}

impl JobLine {
    fn of(run: &Run, outcome: &Outcome) -> Self {
        let job = run.plan.job(outcome.job);
        Self {
            name: job.name.to_string(),
            order: outcome.order,
            user: job.user.to_string(),
            queue: job.queue.to_string(),
            core_hours: core_hours(job),
            select: job.select.as_ref().map(|select| select.text.to_string()).unwrap_or_default(),
            why: reason(run, outcome),
        }
    }

    pub(super) fn short(&self) -> &str {
        short_id(&self.name)
    }

    pub(super) fn words(&self) -> String {
        format!("{} {} {} {} {}", self.name, self.user, self.queue, self.select, self.why)
    }
}

pub(super) const CAUSE_COLUMNS: [Column; 6] = [
    Column::numbers("jobs", 6, 100),
    Column::numbers("core-hours", 10, 90),
    Column::numbers("nodes", 6, 70),
    Column::words("cause", Width::Fixed(15), 95),
    Column::words("about", Width::Between(6, 14), 80),
    Column::words("for example", Width::Fill(12), 60),
];

pub(super) const JOB_COLUMNS: [Column; 7] = [
    Column::numbers("#", 5, 70),
    Column::words("job", Width::Between(8, 16), 100),
    Column::words("user", Width::Between(5, 10), 80),
    Column::words("queue", Width::Between(6, 12), 75),
    Column::numbers("core-hours", 10, 65),
    Column::words("asks", Width::Fill(14), 85),
    Column::words("the scheduler hit first", Width::Fill(14), 60),
];

/// Causes as rows.
pub(super) struct Causes<'a>(pub &'a Listing<Line>);

impl Rows for Causes<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let Some(line) = self.0.line(row) else { return Cell::new("") };
        match column {
            0 => Cell::new(line.jobs.len().to_string()),
            1 => Cell::new(format!("{:.1}", line.core_hours)),
            2 if line.nodes == 0 => Cell::of(Role::TextDim, "-"),
            2 => Cell::new(line.nodes.to_string()),
            3 => Cell::of(if line.analysed { Role::Heading } else { Role::TextDim }, line.title),
            4 => Cell::new(line.object.as_str()),
            _ => Cell::of(Role::TextDim, line.example.as_str()),
        }
    }
}

/// Jobs as rows.
pub(super) struct Jobs<'a>(pub &'a Listing<Arc<JobLine>>);

impl Rows for Jobs<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let Some(job) = self.0.line(row) else { return Cell::new("") };
        match column {
            0 => Cell::of(Role::TextDim, job.order.map_or_else(|| "-".to_owned(), |order| order.to_string())),
            1 => Cell::new(job.short()),
            2 => Cell::new(job.user.as_str()),
            3 => Cell::new(job.queue.as_str()),
            4 => Cell::new(format!("{:.1}", job.core_hours)),
            5 => Cell::new(job.select.as_str()),
            _ => Cell::of(Role::TextDim, job.why.as_str()),
        }
    }
}
