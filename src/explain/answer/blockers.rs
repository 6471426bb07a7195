//! The jobs that block a job, and their expected ends.

use crate::words::is_without_walltime;
use crate::{AnswerLine, AnswerSection, AnswerTopic, AwaitedEnd, Blockers, words};
use qscope_engine::cluster::{Epoch, Snapshot, array_id, short_id};

/// Returns the blocking jobs in order of their ends; `None` if none is known.
pub fn blockers_section(snap: &Snapshot, blame: &Blockers) -> Option<AnswerSection> {
    let mut section = AnswerSection::new(AnswerTopic::Blockers, "Blocked by");
    let columns = EndColumns::of(snap, &blame.ends);
    section.lines.extend(blame.ends.iter().map(|end| columns.row(snap, end)));
    let behind = || blame.ends.iter().filter(|end| end.behind).map(|end| &end.who);
    if behind().next().is_some() {
        let jobs = words::folded_within(behind().map(|who| short_id(who)), 40);
        let text = format!("considered after it, and started in this cycle: {jobs}");
        section.line_about(text, behind().take(4).cloned());
    }
    if let Some(at) = blame.start_if_alone {
        let room = match blame.change {
            Some(change) => room_at_change(snap, &blame.ends, change, at),
            None => room_text(snap, &blame.ends, at),
        };
        section.line(format!("{room}, if no other job takes it"));
    }
    if let Some(end) = blame.reservation_end {
        let (clock, away) = (words::clock(snap, end), words::duration(end - snap.now));
        section.line(format!("no room before its reservation ends: {clock}, in {away}"));
    }
    for link in &blame.chain {
        section.line_about(link.text.clone(), link.jobs.clone());
    }
    (!section.lines.is_empty()).then_some(section)
}

/// Column widths of the table of ends.
#[derive(Clone, Copy)]
struct EndColumns {
    names: usize,
    users: usize,
    /// Seconds until the last known end, which is the full length of a bar.
    last: i64,
}

impl EndColumns {
    fn of(snap: &Snapshot, ends: &[AwaitedEnd]) -> Self {
        let ahead = ends.iter().map(|end| end.at - snap.now);
        let last = ahead.filter(|ahead| !is_without_walltime(*ahead)).map(|ahead| ahead.0).max();
        let widest = |of: &dyn Fn(&AwaitedEnd) -> usize| ends.iter().map(of).max().unwrap_or(0);
        Self {
            names: widest(&|end| short_id(&end.who).chars().count()),
            users: widest(&|end| user_of(snap, &end.who).chars().count()),
            last: last.unwrap_or(0).max(1),
        }
    }

    fn row(self, snap: &Snapshot, end: &AwaitedEnd) -> AnswerLine {
        let Self { names, users, last } = self;
        let user = user_of(snap, &end.who);
        let count = match end.nodes.len() {
            0 if end.limit => "counted by the limit".to_owned(),
            0 => String::new(),
            nodes => words::count(nodes, "node"),
        };
        let head = format!("{:<names$}  {user:<users$}  {count:<8} ", short_id(&end.who));
        let away = end.at - snap.now;
        let limit = if end.limit && !end.nodes.is_empty() { ", counted by the limit" } else { "" };
        let nodes = words::fold_names(end.nodes.iter().map(String::as_str), 34);
        let until = match is_without_walltime(away) {
            true => "no walltime: no end known".to_owned(),
            false => stay_text(snap, end),
        };
        let planned = match (end.planned, end.refused) {
            (true, _) => "waiting, planned ",
            (_, true) => "in the cycle's books, the server refuses it, ",
            (false, false) => "",
        };
        let rest = format!(" {planned}{until}{limit}  {nodes}");
        let about = std::iter::once(end.who.clone()).chain(end.nodes.iter().take(4).cloned());
        let bar = (away.0.clamp(0, last).unsigned_abs(), last.unsigned_abs());
        let row = AnswerLine::with_bar(&head, bar, rest.trim_end());
        AnswerLine { list: nodes.to_string().len(), ..row.with_objects(about) }
    }
}

/// States when there is room once these occupants have ended.
fn room_text(snap: &Snapshot, ends: &[AwaitedEnd], at: Epoch) -> String {
    match is_without_walltime(at - snap.now) {
        _ if ends.is_empty() && at <= snap.now => {
            "room already when this cycle is over, by what the server refuses to start".to_owned()
        }
        true => "room when the jobs without walltime end".to_owned(),
        false if at < snap.now || are_overdue(ends) => {
            "room as soon as these, which are overdue, have ended".to_owned()
        }
        false => {
            let (clock, away) = (words::clock(snap, at), words::duration(at - snap.now));
            // Plans of this cycle take the room that the last end leaves; the next cycle plans again.
            match are_limits(ends) && ends.iter().all(|end| end.at < at) {
                true => format!("room beside what this cycle plans at {clock}, in {away}"),
                false => format!("room once these have ended: {clock}, in {away}"),
            }
        }
    }
}

/// States when there is room once prime or dedicated time has changed, and these occupants have ended.
fn room_at_change(snap: &Snapshot, ends: &[AwaitedEnd], change: &str, at: Epoch) -> String {
    let once = if ends.is_empty() { "once" } else { "once these have ended and" };
    format!("room {once} {change}: {}, in {}", words::clock(snap, at), words::duration(at - snap.now))
}

/// Whether all occupants that must end are only counted by a limit; `false` if there are none.
fn are_limits(ends: &[AwaitedEnd]) -> bool {
    !ends.is_empty() && ends.iter().all(|end| end.limit && end.nodes.is_empty())
}

/// Whether all occupants that must end are overdue; `false` if there are none.
fn are_overdue(ends: &[AwaitedEnd]) -> bool {
    !ends.is_empty() && ends.iter().all(|end| end.overdue_since.is_some())
}

/// States until when an occupant is planned to stay. One that should have ended by now is overdue, and its end is
/// assumed.
fn stay_text(snap: &Snapshot, end: &AwaitedEnd) -> String {
    let due = end.overdue_since.unwrap_or(end.at);
    let clock = words::time_of_day(snap, due);
    match due < snap.now {
        true => format!("due {clock}, {} ago", words::duration(snap.now - due)),
        false => format!("until {clock}, in {}", words::duration(due - snap.now)),
    }
}

/// Returns the user of a job; for a subjob missing from the dump, that of its array.
fn user_of<'s>(snap: &'s Snapshot, name: &str) -> &'s str {
    let of_array = || snap.job_named(&array_id(name)?.0);
    snap.job_named(name).or_else(of_array).map_or("", |id| &*snap.jobs[id].user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_should_have_ended_is_overdue() {
        let snap = Snapshot::empty("t", Epoch(1_000));
        let end = |at, overdue_since| AwaitedEnd {
            who: "1".into(),
            at: Epoch(at),
            nodes: Vec::new(),
            limit: false,
            planned: false,
            behind: false,
            refused: false,
            overdue_since,
        };
        assert_eq!(stay_text(&snap, &end(400, None)), "due 00:06, 10m ago");
        assert_eq!(stay_text(&snap, &end(1_001, Some(Epoch(400)))), "due 00:06, 10m ago");
        assert_eq!(stay_text(&snap, &end(1_600, None)), "until 00:26, in 10m");
        let one = |at| {
            let ends = vec![end(at, (at == 1_001).then_some(Epoch(400)))];
            Blockers { ends, start_if_alone: Some(Epoch(at)), ..Blockers::default() }
        };
        let last = |at| blockers_section(&snap, &one(at)).unwrap().lines.last().unwrap().text.clone();
        for at in [400, 1_001] {
            assert_eq!(
                last(at),
                "room as soon as these, which are overdue, have ended, if no other job takes it"
            );
        }
        assert_eq!(last(1_600), "room once these have ended: 00:26:40, in 10m, if no other job takes it");
        // A change of prime or dedicated time is what comes last.
        let change = Some("dedicated time ends");
        let changed =
            |ends| Blockers { ends, start_if_alone: Some(Epoch(1_600)), change, ..Blockers::default() };
        let text = |ends| blockers_section(&snap, &changed(ends)).unwrap().lines.last().unwrap().text.clone();
        let room = "dedicated time ends: 00:26:40, in 10m, if no other job takes it";
        assert_eq!(text(Vec::new()), format!("room once {room}"));
        assert_eq!(text(vec![end(1_500, None)]), format!("room once these have ended and {room}"));
        // The limit has room earlier, but planned starts take it.
        let ends = vec![AwaitedEnd { limit: true, ..end(1_500, None) }];
        let limited = Blockers { ends, start_if_alone: Some(Epoch(1_600)), ..Blockers::default() };
        let text = blockers_section(&snap, &limited).unwrap().lines.last().unwrap().text.clone();
        assert_eq!(text, "room beside what this cycle plans at 00:26:40, in 10m, if no other job takes it");
    }
}
