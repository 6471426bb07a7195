//! Lines above everything, for what changes the meaning of all that stands below.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use super::{cut, header};
use crate::console::shell::{Shell, Shown};
use crate::console::theme::Role;
use crate::console::wording;
use crate::cycle::Verdict;

/// The banners, the gravest first.
#[must_use]
pub(in crate::console) fn banners(app: &Shell) -> Vec<(Role, String)> {
    let mut banners = Vec::new();
    // Without anything to show, the failure has the whole screen.
    let Some(shown) = &app.shown else { return banners };
    if let Some(failure) = &app.following.failure {
        let age = wording::span((app.clock)() - failure.at);
        banners.push((Role::Error, format!("last good reading shown, {age} ago: {}", failure.message)));
    }
    about_cluster(shown, &mut banners);
    let newer = app.newer();
    if newer > 0 {
        banners.push((Role::Changed, format!("{newer} newer · F follows")));
    }
    banners
}

fn about_cluster(shown: &Shown, banners: &mut Vec<(Role, String)>) {
    let snap = &shown.generation.snapshot;
    if header::is_off(snap) {
        let run = shown.run().outcomes().filter(|outcome| outcome.verdict == Verdict::Run).count();
        banners.push((Role::Error, format!("scheduling is OFF: {} would start", wording::count(run, "job"))));
    }
    if snap.policy.assumed {
        let text = "no sched_config was read: the options are assumed as shipped";
        banners.push((Role::Warning, text.to_owned()));
    }
}

/// Draws them.
pub(super) fn draw(app: &Shell, area: Rect, buf: &mut Buffer) {
    for ((role, text), at) in banners(app).iter().zip(area.intersection(buf.area).rows()) {
        let text = text.replace('·', app.theme.by_set("·", "|"));
        cut(&text, *role, at.width.saturating_sub(2), &app.theme).render(at, buf);
    }
}
