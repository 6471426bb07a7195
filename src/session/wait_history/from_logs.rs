//! Derives observations of jobs from the scheduler's log and the accounting log alone.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use qscope_engine::cluster::{Epoch, Name};
use qscope_source::accounting::AccountingRecord;

use super::log_arrays::LoggedArrays;
use super::{NO_SCHEDULER_LOG, NOT_LOOKED_AT, Observations, QueueExit, without_amounts};

/// Lines of both kinds of logs, in the order of time.
#[derive(Clone, Debug)]
pub struct LogObserver {
    zone: TimeZone,
    observations: Observations,
    arrays: LoggedArrays,
    /// Time of the last line of this file.
    last_line: Option<i64>,
    /// Whether there was a line of a scheduler's log.
    has_reasons: bool,
    /// Number of lines of neither kind.
    pub unknown_lines: u64,
    /// Number of lines read.
    pub lines: u64,
}

/// Beginnings of log lines about a job other than why it waits.
const BESIDE: [&str; 11] = [
    "Considering job to run",
    "Simulation:",
    "Found ",
    "Chunk:",
    "Bucket ",
    "Evaluating ",
    "Estimating ",
    "Formula ",
    "Placement set ",
    "Request won't fit into any placement sets",
    "Job will run for duration",
];

/// Seconds by which a line may be older than the one before: lines are written out of order too.
const DISORDER: i64 = 60;

/// Text before the planned start of a top job.
const TOP: &str = "Job is a top job and will run at ";

impl LogObserver {
    /// Creates an empty set of lines, for logs with dates in this zone.
    pub fn new(zone: TimeZone) -> Self {
        Self {
            zone,
            observations: Observations::new(NOT_LOOKED_AT),
            arrays: LoggedArrays::default(),
            last_line: None,
            has_reasons: false,
            unknown_lines: 0,
            lines: 0,
        }
    }

    /// Adds a line of a log of either kind; several logs may come in any order. Lines of neither kind are counted as
    /// strange.
    pub fn take(&mut self, line: &str) {
        self.lines += 1;
        if self.line(line).is_none() {
            self.unknown_lines += 1;
        }
    }

    /// Begins the next file, whose times are not compared with those of the last one.
    pub fn next_file(&mut self) {
        self.last_line = None;
    }

    /// Returns the observations. The accounting log alone does not state whether a cycle looked at a job.
    pub fn found(mut self) -> Observations {
        self.arrays.count_once(&mut self.observations);
        if !self.has_reasons {
            self.observations.rename_reason(NOT_LOOKED_AT, NO_SCHEDULER_LOG);
        }
        self.observations
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let record = AccountingRecord::parse(line).ok()?;
        let at = Epoch(self.moment(&record).or_else(|| self.fraction(record.stamp))?);
        self.observations.see(at);
        if record.kind.len() == 4 && record.kind.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            self.has_reasons = true;
            let mut fields = line.splitn(6, ';').skip(3);
            let (class, object, text) = (fields.next()?, fields.next()?, fields.next()?);
            if class == "Job" && !object.is_empty() {
                self.scheduled(at, &object.into(), text);
            }
            return Some(());
        }
        if record.kind.len() == 1 && !record.id.is_empty() {
            self.accounted(at, &record);
        }
        Some(())
    }

    /// Returns the time of a line. Of two times that the clock shows alike, it is the second one if the lines before are
    /// later than the first.
    fn moment(&mut self, record: &AccountingRecord<'_>) -> Option<i64> {
        let first = record.moment_in(&self.zone)?;
        let goes_back = self.last_line.is_some_and(|last| first < last - DISORDER);
        let at = if goes_back { record.second_moment_in(&self.zone)? } else { first };
        self.last_line = Some(at);
        Some(at)
    }

    /// Parses dates of schedulers that log fractions of a second.
    fn fraction(&self, stamp: &str) -> Option<i64> {
        let (whole, _) = stamp.split_once('.')?;
        let at = DateTime::strptime("%m/%d/%Y %H:%M:%S", whole).ok()?;
        Some(at.to_zoned(self.zone.clone()).ok()?.timestamp().as_second())
    }

    /// Handles a line of the scheduler about a job: the last one of its turn is why it waits.
    fn scheduled(&mut self, at: Epoch, job: &Name, text: &str) {
        self.observations.seen(job, at);
        if let Some(date) = text.strip_prefix(TOP) {
            if let Some(start) = self.promised(date) {
                self.observations.promise(job, at, start);
            }
            return;
        }
        if text == "Job run" {
            let start = &mut self.observations.track(job).logged_start;
            *start = Some(start.map_or(at, |first| first.min(at)));
        } else if !BESIDE.iter().any(|beside| text.starts_with(beside)) {
            self.observations.mark(job, at, without_amounts(text));
        }
    }

    fn promised(&self, date: &str) -> Option<Epoch> {
        let at = DateTime::strptime("%a %b %d %H:%M:%S %Y", date.trim()).ok()?;
        Some(Epoch(at.to_zoned(self.zone.clone()).ok()?.timestamp().as_second()))
    }

    /// Handles a record of the accounting log.
    fn accounted(&mut self, at: Epoch, record: &AccountingRecord<'_>) {
        let job: Name = record.id.into();
        self.arrays.take(record);
        let seconds = |key: &str| record.seconds(key).filter(|at| *at > 0).map(Epoch);
        match record.kind {
            "Q" | "S" | "s" | "E" => {}
            "D" | "A" => {
                self.observations.track(&job).exit.get_or_insert_with(|| queue_exit(at, record));
                return;
            }
            "R" => {
                let track = self.observations.track(&job);
                track.requeues.insert(at, "requeued");
                track.marks.push((at, NOT_LOOKED_AT.into()));
                return;
            }
            _ => return,
        }
        let queued = seconds("qtime").or(seconds("ctime"));
        let track = self.observations.track(&job);
        track.queued = queued.or(track.queued).or((record.kind == "Q").then_some(at));
        track.starts.extend(seconds("start"));
        track.user = record.field("user").map(Into::into).or(track.user.take());
        track.queue = record.field("queue").map(Into::into).or(track.queue.take());
        if let Some(cores) = record.field("Resource_List.ncpus").and_then(|cores| cores.parse().ok()) {
            track.demand = vec![(at, cores)];
        }
        if let (Some(queued), Some(eligible)) = (track.queued, seconds("etime"))
            && eligible > queued
            && !track.marks.iter().any(|(_, reason)| &**reason == HELD)
        {
            track.marks.push((queued, HELD.into()));
            track.marks.push((eligible, NOT_LOOKED_AT.into()));
        }
    }
}

/// Returns the end of a job that was deleted or aborted.
fn queue_exit(at: Epoch, record: &AccountingRecord<'_>) -> QueueExit {
    let user = record.field("requestor").and_then(|requestor| requestor.split('@').next());
    let how = match (record.kind, user) {
        ("D", Some(user)) => format!("deleted by {user}"),
        ("D", None) => "deleted".to_owned(),
        _ => "aborted".to_owned(),
    };
    QueueExit { last_seen: at, at, how: how.into() }
}

/// Reason for the time between submission and eligibility, according to the accounting log.
const HELD: &str = "held, or waiting for its execution time";

#[cfg(test)]
mod tests {
    use super::super::WaitHistory;
    use super::*;

    #[test]
    fn one_cycle_gives_the_reason_seen_in_it() {
        let mut logs = LogObserver::new(TimeZone::UTC);
        let text = "01/01/1970 00:20:00;0040;pbs_sched;Job;5.svr;Considering job to run\n\
             01/01/1970 00:20:00;0040;pbs_sched;Job;5.svr;Not enough free nodes available\n\
             01/01/1970 00:20:00;0040;pbs_sched;Job;6.svr;Considering job to run\n\
             01/01/1970 00:20:00;0040;pbs_sched;Job;6.svr;Job run\n";
        text.lines().for_each(|line| logs.take(line));
        let found = logs.found();
        let waits = found.of("5").unwrap();
        assert_eq!((waits.is_arrival_known, waits.seconds()), (false, 0));
        let reasons: Vec<&str> = waits.spans.iter().map(|span| &*span.reason).collect();
        assert_eq!(reasons, ["Not enough free nodes available"]);
        let started = found.of("6").unwrap();
        assert_eq!((started.is_started, started.queued, started.spans.len()), (true, Epoch(1200), 0));
        assert_eq!(
            found.waited().len(),
            1,
            "of a job that was only seen to start it is not known what it waited"
        );
    }

    #[test]
    fn the_hour_that_the_clock_shows_twice_keeps_the_order_of_lines() {
        let mut logs = LogObserver::new(TimeZone::get("Europe/Berlin").unwrap());
        let reasons =
            [("01:50", "a"), ("02:30", "b"), ("02:40", "c"), ("02:20", "d"), ("02:50", "e"), ("03:10", "f")];
        for (at, reason) in reasons.iter().chain([&("03:20", "Job run")]) {
            logs.take(&format!("10/26/2025 {at}:00;0040;pbs_sched;Job;7.svr;{reason}"));
        }
        let waited = logs.found().of("7").unwrap();
        let spans: Vec<(&str, i64)> =
            waited.spans.iter().map(|span| (&*span.reason, span.seconds() / 60)).collect();
        assert_eq!(spans, [("a", 40), ("b", 10), ("c", 40), ("d", 30), ("e", 20), ("f", 10)]);
    }

    #[test]
    fn two_logs_give_every_reason_of_a_job() {
        let mut logs = LogObserver::new(TimeZone::UTC);
        let mut take = |text: &str| text.lines().for_each(|line| logs.take(line));
        take(
            "01/01/1970 00:20:00;0040;pbs_sched;Job;5.svr;Considering job to run\n\
             01/01/1970 00:20:00;0040;pbs_sched;Job;5.svr;Insufficient amount of resource: ncpus (R: 4 A: 0 T: 8)\n\
             01/01/1970 00:20:00;0040;pbs_sched;Job;5.svr;Job is a top job and will run at Thu Jan 01 00:40:00 1970\n\
             01/01/1970 00:30:00;0040;pbs_sched;Job;5.svr;Considering job to run\n\
             01/01/1970 00:30:00;0040;pbs_sched;Job;5.svr;Not enough free nodes available\n\
             01/01/1970 00:35:00;0040;pbs_sched;Job;6.svr;Job run\n\
             01/01/1970 00:41:00;0040;pbs_sched;Job;5.svr;Job run\nbroken\n",
        );
        take(
            "01/01/1970 00:50:00;E;5.svr;user=ann queue=q ctime=1000 qtime=1000 etime=1100 start=2462 end=2900 Resource_List.ncpus=4\n\
             01/01/1970 00:50:00;E;6.svr;user=bob queue=q ctime=1900 qtime=1900 etime=1900 start=2101 end=2900\n",
        );
        assert_eq!((logs.lines, logs.unknown_lines), (10, 1));
        let found = logs.found();
        let waited = found.of("5").unwrap();
        let spans: Vec<(i64, &str)> =
            waited.spans.iter().map(|span| ((span.to - span.from).0, &*span.reason)).collect();
        let expected = [
            (100, HELD),
            (100, NOT_LOOKED_AT),
            (600, "Insufficient amount of resource: ncpus"),
            (662, "Not enough free nodes available"),
        ];
        assert_eq!(spans, expected);
        assert_eq!(waited.seconds(), 1462);
        assert_eq!(waited.promises.len(), 1);
        assert_eq!(waited.promises[0].start, Epoch(2400));
        assert_eq!(waited.overtaking_jobs.len(), 1);
        assert_eq!((&*waited.overtaking_jobs[0].job, waited.overtaking_jobs[0].is_ahead), ("6.svr", None));
    }

    #[test]
    fn a_requeue_and_a_deletion_are_in_the_accounting_log() {
        let mut logs = LogObserver::new(TimeZone::UTC);
        let text = "01/01/1970 00:16:40;Q;5.svr;user=ann queue=q qtime=1000 ctime=1000\n\
             01/01/1970 00:18:20;S;5.svr;user=ann queue=q qtime=1000 start=1100 Resource_List.ncpus=4\n\
             01/01/1970 00:20:00;R;5.svr;user=ann queue=q qtime=1000 start=1100 Resource_List.ncpus=4\n\
             01/01/1970 00:21:40;S;5.svr;user=ann queue=q qtime=1000 start=1300 Resource_List.ncpus=4\n\
             01/01/1970 00:21:40;Q;6.svr;user=ann queue=q qtime=1300 ctime=1300\n\
             01/01/1970 00:23:20;D;6.svr;requestor=bob@h\n";
        text.lines().for_each(|line| logs.take(line));
        let found = logs.found();
        let waited = found.of("5").unwrap();
        assert_eq!((waited.seconds(), waited.until, waited.is_started), (200, Epoch(1300), true));
        assert_eq!(waited.runs.len(), 1);
        let reasons =
            |waited: &WaitHistory| waited.spans.iter().all(|span| &*span.reason == NO_SCHEDULER_LOG);
        assert!(reasons(&waited) && found.waited().iter().all(reasons));
        let deleted = found.of("6").unwrap();
        let left = deleted.exit.clone().unwrap();
        assert_eq!((&*left.how, left.unknown(), deleted.until), ("deleted by bob", 0, Epoch(1400)));
        assert_eq!((deleted.demand.len(), deleted.core_seconds(Epoch(1300), Epoch(1400))), (0, 100));
    }
}
