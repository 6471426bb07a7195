//! The word of state: what the screen is doing, each word with one meaning.

use crate::chrome::Chrome;
use crate::following::Freeze;
use crate::screen::Screen;
use crate::theme::Role;
use crate::views::ViewName;
use crate::widgets::header::Fact;
use crate::wording;
use qscope_engine::cluster::{Seconds, Snapshot, short_id};
use qscope_session::{FOLDER_GONE, OpeningOrigin, ReadingAt};
use qscope_source::SIMULATION;

/// A scheduler starts a cycle every ten minutes at least, so dumps are made no less often.
const USUAL: Seconds = Seconds(600);

/// The word of state with its moment.
pub(super) fn badge(app: &Chrome<'_>, screen: &Screen) -> Fact {
    let following = &app.following;
    let snap = &screen.generation.snapshot;
    if let Some(what_if) = screen.generation.what_if.as_ref().filter(|_| following.live.is_some()) {
        return Fact::badge(format!("WHAT-IF {}", what_if.settings.len()), Role::BadgeError);
    }
    match following.freeze {
        Some(Freeze::Stepping) if following.failure.is_some() => failing(stepping(app, screen)),
        _ if following.failure.is_some() => at(app, snap, "ERROR", Role::BadgeError),
        _ if app.playing.is_some() && app.view == ViewName::Time => replay(app, screen),
        _ if app.playing.is_some() => stepping(app, screen),
        // At once: what is shown cannot be live any more (console.md 6, Live).
        None if is_gone(app) => at(app, snap, "STALE", Role::BadgeStale),
        Some(Freeze::Stepping) => stepping(app, screen),
        Some(Freeze::Back) => {
            let (back, kept) = (following.newer_than(&screen.generation), following.history.len());
            // The newest one again, which `>` does not follow.
            let word = if back == 0 { "PAUSED".to_owned() } else { format!("BACK {back} of {kept}") };
            at(app, snap, &word, Role::BadgePaused)
        }
        Some(Freeze::OnRequest) => at(app, snap, "PAUSED", Role::BadgePaused),
        None if is_recorded(screen) || is_simulated(snap) => replay(app, screen),
        None if is_preview(app) => at(app, snap, "READING", Role::BadgeStale),
        None if is_fixed(app, snap) => at(app, snap, "SNAPSHOT", Role::BadgeStale),
        None if is_old(app, snap) => at(app, snap, "STALE", Role::BadgeStale),
        None => at(app, snap, "LIVE", Role::BadgeLive),
    }
}

/// Whether the snapshot is a moment of a recording or of a simulation.
fn is_recorded(screen: &Screen) -> bool {
    matches!(
        screen.generation.origin,
        Some(OpeningOrigin::Recording { .. } | OpeningOrigin::Simulation { .. })
    )
}

/// The word while the first reading goes on, and how far it has come.
pub(super) fn reading(app: &Chrome<'_>) -> Fact {
    let text = match app.following.reading_at.last() {
        None => "READING".to_owned(),
        Some(ReadingAt::File { name, percent, .. }) => format!("READING {name} {percent} %"),
        Some(ReadingAt::Cycle { nodes, jobs }) => {
            let short = format!("READING {nodes}N {jobs}J");
            let (nodes, jobs) = (wording::count(*nodes, "node"), wording::count(*jobs, "job"));
            return Fact::badge(format!("READING {nodes} {jobs}"), Role::BadgeStale).or(short);
        }
    };
    Fact::badge(text, Role::BadgeStale)
}

/// Whether the snapshot is a moment of a simulation: one that it wrote, or one of its recording.
fn is_simulated(snap: &Snapshot) -> bool {
    snap.now_source == SIMULATION
}

/// The moment of a recording or simulation, always with its date; how fast it goes on, where it is played.
fn replay(app: &Chrome<'_>, screen: &Screen) -> Fact {
    let snap = &screen.generation.snapshot;
    let of_simulation = matches!(screen.generation.origin, Some(OpeningOrigin::Simulation { .. }));
    let word = if of_simulation || is_simulated(snap) { "SIM" } else { "REPLAY" };
    let short = wording::time_of_day(snap, snap.now);
    let date = snap.date(snap.now).map(|date| date.strftime("%-d %b %H:%M").to_string());
    let date = date.unwrap_or_else(|| short.clone());
    match app.playing {
        Some(speed) => {
            let speed = format!("{}{speed}", app.theme.by_set("×", "x"));
            Fact::badge(format!("{word} {date} {speed}"), Role::BadgePlay)
                .or(format!("{word} {short} {speed}"))
        }
        None => Fact::badge(format!("{word} {date}"), Role::BadgeStale).or(format!("{word} {short}")),
    }
}

/// Whether the screen shows what can be read while a file is still written, before the first whole reading.
pub(super) fn is_preview(app: &Chrome<'_>) -> bool {
    app.following.waiting.is_some() && app.following.history.is_empty()
}

/// Whether the folder that is followed is not there any more.
pub(super) fn is_gone(app: &Chrome<'_>) -> bool {
    app.following.waiting.as_deref() == Some(FOLDER_GONE)
}

/// A word and the moment of the data, with its date in front when that is not today's.
fn at(app: &Chrome<'_>, snap: &Snapshot, word: &str, role: Role) -> Fact {
    let (data, today) = (snap.date(snap.now), snap.date(app.now));
    let (long, short) = match data.zip(today) {
        Some((data, today)) if data.year() != today.year() => ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"),
        Some((data, today)) if data.date() != today.date() => ("%m-%d %H:%M:%S", "%m-%d %H:%M"),
        _ => ("%H:%M:%S", "%H:%M"),
    };
    let written = |form: &str| snap.date(snap.now).map(|date| date.strftime(form).to_string());
    let written = |form: &str| written(form).unwrap_or_else(|| wording::clock(snap, snap.now));
    Fact::badge(format!("{word} {}", written(long)), role).or(format!("{word} {}", written(short)))
}

fn stepping(app: &Chrome<'_>, screen: &Screen) -> Fact {
    let (at, len) = (screen.debugger.position(), screen.debugger.len());
    if let Some(speed) = app.playing {
        let times = app.theme.by_set("×", "x");
        return Fact::badge(format!("PLAY {at}/{len} {times}{speed}"), Role::BadgePlay);
    }
    let last = screen.debugger.last_step().map(|step| step.outcome.name(&screen.generation.snapshot));
    match last {
        None => Fact::badge(format!("STEP {at}/{len}"), Role::BadgePaused),
        Some(job) => {
            let job = short_id(&job).to_owned();
            let short = format!("STEP {at}/{len} job {job}");
            Fact::badge(format!("STEP {at}/{len}{}job {job}", app.theme.dot()), Role::BadgePaused).or(short)
        }
    }
}

/// The place in the cycle, while the files cannot be read any more.
fn failing(place: Fact) -> Fact {
    let short = place.short.map(|short| format!("ERROR {short}"));
    Fact { text: format!("ERROR {}", place.text), short, role: Role::BadgeError, ..place }
}

/// Whether the moment is fixed: "now" was given rather than taken from the dumps, or nothing has been written since.
fn is_fixed(app: &Chrome<'_>, snap: &Snapshot) -> bool {
    let given = matches!(&*snap.now_source, "given" | "file now" | "queue.toml");
    given || (app.following.history.len() <= 1 && is_old(app, snap))
}

/// Whether more than twice the usual distance of two snapshots has passed without one.
fn is_old(app: &Chrome<'_>, snap: &Snapshot) -> bool {
    let mut times: Vec<i64> = app.following.history.iter().map(|one| one.snapshot.now.0).collect();
    times.sort_unstable();
    let mut gaps: Vec<i64> = times.windows(2).filter_map(|pair| Some(pair.last()? - pair.first()?)).collect();
    gaps.retain(|gap| *gap > 0);
    gaps.sort_unstable();
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or(USUAL.0).max(USUAL.0 / 2);
    (app.now - snap.now).0 > 2 * usual
}
