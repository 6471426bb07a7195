//! The state badge: a word for what the screen is doing, each with one meaning.

use crate::chrome::Chrome;
use crate::following::{FreezeReason, is_given, is_simulated, moment};
use crate::screen::Screen;
use crate::theme::Role;
use crate::views::ViewName;
use crate::widgets::header::HeaderFact;
use crate::wording;
use qscope_engine::cluster::{Snapshot, short_id};
use qscope_session::{LoadProgress, OpeningOrigin};

/// The badge with its moment.
pub(super) fn badge(app: &Chrome<'_>, screen: &Screen) -> HeaderFact {
    let following = &app.following;
    let snap = &screen.generation.snapshot;
    if let Some(what_if) = screen.generation.what_if.as_ref().filter(|_| following.live.is_some()) {
        let what_if = format!("WHAT-IF {}", what_if.settings.len());
        let text = match following.freeze {
            Some(FreezeReason::Stepping) => {
                format!("{what_if} STEP {}/{}", screen.debugger.position(), screen.debugger.len())
            }
            _ => return at(app, snap, &what_if, Role::BadgeError),
        };
        return HeaderFact::badge(text, Role::BadgeError);
    }
    match following.freeze {
        Some(FreezeReason::Stepping) if following.failure.is_some() => failing(stepping(app, screen)),
        _ if following.failure.is_some() => at(app, snap, "ERROR", Role::BadgeError),
        _ if app.playing.is_some() && app.view == ViewName::Time => replay(app, screen),
        _ if app.playing.is_some() => stepping(app, screen),
        // Immediately, since what is shown is no longer live (console.md 6, Live).
        None if following.is_gone() => at(app, snap, "STALE", Role::BadgeStale),
        Some(FreezeReason::Stepping) => stepping(app, screen),
        Some(FreezeReason::OlderSnapshot) => {
            let (back, kept) = (following.newer_than(&screen.generation), following.history.len());
            // The newest snapshot is shown again, but not followed.
            let word = if back == 0 { "PAUSED".to_owned() } else { format!("BACK {back} of {kept}") };
            at(app, snap, &word, Role::BadgePaused)
        }
        Some(FreezeReason::OnRequest) => at(app, snap, "PAUSED", Role::BadgePaused),
        None if is_recorded(screen) || is_simulated(snap) => replay(app, screen),
        None if is_preview(app) => at(app, snap, "READING", Role::BadgeStale),
        None if is_fixed(app, snap) => at(app, snap, "SNAPSHOT", Role::BadgeStale),
        None if following.is_old(snap, app.now) => at(app, snap, "STALE", Role::BadgeStale),
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

/// The badge during the first reading, with its progress.
pub(super) fn reading(app: &Chrome<'_>) -> HeaderFact {
    let text = match app.following.reading_at.last() {
        None => "READING".to_owned(),
        Some(LoadProgress::File { name, percent, .. }) => format!("READING {name} {percent} %"),
        Some(LoadProgress::Cycle { nodes, jobs }) => {
            let short = format!("READING {nodes}N {jobs}J");
            let (nodes, jobs) = (wording::count(*nodes, "node"), wording::count(*jobs, "job"));
            return HeaderFact::badge(format!("READING {nodes} {jobs}"), Role::BadgeStale).with_short(short);
        }
    };
    HeaderFact::badge(text, Role::BadgeStale)
}

/// The moment of a recording or simulation, always with its date, and the speed while playing.
fn replay(app: &Chrome<'_>, screen: &Screen) -> HeaderFact {
    let snap = &screen.generation.snapshot;
    let of_simulation = matches!(screen.generation.origin, Some(OpeningOrigin::Simulation { .. }));
    let word = if of_simulation || is_simulated(snap) { "SIM" } else { "REPLAY" };
    let short = wording::time_of_day(snap, snap.now);
    let date = snap.date(snap.now).map(|date| date.strftime("%-d %b %H:%M").to_string());
    let date = date.unwrap_or_else(|| short.clone());
    match app.playing {
        Some(speed) => {
            let speed = format!("{}{speed}", app.theme.by_set("×", "x"));
            HeaderFact::badge(format!("{word} {date} {speed}"), Role::BadgePlay)
                .with_short(format!("{word} {short} {speed}"))
        }
        None => HeaderFact::badge(format!("{word} {date}"), Role::BadgeStale)
            .with_short(format!("{word} {short}")),
    }
}

/// Whether the screen shows a preview while a file is still being written, before the first complete reading.
pub(super) fn is_preview(app: &Chrome<'_>) -> bool {
    app.following.waiting.is_some() && app.following.history.is_empty()
}

/// A word and the moment of the data, with the date unless it is today's.
fn at(app: &Chrome<'_>, snap: &Snapshot, word: &str, role: Role) -> HeaderFact {
    let [long, short] = moment(snap, app.now);
    HeaderFact::badge(format!("{word} {long}"), role).with_short(format!("{word} {short}"))
}

fn stepping(app: &Chrome<'_>, screen: &Screen) -> HeaderFact {
    let (at, len) = (screen.debugger.position(), screen.debugger.len());
    if let Some(speed) = app.playing {
        let times = app.theme.by_set("×", "x");
        return HeaderFact::badge(format!("PLAY {at}/{len} {times}{speed}"), Role::BadgePlay);
    }
    let last = screen.debugger.last_step().map(|step| step.outcome.name(&screen.generation.snapshot));
    match last {
        None => HeaderFact::badge(format!("STEP {at}/{len}"), Role::BadgePaused),
        Some(job) => {
            let job = short_id(&job).to_owned();
            let short = format!("STEP {at}/{len} job {job}");
            HeaderFact::badge(format!("STEP {at}/{len}{}job {job}", app.theme.dot()), Role::BadgePaused)
                .with_short(short)
        }
    }
}

/// The position in the cycle, while the files cannot be read any more.
fn failing(place: HeaderFact) -> HeaderFact {
    let short = place.short.map(|short| format!("ERROR {short}"));
    HeaderFact { text: format!("ERROR {}", place.text), short, role: Role::BadgeError, ..place }
}

/// Whether the moment is fixed: "now" was given instead of taken from the dumps, or no newer data came.
fn is_fixed(chrome: &Chrome<'_>, snap: &Snapshot) -> bool {
    let following = &chrome.following;
    is_given(snap) || (!following.is_renewed() && following.is_old(snap, chrome.now))
}
