//! Lines above everything, for what changes the meaning of all that stands below.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use super::Chrome;
use super::{alerts, cut};
use crate::screen::Screen;
use crate::theme::Role;
use crate::wording;

/// The banners, the gravest first.
pub(crate) fn banners(app: &Chrome<'_>) -> Vec<(Role, String)> {
    let mut banners = Vec::new();
    // Without anything to show, the failure has the whole screen.
    let Some(screen) = app.screen else { return banners };
    if let Some(failure) = &app.following.failure {
        let age = wording::span(app.now - failure.at);
        banners.push((Role::Error, format!("shown: last good reading, {age} old: {}", failure.message)));
    }
    if let Some(collection) = &app.following.collection
        && let Some((file, why)) = collection.failures().next()
    {
        let more = collection.failures().count() - 1;
        let more = if more == 0 { String::new() } else { format!(" (and {more} more: D)") };
        banners.push((Role::Warning, format!("{file} not updated{more}: {why}")));
    }
    about_cluster(screen, app.columns, &mut banners);
    let newer = app.following.newer_than(&screen.generation);
    if newer > 0 {
        let snapshots = if newer == 1 { "snapshot" } else { "snapshots" };
        banners.push((Role::Changed, format!("{newer} newer {snapshots} · F follows")));
    }
    banners
}

fn about_cluster(screen: &Screen, columns: u16, banners: &mut Vec<(Role, String)>) {
    if let Some(what_if) = &screen.generation.what_if {
        let settings = what_if.settings.join(", ");
        banners.push((Role::Warning, format!("WHAT-IF: {settings} · F leaves")));
    }
    banners.extend(alerts::lines(&screen.generation.alerts, columns));
    let snapshot = &screen.generation.snapshot;
    for problem in snapshot.unreadable() {
        banners.push((Role::Error, format!("{problem}; shown without it")));
    }
    if snapshot.policy.assumed && snapshot.unreadable().all(|problem| &*problem.file != "sched_config") {
        let text = "sched_config missing: defaults assumed";
        banners.push((Role::Warning, text.to_owned()));
    }
}

/// Draws them.
pub(super) fn draw(app: &Chrome<'_>, area: Rect, buf: &mut Buffer) {
    for ((role, text), at) in banners(app).iter().zip(area.intersection(buf.area).rows()) {
        let text = text.replace('·', app.theme.by_set("·", "|")).replace('…', app.theme.ellipsis());
        cut(&text, *role, at.width.saturating_sub(2), app.theme).render(at, buf);
    }
}
