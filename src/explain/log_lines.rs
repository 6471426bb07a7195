//! A decision in the words of the scheduler's own log, from the events of a recording probe (rules 3.6, 4.5, 5.4).
//!
//! These are the lines that the scheduler writes at its highest log level, so a recorded decision can be compared
//! with a real log line by line. Counts of chunks are the scheduler's own including their drift: they can be wrong,
//! even negative, while the bitmaps are right.

use std::ops::ControlFlow;
use std::sync::Arc;

use qscope_engine::cluster::Id;
use qscope_engine::cycle::{Debugger, OutcomeTrace, Reconsideration, Run, StepIx};
use qscope_engine::placement::{BucketOffer, HostStep, ProbeEvent};
use qscope_engine::universe::{JobRequest, Plan};

/// Maximum number of lines written for one consideration; longer logs are compared up to there.
const MAX_LINES: usize = 200_000;

/// Returns the log lines of one consideration of a job, without time, daemon and job id.
pub fn log_lines(plan: &Plan, read: &Reconsideration) -> Vec<String> {
    let by_host = read.events.iter().any(|event| matches!(event, ProbeEvent::HostsTried(_)));
    let mut log = LogWriter { plan, request: &read.request, by_host, lines: Vec::new() };
    for event in &read.events {
        log.write(event);
    }
    log.lines
}

/// Prefixes of the lines that [`log_lines`] writes, among all that a scheduler logs.
const REPRODUCED: [&str; 9] = [
    "Chunk: ",
    "Bucket ",
    "Found ",
    "Evaluating placement set: ",
    "Evaluating subchunk: ",
    "Evaluating host ",
    "Allocated one subchunk: ",
    "Failed to satisfy subchunk: ",
    "Request won't fit",
];

/// Whether a line of a scheduler's log is of a kind that [`log_lines`] writes: about chunks, buckets, sets or nodes.
pub fn is_reproduced(line: &str) -> bool {
    REPRODUCED.iter().any(|start| line.starts_with(start))
        || line.starts_with("Placement set ") && line.contains(" is too small: ")
}

/// Normalises a line for comparison: the resources in a bucket's name have no defined order.
pub fn comparable(line: &str) -> String {
    let named = line.strip_prefix("Bucket ").and_then(|rest| rest.rsplit_once(" can fit "));
    let Some((name, chunks)) = named else { return line.to_owned() };
    let mut parts: Vec<&str> = name.split(':').collect();
    parts.sort_unstable();
    format!("Bucket {} can fit {chunks}", parts.join(":"))
}

/// Goes through a cycle turn by turn until `record` breaks, passing what was examined in the main pass, then what
/// preemption and the calendar examined, in order.
pub fn each_turn(run: &Arc<Run>, mut record: impl FnMut(StepIx, &[Reconsideration]) -> ControlFlow<()>) {
    let mut debugger = Debugger::new(run.clone());
    run.rehearse_all(|step, recording| {
        debugger.seek(step.ix());
        let Some(OutcomeTrace { outcome, events }) = debugger.log_next() else {
            return ControlFlow::Break(());
        };
        let (job, state) = (outcome.job, debugger.state());
        let Ok(request) = state.plan.request(job, state.ledger.preempted[job]) else {
            return ControlFlow::Continue(());
        };
        let mut reconsidered = vec![Reconsideration { job, request: request.clone(), events }];
        reconsidered.extend(recording.reconsidered);
        record(step, &reconsidered)
    });
}

struct LogWriter<'a> {
    plan: &'a Plan,
    request: &'a JobRequest,
    /// Whether chunks are listed when tried, including those given up later.
    by_host: bool,
    lines: Vec<String>,
}

impl LogWriter<'_> {
    fn write(&mut self, event: &ProbeEvent) {
        let catalogue = &self.plan.snap.catalogue;
        match event {
            ProbeEvent::SetTried(name) => self.lines.push(format!("Evaluating placement set: {name}")),
            ProbeEvent::SetTooSmall(name, rejection) => {
                let why = rejection.reason.log_text(catalogue);
                self.lines.push(format!("Placement set {name} is too small: {why}"));
            }
            ProbeEvent::Spanning => {
                self.lines.push("Request won't fit into any placement sets, will use all nodes".to_owned());
            }
            ProbeEvent::ChunkMapped { spec, requested, buckets, .. } => {
                self.write_chunk(spec, *requested, buckets);
            }
            ProbeEvent::HostsTried(words) => words.iter().for_each(|word| self.write_host(*word)),
            ProbeEvent::ChunkPlaced { spec, times, .. } if !self.by_host => {
                self.write_subchunks(*spec, true, *times);
            }
            ProbeEvent::ChunkFailed { spec, .. } => self.write_subchunks(*spec, false, 1),
            _ => {}
        }
    }

    fn write_host(&mut self, step: HostStep) {
        match step {
            HostStep::Host(host) => self.lines.push(format!("Evaluating host {}", self.plan.host_name(host))),
            HostStep::Fitted(spec, times) => self.write_subchunks(spec as usize, true, times),
            HostStep::NotHeld(spec) => self.write_subchunks(spec as usize, false, 1),
        }
    }

    /// Writes `times` equal chunks on the node path.
    fn write_subchunks(&mut self, spec: usize, held: bool, times: u32) {
        let Some(spec) = self.request.specs.get(spec) else { return };
        let chunk = spec.chunk_text();
        for _ in 0..times {
            if self.lines.len() >= MAX_LINES {
                return;
            }
            self.lines.push(format!("Evaluating subchunk: {chunk}"));
            self.lines.push(match held {
                true => format!("Allocated one subchunk: {chunk}"),
                false => format!("Failed to satisfy subchunk: {}", spec.text),
            });
        }
    }

    /// Writes one chunk spec of a select, and what the log counts in each matching bucket.
    fn write_chunk(&mut self, spec: &str, requested: u32, buckets: &[BucketOffer]) {
        self.lines.push(format!("Chunk: {spec}"));
        let mut found = 0;
        for offer in buckets {
            let chunks = offer.logged_chunks();
            found += chunks;
            let name = offer.bucket.key.name(self.plan);
            self.lines.push(format!("Bucket {name} can fit {chunks} chunks"));
        }
        if found < i64::from(requested) {
            self.lines.push(format!("Found {found} out of {requested} chunks needed"));
        }
    }
}
