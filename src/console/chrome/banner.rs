//! The alert line: one line above everything, for what changes the meaning of all that stands below.
//!
//! ```text
//!  ✗ scheduling off: 13 jobs would start   ! cn020 offline · 2 more
//! ```
//! The gravest comes first; what does not fit is counted, and spelled out under `!`.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::Chrome;
use super::{alerts, cut};
use crate::layout::SizeClass;
use crate::screen::Screen;
use crate::theme::{Role, Theme};
use crate::views::ViewName;
use crate::widgets::text::{clean, width};
use crate::wording;

/// Between two clauses.
const BETWEEN: &str = "   ";

/// From so many rows on every view has the line; below, the first one has it.
pub(crate) const HIGH: u16 = 25;

/// What is to be known before anything else, the gravest first.
pub(crate) fn clauses(app: &Chrome<'_>) -> Vec<(Role, String)> {
    let mut clauses = Vec::new();
    // Without anything to show, the failure has the whole screen.
    let Some(screen) = app.screen else { return clauses };
    if let Some(failure) = &app.following.failure {
        let age = wording::span(app.now - failure.at);
        clauses.push((Role::Error, format!("shown: last good reading, {age} old: {}", failure.message)));
    }
    if let Some(collection) = &app.following.collection
        && let Some((file, why)) = collection.failures().next()
    {
        let more = collection.failures().count() - 1;
        let more = if more == 0 { String::new() } else { format!(" (and {more} more: D)") };
        clauses.push((Role::Warning, format!("{file} not updated{more}: {why}")));
    }
    if let Some(Err(why)) = &app.following.recorded {
        clauses.push((Role::Error, format!("not recorded: {why}")));
    }
    about_cluster(screen, &mut clauses);
    clauses
}

fn about_cluster(screen: &Screen, clauses: &mut Vec<(Role, String)>) {
    if let Some(what_if) = &screen.generation.what_if {
        let settings = what_if.settings.join(", ");
        clauses.push((Role::Warning, format!("WHAT-IF: {settings} · F leaves")));
    }
    let snapshot = &screen.generation.snapshot;
    for problem in snapshot.unreadable() {
        clauses.push((Role::Error, format!("{problem}; shown without it")));
    }
    clauses.extend_from_slice(screen.ready.alert_clauses(alerts::clauses));
    if snapshot.policy.assumed && snapshot.unreadable().all(|problem| &*problem.file != "sched_config") {
        let text = "sched_config missing: defaults assumed";
        clauses.push((Role::Warning, text.to_owned()));
    }
}

/// How many rows the line takes: one, or none where there is nothing to report. On low screens only what is wrong with
/// the data itself has it outside of the first view at rest: a decision needs the row more. Where the queue is all there
/// is, it keeps the line while one steps, and stands still.
pub(crate) fn rows(app: &Chrome<'_>, screen: Rect) -> u16 {
    let at_rest = app.screen.is_some_and(|screen| screen.debugger.position() == 0);
    let one_pane = SizeClass::of(screen) == SizeClass::One;
    let everywhere = (app.view == ViewName::Cycle && (at_rest || one_pane)) || screen.height >= HIGH;
    let urgent = app.following.failure.is_some()
        || app.screen.is_some_and(|screen| screen.generation.what_if.is_some());
    u16::from((everywhere || urgent) && !clauses(app).is_empty())
}

/// The newer snapshots that the screen does not show.
pub(crate) fn newer(app: &Chrome<'_>) -> Option<String> {
    let newer = app.following.newer_than(&app.screen?.generation);
    let snapshots = if newer == 1 { "snapshot" } else { "snapshots" };
    (newer > 0).then(|| format!("{newer} newer {snapshots} · F follows"))
}

/// Draws the line.
pub(super) fn draw(app: &Chrome<'_>, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    if !area.is_empty() {
        line(&clauses(app), area.width, app.theme).render(area, buf);
    }
}

/// As many clauses as fit side by side, and how many there are besides.
fn line(clauses: &[(Role, String)], columns: u16, theme: &Theme) -> Line<'static> {
    let room = usize::from(columns).saturating_sub(2);
    let text = |text: &str| text.replace('·', theme.by_set("·", "|")).replace('…', theme.ellipsis());
    let spans: Vec<Span<'static>> =
        clauses.iter().map(|(role, words)| theme.signed(*role, &text(&clean(words)))).collect();
    let more = |left: usize| match left {
        0 => String::new(),
        left => text(&format!(" · {left} more")),
    };
    let mut used = 0;
    let mut count = 0;
    for span in &spans {
        let gap = if count > 0 { BETWEEN.len() } else { 0 };
        let left = spans.len() - count - 1;
        if count > 0 && used + gap + span.width() + width(&more(left)) > room {
            break;
        }
        used += gap + span.width();
        count += 1;
    }
    let rest = more(spans.len() - count);
    let mut line = match clauses.first().filter(|_| count == 1) {
        // A single clause may be longer than the line.
        Some((role, words)) => {
            let columns = columns.saturating_sub(u16::try_from(width(&rest)).unwrap_or(0));
            cut(&text(&clean(words)), *role, columns, theme)
        }
        None => {
            let mut line = Line::from(" ");
            for (at, span) in spans.into_iter().take(count).enumerate() {
                line.push_span(Span::raw(if at > 0 { BETWEEN } else { "" }));
                line.push_span(span);
            }
            line
        }
    };
    line.push_span(Span::styled(rest, theme.style(Role::TextDim)));
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::{Depth, GlyphSet, ThemeOptions};

    #[test]
    fn all_alerts_share_one_line_and_the_rest_is_counted() {
        let theme_options = ThemeOptions { depth: Depth::None, glyphs: GlyphSet::Ascii };
        let theme = Theme::built_in("mono", theme_options).0;
        let clauses = [
            (Role::Error, "scheduling off: 13 jobs would start".to_owned()),
            (Role::Warning, "cn025 kept by job 40, not in the job dump".to_owned()),
            (Role::Warning, "cn020 offline".to_owned()),
        ];
        let shown = |count: usize, columns| {
            line(&clauses[..count], columns, &theme).to_string().trim_end().to_owned()
        };
        assert_eq!(shown(3, 80), " X scheduling off: 13 jobs would start | 2 more");
        assert_eq!(
            shown(3, 120),
            " X scheduling off: 13 jobs would start   ! cn025 kept by job 40, not in the job dump   ! cn020 offline"
        );
        assert_eq!(
            shown(3, 100),
            " X scheduling off: 13 jobs would start   ! cn025 kept by job 40, not in the job dump | 1 more"
        );
        assert!(shown(3, 30).ends_with("~ | 2 more"), "{}", shown(3, 30));
        assert_eq!(shown(0, 80), "");
    }
}
