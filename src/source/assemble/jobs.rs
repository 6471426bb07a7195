//! The jobs of a cluster, and what is derived from them.

use std::sync::Arc;

use super::loader::{Loader, report_missing};
use super::objects::{self, ObjectAssembler};
use crate::choice::ChosenFile;
use crate::clock::clue::ZoneClue;
use crate::context::ReadContext;
use crate::cross::SKEW;
use crate::identity::{IdentityCounts, IdentityHints};
use crate::job::{self, ChunkDefaultSources, DecodedJob};
use crate::log::DiagnosticLog;
use crate::memory::{CachedJob, DecodeSettings, JobPage, RecordCache};
use crate::record::{DumpKind, Record};
use crate::tally::RecordState;
use qscope_engine::cluster::{
    Catalogue, ColumnPage, Diagnostic, Epoch, FileFormat, FilePosition, FileRecord, Job, JobId, LimitScope,
    Limits, Name, Queue, SharedColumn, count, value_of,
};

/// Project of jobs that name none.
pub(super) const NO_PROJECT: &str = "_pbs_project_default";

/// Number of jobs from which a dump that lacks a quarter of what the server counts is reported: jobs end between two
/// dumps.
const FEWEST_MISSING: u64 = 5;
/// Maximum difference in seconds between the last writes of dumps of one moment: a client may take minutes.
const WRITTEN_APART: i64 = 300;

/// Jobs being read.
struct JobAssembler<'j, 'c> {
    jobs: &'j mut SharedColumn<JobId, Job>,
    defaults: ChunkDefaultSources<'j>,
    cx: ReadContext<'c>,
    /// Number of jobs that are finished or moved away.
    gone: usize,
    /// The server of each job, without the domain.
    servers: Vec<Name>,
}

impl ObjectAssembler for JobAssembler<'_, '_> {
    type Read = CachedJob;
    const KIND: DumpKind = DumpKind::Jobs;

    fn decode(&mut self, record: &Record<'_>, log: &mut DiagnosticLog) -> Option<CachedJob> {
        let job = match job::decode(record, &self.defaults, &mut self.cx, log) {
            DecodedJob::Job(job) => Some(job),
            DecodedJob::FinishedOrMoved => None,
            DecodedJob::Unusable => return None,
        };
        let server = record.value("server").unwrap_or_default();
        let server = self.cx.name(server.trim().split('.').next().unwrap_or_default());
        let zone_clue = ZoneClue::of(record);
        Some(CachedJob { job: job.map(with_project).map(Arc::from), server, zone_clue })
    }

    fn state_of(read: &CachedJob) -> Option<RecordState> {
        read.job.as_deref().map(RecordState::of_job)
    }

    fn put(&mut self, read: CachedJob, _: &IdentityHints, earlier: Option<usize>) -> Option<usize> {
        let Some(job) = read.job else {
            self.gone += 1;
            return None;
        };
        if earlier.is_none() {
            self.servers.push(read.server);
        }
        Some(self.jobs.put(job, earlier))
    }

    fn combine_page(&self, row: usize, reads: &mut dyn Iterator<Item = &CachedJob>) -> Option<JobPage> {
        let jobs = self
            .jobs
            .pages()
            .get(row / ColumnPage::<Job>::ROWS)
            .filter(|_| row.is_multiple_of(ColumnPage::<Job>::ROWS))?;
        let reads: Vec<&CachedJob> = reads.collect();
        let server = &reads.first()?.server;
        let is_whole = reads.iter().all(|read| read.server == *server && read.job.is_some())
            && jobs.is_of(reads.iter().filter_map(|read| read.job.as_ref()));
        is_whole.then(|| JobPage { jobs: jobs.clone(), server: server.clone() })
    }

    fn put_page(&mut self, whole: &JobPage, _: &IdentityCounts) -> Option<usize> {
        let row = self.jobs.len();
        self.jobs.push_page(&whole.jobs).then(|| {
            self.servers.extend(std::iter::repeat_n(whole.server.clone(), ColumnPage::<Job>::ROWS));
            row
        })
    }

    fn name(&mut self, text: &str) -> Name {
        self.cx.name(text.trim())
    }

    fn catalogue(&self) -> &Catalogue {
        self.cx.catalogue
    }

    fn budget(&self) -> usize {
        self.cx.max_indices
    }
}

/// Puts a job without a project into the default one; a subjob has that of its array, which is not known here.
fn with_project(mut job: Box<Job>) -> Box<Job> {
    let is_subjob = job.array.as_ref().is_some_and(|array| array.parent.is_some());
    if job.project.is_empty() && !is_subjob {
        job.project = NO_PROJECT.into();
    }
    job
}

/// Result of reading a dump of jobs.
pub(super) struct JobDumpContents {
    jobs: SharedColumn<JobId, Job>,
    finished_or_moved: usize,
    servers: Vec<Name>,
    files: Vec<FileRecord>,
}

pub(super) fn read_jobs(
    file: &ChosenFile<'_>,
    defaults: ChunkDefaultSources<'_>,
    cx: ReadContext<'_>,
    mut memory: Option<&mut RecordCache<CachedJob>>,
    log: &mut DiagnosticLog,
) -> JobDumpContents {
    if let Some(memory) = &mut memory {
        let decoding = DecodeSettings::in_zone(cx.zone.time_zone());
        memory.begin(decoding.with_defaults(defaults.queues.iter(), defaults.server));
    }
    let (mut jobs, mut files) = (SharedColumn::new(), Vec::new());
    let servers = Vec::new();
    let mut reading = JobAssembler { jobs: &mut jobs, defaults, cx, gone: 0, servers };
    objects::read(file, &mut reading, memory, None, &mut files, log);
    let JobAssembler { gone, servers, .. } = reading;
    JobDumpContents { jobs, finished_or_moved: gone, servers, files }
}

impl Loader<'_, '_> {
    /// Takes over the jobs and derives what follows from them; reads them first if `read` is `None`.
    pub(super) fn jobs(
        &mut self,
        cache: Option<&mut RecordCache<CachedJob>>,
        read: Option<JobDumpContents>,
        log: &mut DiagnosticLog,
    ) {
        let Some(file) = &self.jobs else {
            return report_missing(self.files, DumpKind::Jobs, Diagnostic::NO_JOBS, "no jobs", log);
        };
        let JobDumpContents { jobs, finished_or_moved, servers, files } = read.unwrap_or_else(|| {
            let snapshot = &mut self.snapshot;
            let defaults = ChunkDefaultSources { queues: &snapshot.queues, server: &snapshot.server };
            let cx = ReadContext::new(&mut snapshot.catalogue, &self.zone, self.guesses);
            read_jobs(file, defaults, cx, cache, log)
        });
        self.snapshot.jobs = jobs;
        let is_empty = files.iter().all(|file| file.records == 0);
        self.snapshot.files.extend(files);
        // That a text has no record is reported by its reader.
        let is_other_text = file.form == FileFormat::Text && !file.bytes.trim_ascii().is_empty();
        if is_empty && !is_other_text {
            self.compare_with_count(file.name, log);
        } else if !is_empty && finished_or_moved == 0 && self.snapshot.jobs.is_empty() {
            log.in_file(file.name);
            log.error("no-records", FilePosition::File, || {
                let command = DumpKind::Jobs.command();
                format!("none of its records can be read as a job; expected what `{command}` prints")
            });
        }
        if finished_or_moved > 0 {
            log.note("jobs-gone", FilePosition::File, || {
                format!("left out {}", count(finished_or_moved, "finished or moved job"))
            });
        }
        if !is_empty {
            self.report_missing_jobs(file.name, log);
        }
        self.leave_out_others(&servers, log);
        self.ordinary_view(log);
        self.doubt_requests(log);
        self.doubt_groups(log);
        self.assume_queues(log);
        self.fill_projects();
    }

    /// Reports that an empty dump of jobs is a failure of the client if the server counts some.
    fn compare_with_count(&self, file: &str, log: &mut DiagnosticLog) {
        let Some(counted) = self.counted_jobs.filter(|counted| counted.jobs > 0) else { return };
        log.in_file(file);
        log.error(Diagnostic::CLIENT_FAILED, FilePosition::File, || {
            let jobs = count(counted.jobs, "job");
            let hides = if counted.hides { ", or shows this user none" } else { "" };
            format!("nothing in it, and the server counts {jobs}: the client failed{hides}")
        });
    }

    /// Reports a dump that lacks many of the jobs that the server counts, if both are of about the same moment.
    fn report_missing_jobs(&self, file: &str, log: &mut DiagnosticLog) {
        // A server that hides the jobs of others prints what this user may see.
        let Some(counted) = self.counted_jobs.filter(|counted| !counted.hides) else { return };
        // The server counts running subjobs too, which only `qstat -t` lists.
        let (mut read, mut listed, mut counted_in_arrays) = (0, 0, 0);
        for job in &self.snapshot.jobs {
            let is_subjob = job.is_subjob();
            read += u64::from(!is_subjob);
            listed += u64::from(is_subjob && job.state.has_nodes());
            counted_in_arrays += job.array.as_ref().and_then(|array| array.running).map_or(0, u64::from);
        }
        let read = read + listed.max(counted_in_arrays);
        let missing = counted.jobs.saturating_sub(read);
        if missing < FEWEST_MISSING || missing < counted.jobs / 4 || !self.are_jobs_and_server_alike() {
            return;
        }
        log.in_file(file);
        log.error(Diagnostic::INCOMPLETE, FilePosition::File, || {
            let jobs = count(read, "job");
            format!("holds {jobs}, and the server counts {}: the dump is incomplete", counted.jobs)
        });
    }

    /// Whether the dumps of jobs and of the server were made at about the same time.
    fn are_jobs_and_server_alike(&self) -> bool {
        let made = |stem: &str| {
            self.snapshot.files.iter().find(|file| file.is_used() && file.input_name().starts_with(stem))
        };
        let (Some(jobs), Some(server)) = (made("jobs"), made("server.")) else { return false };
        let apart = |a: Option<Epoch>, b: Option<Epoch>| Some((a? - b?).0.saturating_abs());
        match apart(jobs.timestamp, server.timestamp) {
            Some(apart) => apart <= SKEW,
            None => apart(jobs.modified, server.modified).is_none_or(|apart| apart <= WRITTEN_APART),
        }
    }

    /// Leaves out jobs of servers other than the most frequent one, given the server of each job: they wait for other
    /// nodes.
    fn leave_out_others(&mut self, servers: &[Name], log: &mut DiagnosticLog) {
        let mut counts: rustc_hash::FxHashMap<&Name, usize> = rustc_hash::FxHashMap::default();
        for server in servers.iter().filter(|server| !server.is_empty()) {
            *counts.entry(server).or_default() += 1;
        }
        let Some((main, _)) = counts.iter().max_by_key(|(name, count)| (**count, std::cmp::Reverse(**name)))
        else {
            return;
        };
        if counts.len() < 2 {
            return;
        }
        let stays = |server: &Name| server.is_empty() || server == *main;
        let left = servers.iter().filter(|server| !stays(server)).count();
        log.error("two-servers", FilePosition::File, || {
            format!("left out {left} jobs of other servers; expected `{main}`, whose most of them are")
        });
        let jobs = std::mem::take(&mut self.snapshot.jobs).into_iter().zip(servers);
        let kept = jobs.filter(|(_, server)| stays(server)).map(|(job, _)| job).collect();
        self.snapshot.jobs = kept;
    }

    /// Reports what had to be derived because an ordinary user printed the dump.
    fn ordinary_view(&self, log: &mut DiagnosticLog) {
        let mut derived: Vec<(&str, usize)> = Vec::new();
        for name in self.snapshot.jobs.iter().flat_map(|job| &job.derived) {
            *value_of(&mut derived, name) += 1;
        }
        if !derived.is_empty() {
            log.note(Diagnostic::INFERRED, FilePosition::File, || {
                let list: Vec<_> =
                    derived.iter().map(|(name, jobs)| format!("{name} of {}", count(*jobs, "job"))).collect();
                format!(
                    "seen as an ordinary user: {} inferred ({})",
                    count(derived.len(), "attribute"),
                    list.join(", ")
                )
            });
        }
    }

    /// Reports what is assumed for jobs without `Resource_List`. This is not done while decoding, because a record
    /// with a report is decoded again at every reading.
    fn doubt_requests(&self, log: &mut DiagnosticLog) {
        for job in self.snapshot.jobs.iter().filter(|job| job.request_assumed) {
            log.in_record(&job.name);
            log.warn("no-resource-list", FilePosition::File, || {
                let made = job.select.as_ref().filter(|_| job.select_derived);
                let select = made.map_or_else(String::new, |select| format!("select={}, ", select.text));
                let place = job.place.as_ref().map_or_else(String::new, ToString::to_string);
                format!("no Resource_List; assumed {select}place={place} and no walltime")
            });
        }
        log.in_record("");
    }

    /// Warns about jobs without a group where groups have limits.
    fn doubt_groups(&self, log: &mut DiagnosticLog) {
        let of_groups = |limits: &Limits| limits.entries.iter().any(|entry| entry.scope == LimitScope::Group);
        let server = of_groups(&self.snapshot.server.limits).then_some("the server");
        let queues = self.snapshot.queues.iter().filter(|queue| of_groups(&queue.limits));
        let limited: Vec<&str> = server.into_iter().chain(queues.map(|queue| &*queue.name)).collect();
        let unknown = self.snapshot.jobs.iter().filter(|job| job.group.is_empty()).count();
        if unknown > 0 && !limited.is_empty() {
            log.warn("group-unknown", FilePosition::File, || {
                let limited = limited.join(", ");
                format!(
                    "{unknown} jobs show no group, and groups have limits (at {limited}): not applied to them"
                )
            });
        }
    }

    /// Gives subjobs, which are printed without a project, that of their array.
    fn fill_projects(&mut self) {
        let arrays = self.snapshot.jobs.iter().filter(|job| job.is_array());
        let projects: rustc_hash::FxHashMap<Name, Name> =
            arrays.map(|job| (job.name.clone(), job.project.clone())).collect();
        let fill = |job: &mut Job| {
            let parent = job.array.as_ref().and_then(|array| array.parent.as_ref());
            let project = parent.and_then(|parent| projects.get(parent)).filter(|name| !name.is_empty());
            job.project = project.cloned().unwrap_or_else(|| NO_PROJECT.into());
        };
        self.snapshot.jobs.change_where(|_, job| job.project.is_empty(), |_, job| fill(job));
    }

    /// Adds queues that jobs are in but no dump shows.
    fn assume_queues(&mut self, log: &mut DiagnosticLog) {
        let mut known: rustc_hash::FxHashSet<Name> =
            self.snapshot.queues.iter().map(|queue| queue.name.clone()).collect();
        for job in &self.snapshot.jobs {
            if !job.queue.is_empty() && known.insert(job.queue.clone()) {
                self.snapshot.queues.push(Queue { assumed: true, ..Queue::named(&job.queue) });
                log.note("queue-assumed", FilePosition::File, || {
                    format!("queue `{}` is in no queue dump; assumed started, without limits", job.queue)
                });
            }
        }
    }
}
