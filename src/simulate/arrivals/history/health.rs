//! Problems in the lines of logs, counted, and how each is handled (days rule 1).

use std::collections::BTreeMap;

use qscope_engine::cluster::{Seconds, Snapshot, count};

use crate::arrivals::ArrivalRow;

/// A time without lines that is longer than this many seconds is a gap.
const GAP: i64 = 86_400;

/// Seconds by which the time must decrease to count as a changed clock; below that, lines were written out of order.
const SET_BACK: i64 = 600;

/// Maximum number of servers that are named; more are only counted.
const NAMED: usize = 5;

/// Problems found over all lines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct HistoryProblems {
    last: Option<i64>,
    gaps: u64,
    longest: (i64, i64),
    disordered: u64,
    set_back: u64,
    servers: BTreeMap<String, u64>,
    /// Number of jobs that started and have no end; arrays are counted by their subjobs.
    pub(super) endless: u64,
    /// Number of jobs whose id another job of the log has.
    pub(super) reused: u64,
    /// Number of jobs that end before they start.
    pub(super) reversed: u64,
    /// Number of records with a time that they cannot have.
    pub(super) misdated: u64,
}

impl HistoryProblems {
    /// Records the time of a line, in the order of lines; any clock in seconds is accepted.
    pub(super) fn moment(&mut self, at: i64) {
        if let Some(last) = self.last {
            let step = at - last;
            if step > GAP {
                self.gaps += 1;
                if step > self.longest.1 {
                    self.longest = (last, step);
                }
            } else if step <= -SET_BACK {
                self.set_back += 1;
            } else if step < 0 {
                self.disordered += 1;
            }
        }
        self.last = Some(at);
    }

    /// Begins the next file, whose times are not compared with those of the previous one.
    pub(super) fn next_file(&mut self) {
        self.last = None;
    }

    /// Records the id of a job.
    pub(super) fn id(&mut self, id: &str) {
        let Some((_, server)) = id.split_once('.') else { return };
        match self.servers.get_mut(server) {
            Some(count) => *count += 1,
            None => {
                self.servers.insert(server.to_owned(), 1);
            }
        }
    }

    /// Returns the server that all jobs are of, as far as their ids name one.
    pub(super) fn only_server(&self) -> Option<&str> {
        let mut all = self.servers.keys();
        all.next().filter(|_| all.next().is_none()).map(String::as_str)
    }

    /// Returns one sentence for each kind of problem, with how it is handled.
    pub(super) fn sentences(&self) -> Vec<String> {
        let Self { gaps, longest, disordered, set_back, endless, reused, reversed, misdated, .. } = self;
        let mut all = Vec::new();
        let mut add = |count: u64, text: String| {
            if count > 0 {
                all.push(text);
            }
        };
        let span = Seconds(longest.1);
        add(
            *gaps,
            format!(
                "{} of more than a day without a line, the longest {span}: nothing arrives in them",
                count(*gaps, "gap")
            ),
        );
        add(*disordered, format!("{} out of order: arrivals are sorted by time", count(*disordered, "line")));
        add(
            *set_back,
            format!(
                "the log's clock goes back by 10 min or more, {}: only times in seconds since 1970 count",
                count(*set_back, "time")
            ),
        );
        add(*endless, format!("{} without an end: run for the walltime", count(*endless, "job")));
        add(
            *reused,
            format!(
                "{} with the id of another job, created at another time: 40-2.srv is the second of 40.srv",
                count(*reused, "job")
            ),
        );
        add(
            *reversed,
            format!("{} with an end before the start: run time taken as 0", count(*reversed, "job")),
        );
        add(
            *misdated,
            format!(
                "{} with a time after it was written, or ten years before: that time does not count",
                count(*misdated, "record")
            ),
        );
        if self.servers.len() > 1 {
            let named = self.servers.iter().take(NAMED).map(|(name, count)| format!("{name} ({count})"));
            let named = named.collect::<Vec<_>>().join(", ");
            all.push(format!(
                "lines of {} servers: {named}: the jobs of all arrive here",
                self.servers.len()
            ));
        }
        all
    }
}

/// Returns the number of arrivals that request more cores than all vnodes that are up have.
pub(super) fn larger_than_cluster(rows: &[ArrivalRow], snapshot: &Snapshot) -> usize {
    let up = snapshot.nodes.iter().filter(|node| !node.states.is_gone());
    let all: f64 = up.map(|node| node.available.cpus()).sum();
    let requested = |row: &&ArrivalRow| {
        let value = row.job.get("Resource_List")?.get("ncpus")?;
        value.as_f64().or_else(|| value.as_str()?.parse().ok())
    };
    rows.iter().filter(|row| requested(row).is_some_and(|cores| cores > all)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_disorder_and_clocks_set_back_are_counted_apart() {
        let mut health = HistoryProblems::default();
        for at in [0, 100, 90, 90 + 3 * GAP, 80 + 3 * GAP, 3 * GAP - 7200] {
            health.moment(at);
        }
        health.next_file();
        health.moment(0);
        for id in ["1.a", "2.a", "3.b", "4"] {
            health.id(id);
        }
        let found = health.sentences();
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(
            found[0].starts_with("1 gap of more than a day") && found[0].contains("72:00:00"),
            "{found:?}"
        );
        assert!(found[1].starts_with("2 lines out of order"), "{found:?}");
        assert!(found[2].starts_with("the log's clock goes back by 10 min or more, 1 time:"), "{found:?}");
        assert_eq!(found[3], "lines of 2 servers: a (2), b (1): the jobs of all arrive here");
    }
}
