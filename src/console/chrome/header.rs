//! The first line: which cluster, live or not, how old, how full, what waits, how far the cycle was stepped.

use ratatui::text::Line;

use super::Chrome;
use crate::following::Freeze;
use crate::screen::{Screen, Summary};
use crate::theme::Role;
use crate::widgets::header::{Fact, header as line};
use crate::wording;
use qscope_engine::cluster::{Seconds, Snapshot};
use qscope_engine::universe::NodeCounts;
use qscope_explain::{Tier, scheduling_is_off};
use qscope_session::moments::{Moments, is_mid_cycle};

/// Dumps older than this are stale: a scheduler starts a cycle every ten minutes at least.
pub(crate) const STALE_AFTER: Seconds = Seconds(600);

/// Dumps so many seconds apart are worth a word, and by more than the second number a warning.
const WORTH_A_WORD: i64 = 5;
const APART: i64 = 30;

/// From this width on the reasons for waiting stand in the header too.
const WIDE: u16 = 160;

/// The header for so many columns.
pub(crate) fn header(app: &Chrome<'_>, columns: u16) -> Line<'static> {
    let mut facts = Vec::new();
    match (app.screen, app.files) {
        (Some(screen), _) => cluster(app, screen, &mut facts),
        (None, Some(files)) => {
            facts.extend(files.facts().into_iter().map(|(text, keep)| Fact::new(text, keep)));
        }
        (None, None) => {
            facts.push(Fact::new(app.source.to_owned(), 90));
            let failed = app.following.failure.is_some();
            facts.push(if failed {
                Fact::badge("ERROR", Role::BadgeError)
            } else {
                Fact::badge("READING", Role::BadgeStale)
            });
        }
    }
    line(&facts, columns, app.theme)
}

fn cluster(app: &Chrome<'_>, screen: &Screen, facts: &mut Vec<Fact>) {
    let snap = &screen.generation.snapshot;
    facts.push(Fact::new(snap.title.to_string(), 60));
    facts.push(badge(app, snap));
    facts.extend(walked_back(app, screen));
    facts.push(age(app, snap));
    facts.extend(skew(screen));
    facts.push(scheduling(snap));
    facts.push(nodes(screen));
    let Summary { jobs, .. } = &screen.summary;
    facts.push(Fact::new(jobs.long(), 75).or(jobs.short()));
    // On narrower screens the rest would have to be shorter for it.
    if let Some(waits) = waits(&screen.generation.waits, 3).filter(|_| app.columns >= WIDE) {
        facts.push(Fact::new(waits, 28).or(self::waits(&screen.generation.waits, 1).unwrap_or_default()));
    }
    let (at, len) = (screen.debugger.position(), screen.debugger.len());
    facts.push(Fact::new(format!("step {at}/{len}"), 85));
    let warnings = super::warnings::count(screen);
    if warnings > 0 {
        let long = format!("{} (!)", wording::count(warnings, "warning"));
        facts.push(Fact::new(long, 50).or(format!("{warnings} warn")).of(Role::TextDim));
    }
    if let Some(agreement) = &screen.generation.agreement {
        let role = if agreement.differs() { Role::Warning } else { Role::TextDim };
        let keep = if agreement.has_evidence() { 62 } else { 20 };
        let long = format!("agreement: {}", agreement.summary());
        facts.push(Fact::new(long, keep).or(agreement.short_summary()).of(role));
    }
    let log = screen.generation.agreement.as_ref().and_then(|agreement| agreement.log.as_ref().ok());
    if let Some(started) = log.and_then(|log| log.started) {
        let text = format!("last cycle {}", wording::clock(snap, started));
        facts.push(Fact::new(text, 32).of(Role::TextDim));
    }
    if let Some(collection) = &app.following.collection {
        let files = wording::count(collection.clients.len(), "file");
        facts.push(Fact::new(format!("collects {files} (D)"), 42).or("collects").of(Role::TextDim));
    }
    if let Some(why) = &app.following.waiting {
        facts.push(Fact::new(why.clone(), 45).or("waiting for a file").of(Role::TextDim));
    }
    if let Some(how) = &app.following.watching {
        facts.push(Fact::new(how.clone(), 10).of(Role::TextDim));
    }
}

/// The nodes at the position in the cycle.
fn nodes(screen: &Screen) -> Fact {
    let NodeCounts { all, free, part, full, out } = screen.node_counts();
    let short = match out {
        0 => format!("{free}/{all} free"),
        out => format!("{free}/{all} free, {out} out"),
    };
    Fact::new(format!("{}: {free} free {part} part {full} full {out} out", wording::count(all, "node")), 80)
        .or(short)
}

/// How many wait, and the most frequent kinds of causes that the scheduler hit first.
fn waits(by_tier: &[(Tier, usize)], most: usize) -> Option<String> {
    let all: usize = by_tier.iter().map(|(_, jobs)| jobs).sum();
    let causes: Vec<String> =
        by_tier.iter().take(most).map(|(tier, jobs)| format!("{} {jobs}", tier.glance())).collect();
    (all > 0).then(|| format!("{all} wait: {}", causes.join(", ")))
}

fn badge(app: &Chrome<'_>, snap: &Snapshot) -> Fact {
    let following = &app.following;
    let old = app.now - snap.now > STALE_AFTER && !frozen_clock(snap);
    if following.live.is_some() {
        return Fact::badge("WHAT IF", Role::BadgeError);
    }
    match following.freeze {
        _ if following.failure.is_some() => Fact::badge("ERROR", Role::BadgeError),
        Some(Freeze::Stepping) if app.is_playing => Fact::badge("PLAYING", Role::BadgePaused),
        Some(Freeze::Stepping) => Fact::badge("STEPPING", Role::BadgePaused),
        Some(Freeze::Back) => Fact::badge("BACK", Role::BadgePaused),
        Some(Freeze::OnRequest) => Fact::badge("FROZEN", Role::BadgePaused),
        None if old => Fact::badge("STALE", Role::BadgeStale),
        None => Fact::badge("LIVE", Role::BadgeLive),
    }
}

/// Which snapshot is shown, and how far back it is; nothing while it is the newest.
fn walked_back(app: &Chrome<'_>, screen: &Screen) -> Option<Fact> {
    let (number, back) = (screen.generation.number, app.following.newer_than(&screen.generation));
    let newest = number + back;
    let long = format!("snapshot {number} of {newest}, {back} back");
    (back > 0).then(|| Fact::new(long, 88).or(format!("snap {number}/{newest}")))
}

/// How far apart the dumps of nodes and jobs are, and whether the scheduler was at work meanwhile.
fn skew(screen: &Screen) -> Vec<Fact> {
    let moments = Moments::of(&screen.generation.snapshot);
    let (apart, half) = (moments.apart(), screen.generation.half.is_some());
    let (keep, role) = if half || apart > APART { (72, Role::Warning) } else { (15, Role::TextDim) };
    let fact = |long| Fact::new(long, keep).or(format!("skew {apart} s")).of(role);
    let skew = moments.skew().filter(|_| half || apart >= WORTH_A_WORD).map(fact);
    let cycle = is_mid_cycle(&screen.generation.snapshot);
    let cycle = cycle.then(|| Fact::new("dumped in mid-cycle", 48).or("mid-cycle").of(Role::Warning));
    skew.into_iter().chain(cycle).collect()
}

/// Whether "now" was given rather than taken from the dumps.
fn frozen_clock(snap: &Snapshot) -> bool {
    matches!(&*snap.now_source, "given" | "file now" | "queue.toml")
}

fn age(app: &Chrome<'_>, snap: &Snapshot) -> Fact {
    let at = wording::clock(snap, snap.now);
    let age = app.now - snap.now;
    let old = if age.0 < 0 {
        format!("{} ahead", wording::span(Seconds(-age.0)))
    } else {
        format!("{} old", wording::span(age))
    };
    if frozen_clock(snap) {
        return Fact::new(format!("snapshot {at}, {old}"), 70).or(format!("snapshot {at}"));
    }
    Fact::new(format!("{at}, {old}"), 70).or(old)
}

fn scheduling(snap: &Snapshot) -> Fact {
    match snap.server.scheduling.or(snap.scheduler.scheduling) {
        _ if scheduling_is_off(snap) => Fact::new("scheduling OFF", 55).of(Role::Error).or("sched OFF"),
        Some(_) => Fact::new("scheduling on", 40).or("sched on"),
        None => Fact::new("scheduling unknown", 30).or("sched ?"),
    }
}
