//! The first line: cluster, state, scheduling, nodes, jobs, position in the cycle, age, zone.
//!
//! ```text
//!  pbs01 ·  SNAPSHOT 02:03  · sched OFF · 9/32 free · 4R 13Q 2H · step 0/19
//!  pbs01 ·  STEP 5/19 job 58  · 02:03 · 7/32 free · 1 started 4 wait
//! ```
//! The least important facts are dropped first; the cluster and its state always stay.

mod state;

use std::path::Path;

use ratatui::text::Line;

use super::Chrome;
use crate::following::{AGED, FreezeReason, moment};
use crate::screen::{ConsideredCounts, Screen, Summary};
use crate::theme::Role;
use crate::widgets::header::{HeaderFact, header as line};
use crate::wording;
use qscope_engine::cluster::{Seconds, Snapshot, skew as skew_of};
use qscope_engine::universe::NodeCounts;
use qscope_explain::scheduling_is_off;
use qscope_session::OpeningOrigin;
use qscope_session::dump_times::{DumpTimes, is_mid_cycle};

/// Minimum difference between dumps, in seconds, to be shown, and to be shown as a warning.
const WORTH_A_WORD: i64 = 5;
const APART: i64 = 30;

/// Below this width facts use their short forms.
const SHORT: u16 = 100;

/// Minimum width for age and zone.
const WIDE: u16 = 120;

/// Minimum width for facts that are as they should be.
const WIDER: u16 = 160;

/// The header in `columns` columns.
pub(crate) fn header(app: &Chrome<'_>, columns: u16) -> Line<'static> {
    let mut facts = Vec::new();
    match (app.screen, app.files) {
        (Some(screen), _) => cluster(app, screen, &mut facts),
        (None, Some(files)) => {
            facts.extend(files.facts().into_iter().map(|(text, keep)| HeaderFact::new(text, keep)));
        }
        (None, None) => {
            facts.push(HeaderFact::new(folder_name(app.source).to_owned(), 254));
            let failed = app.following.failure.is_some();
            facts.push(if failed {
                HeaderFact::badge("ERROR", Role::BadgeError)
            } else {
                state::reading(app)
            });
        }
    }
    if columns < SHORT {
        facts = facts.into_iter().map(HeaderFact::shortened).collect();
    }
    line(&facts, columns, app.theme)
}

/// The last part of the path that is read.
fn folder_name(source: &str) -> &str {
    Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or(source)
}

/// The name of a server that no dump names.
const UNNAMED: &str = "server";

/// The server's name, or the one in the ids of its jobs, or that of the directory.
fn name(snap: &Snapshot) -> String {
    let of_jobs = || Some(snap.jobs.iter().next()?.name.split_once('.')?.1.to_owned());
    let own = Some(snap.server.name.to_string()).filter(|name| !name.is_empty());
    own.or_else(of_jobs).filter(|name| name != UNNAMED).unwrap_or_else(|| snap.title.to_string())
}

fn cluster(app: &Chrome<'_>, screen: &Screen, facts: &mut Vec<HeaderFact>) {
    let snap = &screen.generation.snapshot;
    facts.push(HeaderFact::new(name(snap), 254));
    facts.push(state::badge(app, screen));
    let steps = matches!(app.following.freeze, Some(FreezeReason::Stepping));
    facts.extend(place(screen, steps));
    facts.extend(recorded(app));
    if steps {
        facts.push(data_of(app, snap));
    }
    facts.extend(scheduling(app, snap));
    facts.push(nodes(screen));
    // While stepping, the badge has the step.
    if steps {
        facts.push(so_far(screen));
    } else {
        let (at, len) = (screen.debugger.position(), screen.debugger.len());
        let Summary { jobs, .. } = screen.summary();
        facts.push(HeaderFact::new(jobs.long(), 75).with_short(jobs.short_text()));
        // At rest, the age of the data is more important than the position.
        let keep = if at == 0 { 34 } else { 60 };
        facts.push(HeaderFact::new(format!("step {at}/{len}"), keep));
    }
    facts.extend(age(app, snap).map(|age| HeaderFact { keep: if steps { 34 } else { age.keep }, ..age }));
    if app.columns >= WIDE {
        facts.push(HeaderFact::new(snap.zone.clone(), 30).of(Role::TextDim));
    }
    add_optional_facts(app, screen, facts);
}

/// The place of a snapshot in its recording or simulation, where several may be of one minute.
fn place(screen: &Screen, steps: bool) -> Option<HeaderFact> {
    let (nth, all) = screen.generation.position.filter(|(_, all)| *all > 1)?;
    let of_simulation = matches!(screen.generation.origin, Some(OpeningOrigin::Simulation { .. }));
    let what = if of_simulation { "cycle" } else { "snapshot" };
    let long = format!("{what} {nth} of {all}");
    // Beside the number of a step, a number alone would be another one of it.
    Some(if steps {
        HeaderFact::new(long, 33)
    } else {
        HeaderFact::new(long, 58).with_short(format!("{nth} of {all}"))
    })
}

/// Whether the snapshots are recorded, with the number of the last one.
fn recorded(app: &Chrome<'_>) -> Option<HeaderFact> {
    Some(match app.following.recorded.as_ref()? {
        Ok(number) => HeaderFact::new(format!("REC #{number}"), 85).with_short("REC"),
        Err(_) => HeaderFact::new("NOT RECORDED", 85).of(Role::Error).with_short("NO REC"),
    })
}

/// Facts that are shown if there is room.
fn add_optional_facts(app: &Chrome<'_>, screen: &Screen, facts: &mut Vec<HeaderFact>) {
    facts.extend(skew(screen));
    // Without evidence, the list of problems states why.
    if let Some(agreed) = screen.agreed().filter(|agreed| agreed.has_evidence) {
        let (keep, role) = if agreed.differs { (36, Role::Warning) } else { (28, Role::TextDim) };
        let long = format!("agreement: {}", agreed.words);
        facts.push(HeaderFact::new(long, keep).with_short(agreed.short.clone()).of(role));
    }
    let log = screen.generation.agreement.as_ref().and_then(|agreement| agreement.log.as_ref().ok());
    if let Some(started) = log.and_then(|log| log.started) {
        let text = format!("last cycle {}", wording::clock(&screen.generation.snapshot, started));
        facts.push(HeaderFact::new(text, 14).of(Role::TextDim));
    }
    if let Some(collection) = &app.following.collection {
        let files = wording::count(collection.clients.len(), "file");
        facts.push(
            HeaderFact::new(format!("collects {files} (D)"), 22).with_short("collects").of(Role::TextDim),
        );
    }
    if let Some(why) = &app.following.waiting {
        let is_warning = app.following.misses_file() || state::is_preview(app);
        let (keep, role) = if is_warning { (200, Role::Warning) } else { (26, Role::TextDim) };
        facts.push(
            HeaderFact::new(why.clone(), keep)
                .with_short(if keep > 26 { why.as_str() } else { "waiting for a file" })
                .of(role),
        );
    }
    if let Some(how) = &app.following.watching {
        facts.push(HeaderFact::new(how.clone(), 10).of(Role::TextDim));
    }
}

/// The nodes at the position.
fn nodes(screen: &Screen) -> HeaderFact {
    let counts = screen.node_counts();
    let NodeCounts { all, free, .. } = counts;
    let long = format!("{}: {}", wording::count(all, "node"), wording::by_use(counts));
    HeaderFact::new(long, 80).with_short(format!("{free}/{all} free"))
}

/// The counts of jobs considered up to the position.
fn so_far(screen: &Screen) -> HeaderFact {
    let ConsideredCounts { start, wait, refused } = screen.summary().so_far(screen.debugger.position());
    let refused = if refused == 0 { String::new() } else { format!(" ({refused} refused)") };
    HeaderFact::new(format!("{start} started, {wait} wait{refused} so far"), 70)
        .with_short(format!("{start} started {wait} wait{refused}"))
}

/// The moment of the data, if the badge shows something else.
fn data_of(app: &Chrome<'_>, snap: &Snapshot) -> HeaderFact {
    let short = wording::time_of_day(snap, snap.now);
    // With the date unless it is today's, as the badge has it.
    let [long, _] = moment(snap, app.now);
    match app.columns {
        ..WIDE => HeaderFact::new(short, 65),
        _ => HeaderFact::new(format!("data {long}"), 65).with_short(short),
    }
}

/// The age of the data; for data that are months old the badge has the date.
fn age(app: &Chrome<'_>, snap: &Snapshot) -> Option<HeaderFact> {
    let age = app.now - snap.now;
    let fact = match age.0 {
        ..0 => HeaderFact::new(format!("{} ahead", wording::span(Seconds(age.0.saturating_neg()))), 40),
        _ => HeaderFact::new(format!("{} old", wording::span(age)), 40).with_tight(wording::span(age)),
    };
    (age.0.saturating_abs() < AGED.0).then_some(fact)
}

/// How far the dumps of nodes and jobs are apart, and whether they were taken during a cycle.
fn skew(screen: &Screen) -> Vec<HeaderFact> {
    let moments = DumpTimes::of(&screen.generation.snapshot);
    let (apart, half) = (moments.gap_seconds(), screen.generation.late_dump.is_some());
    let (keep, role) = if half || apart > APART { (45, Role::Warning) } else { (15, Role::TextDim) };
    let fact = |long| {
        HeaderFact::new(long, keep).with_short(format!("skew {}", wording::span(Seconds(apart)))).of(role)
    };
    let skew = moments.skew().filter(|_| half || apart >= WORTH_A_WORD).map(fact);
    let skew = skew.or_else(|| other_dumps(screen));
    let cycle = is_mid_cycle(&screen.generation.snapshot);
    let cycle =
        cycle.then(|| HeaderFact::new("dumped in mid-cycle", 37).with_short("mid-cycle").of(Role::Warning));
    skew.into_iter().chain(cycle).collect()
}

/// How far other dumps, such as that of the queues, are apart from those of nodes and jobs.
fn other_dumps(screen: &Screen) -> Option<HeaderFact> {
    let (_, apart) = skew_of(&screen.generation.snapshot.files).filter(|(_, apart)| apart.0 > APART)?;
    let apart = wording::span(apart);
    Some(
        HeaderFact::new(format!("dumps {apart} apart"), 45)
            .with_short(format!("skew {apart}"))
            .of(Role::Warning),
    )
}

/// States that scheduling is off, or, if there is room, that it is on.
fn scheduling(chrome: &Chrome<'_>, snap: &Snapshot) -> Option<HeaderFact> {
    match snap.server.scheduling.or(snap.scheduler.scheduling) {
        _ if scheduling_is_off(snap) => {
            Some(HeaderFact::new("scheduling OFF", 90).of(Role::Error).with_short("sched OFF"))
        }
        Some(_) => (chrome.columns >= WIDER).then(|| HeaderFact::new("scheduling on", 25).of(Role::TextDim)),
        None => {
            (chrome.columns >= WIDER).then(|| HeaderFact::new("scheduling unknown", 25).of(Role::TextDim))
        }
    }
}
