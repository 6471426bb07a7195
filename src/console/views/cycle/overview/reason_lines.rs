//! The lines about reasons at rest: a bar of core-hours each, and the jobs with the numbers compared.
//!
//! ```text
//! insufficient ncpus  ████████████████  2 jobs   180.0 c-h
//!   55 57 · 55: 143 of 160 ncpus
//! ```

use std::borrow::Cow;

use ratatui::text::{Line, Span};

use super::super::draw_context::DrawContext;
use super::super::reasons::ReasonsSoFar;
use super::{EVENTS_BEGIN, LEAST_EVENTS, PulseLine, hours};
use crate::layout::SizeClass;
use crate::theme::{Role, Theme};
use crate::views::ViewName;
use crate::views::cycle::pulse_target::PulseTarget;
use crate::views::reason_values::bar_role;
use crate::widgets::bar::filled_cells;
use crate::widgets::text::{Align, clean, fit, in_set, width};
use crate::wording;
use qscope_explain::ReasonTally;
use qscope_explain::words::first_of;

/// Minimum columns for the name of a reason; longer names get more if the bar keeps `LEAST_BAR` columns.
const NAME: usize = 22;
const LEAST_BAR: usize = 4;
/// Number of jobs named where more would leave no room for the numbers.
const FEW_NAMES: usize = 2;

/// A line for each reason, and further ones for its jobs where there is room, each with what it leads to.
pub(super) fn reasons(
    known: &ReasonsSoFar,
    room: usize,
    columns: usize,
    drawing: DrawContext<'_>,
) -> Vec<PulseLine> {
    let tally = &known.tally;
    let theme = drawing.theme;
    let most = tally.iter().map(|one| one.core_hours).fold(0.0, f64::max);
    // If there is not room for the jobs of all reasons, the first reasons show theirs.
    let detailed = match tally.len() * 2 <= room {
        true => tally.len(),
        false => room.saturating_sub(tally.len() + kept_for_events(drawing, usize::MAX)),
    };
    let shown = if tally.len() <= room { tally.len() } else { room.saturating_sub(1) };
    let mut lines = Vec::new();
    let left = room.saturating_sub(tally.len() * 2);
    // Upcoming events get their rows before an example gets a second row.
    let mut spare = left.checked_sub(kept_for_events(drawing, LEAST_EVENTS)).unwrap_or(left);
    let shape = ReasonWidths::of(tally.get(..shown).unwrap_or_default(), columns, theme);
    for (at, one) in tally.iter().take(shown).enumerate() {
        let target = Some(PulseTarget::Reason(at));
        lines.push((reason(one, most, shape, theme), target));
        if at < detailed {
            let names = known.names.get(at).map_or(&[][..], Vec::as_slice);
            let more = example(one, names, (columns, 1 + spare.min(1)), drawing);
            spare -= more.len().saturating_sub(1);
            lines.extend(more.into_iter().map(|line| (line, target)));
        }
    }
    if shown < tally.len() {
        let rest = tally.iter().skip(shown);
        let jobs: usize = rest.clone().map(|one| one.jobs.len()).sum();
        let names: Vec<&str> = rest.map(|one| &*one.name).collect();
        let text = format!("+{}  {}: {}", names.len(), wording::count(jobs, "job"), names.join(", "));
        let text = fit(&clean(&text), columns, Align::Left, theme.ellipsis());
        let board = Some(PulseTarget::View(ViewName::Board));
        lines.push((Line::styled(text, theme.style(Role::TextDim)), board));
    }
    lines
}

/// Rows kept below the reasons for at most `most` upcoming events, if these are shown here.
fn kept_for_events(drawing: DrawContext<'_>, most: usize) -> usize {
    let events = drawing.view.events.len();
    let has_place = drawing.cx.size_class > SizeClass::Stacked && events > 0;
    if has_place { EVENTS_BEGIN + events.min(most) } else { 0 }
}

/// The columns of the parts of a reason's line.
#[derive(Clone, Copy)]
struct ReasonWidths {
    name: usize,
    bar: usize,
    jobs: usize,
    hours: usize,
}

impl ReasonWidths {
    /// Numbers get their usual width; where names would be cut, only the width they need.
    fn of(shown: &[ReasonTally], columns: usize, theme: &Theme) -> Self {
        let widest = |text: &dyn Fn(&ReasonTally) -> String| {
            shown.iter().map(|one| width(&text(one))).max().unwrap_or(0)
        };
        let longest = widest(&|one| name(one, theme)) + 1;
        let (jobs, hours) = (widest(&jobs) + 2, widest(&|one| hours(one.core_hours)));
        let shape = |jobs: usize, hours: usize| {
            let room = columns.saturating_sub(2 + jobs + hours + UNIT.len());
            let name = longest.clamp(NAME, room.saturating_sub(LEAST_BAR).max(NAME));
            Self { name, bar: room.saturating_sub(name), jobs, hours }
        };
        let usual = shape((jobs - 1).max(8), hours.max(7));
        if usual.name < longest { shape(jobs, hours) } else { usual }
    }
}

/// The unit of core-hours.
const UNIT: &str = " c-h";

fn jobs(one: &ReasonTally) -> String {
    wording::count(one.jobs.len(), "job")
}

fn name(one: &ReasonTally, theme: &Theme) -> String {
    let guess = if one.analysed { "" } else { theme.by_set("≈ ", "~ ") };
    clean(&format!("{guess}{}", one.name)).into_owned()
}

/// A reason with its numbers and a bar of its core-hours; a full bar stands for `most`.
fn reason(one: &ReasonTally, most: f64, shape: ReasonWidths, theme: &Theme) -> Line<'static> {
    let name = fit(&name(one, theme), shape.name - 1, Align::Left, theme.ellipsis()) + " ";
    let bar = fit(&filled_cells(one.core_hours, most, shape.bar, theme), shape.bar, Align::Left, "");
    let (jobs, hours) = (jobs(one), hours(one.core_hours));
    let numbers = format!("  {jobs:<0$}{hours:>1$}{UNIT}", shape.jobs, shape.hours);
    Line::from(vec![
        Span::styled(name, theme.style(Role::Text)),
        Span::styled(bar, theme.style(bar_role(Some(one.tier)))),
        Span::styled(numbers, theme.style(Role::TextDim)),
    ])
}

/// The jobs of a reason and the numbers of one of them, in at most `rows` rows.
fn example(
    one: &ReasonTally,
    names: &[String],
    (columns, rows): (usize, usize),
    context: DrawContext<'_>,
) -> Vec<Line<'static>> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let glyphs = context.theme.theme_options().glyphs;
    let shown = |text: &String| in_set(&clean(text), glyphs).into_owned();
    let room = columns.saturating_sub(2).max(1);
    let each = distinct_explanations(&names, one).map(|text| shown(&text)).filter(|text| width(text) <= room);
    let texts: Vec<String> = examples(&names, one).iter().map(shown).collect();
    let fits = |text: &&String| textwrap::wrap(text, room).len() <= rows;
    let Some(text) = each.as_ref().or(texts.iter().find(fits)).or(texts.last()) else { return Vec::new() };
    let mut parts = textwrap::wrap(text, room);
    if parts.len() > rows {
        let rest = parts.drain(rows.saturating_sub(1)..).collect::<Vec<_>>().join(" ");
        parts.push(rest.into());
    }
    let line = |part: &Cow<'_, str>| {
        let text = fit(&format!("  {part}"), columns, Align::Left, context.theme.ellipsis());
        Line::styled(text.trim_end().to_owned(), context.theme.style(Role::TextDim))
    };
    parts.iter().map(line).collect()
}

/// Each of a few jobs with its own words, if these differ: `63: afterok:53 · 65: afterany:53`. Numbers are left to the
/// text that explains those of one job.
fn distinct_explanations(names: &[&str], one: &ReasonTally) -> Option<String> {
    let is_own = one.explanation.is_none() && !one.is_shared && one.first.len() == one.jobs.len();
    let own = |(name, text): (&&str, &String)| format!("{name}: {text}");
    is_own.then(|| names.iter().zip(&one.first).map(own).collect::<Vec<_>>().join(" · "))
}

/// The texts about the jobs of a reason, the one with most in it first: the numbers of one job with what explains them,
/// then without that, with all names and with few.
fn examples(names: &[&str], one: &ReasonTally) -> Vec<String> {
    let few = names.get(..FEW_NAMES).unwrap_or(names);
    let explained = one.explanation.as_ref().map(|because| format!("{}: {because}", one.example));
    let texts = explained.iter().chain([&one.example]);
    texts.flat_map(|text| [of_jobs(names, one, text), of_jobs(few, one, text)]).collect()
}

/// `54: 5 of 16 whole nodes`, `55 57 · 55: 143 of 160 ncpus`: numbers of a single job among several are marked with its
/// name.
fn of_jobs(names: &[&str], tally: &ReasonTally, text: &str) -> String {
    let jobs = first_of(names, tally.jobs.len());
    let first = names.first().copied().unwrap_or_default();
    if tally.jobs.len() == 1 || tally.is_shared {
        return format!("{jobs}: {text}");
    }
    format!("{jobs} · {first}: {text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::GlyphSet;

    /// A long name gets the columns that its bar and numbers can spare; if these are too few, it is cut with a mark.
    #[test]
    fn a_long_name_of_a_reason_stands_whole_where_there_is_room() {
        let theme = Theme::mono(GlyphSet::Unicode);
        let one = |name: &str, core_hours| ReasonTally {
            tier: qscope_explain::Tier::Limit,
            name: name.to_owned(),
            jobs: vec![qscope_engine::cluster::Id::at(0); 4],
            core_hours,
            example: String::new(),
            explanation: None,
            first: Vec::new(),
            is_shared: false,
            analysed: true,
        };
        let tally = [one("limit max_run_res.ncpus", 5.0), one("never", 2.5)];
        let lines = |columns| {
            let shape = ReasonWidths::of(&tally, columns, &theme);
            tally.each_ref().map(|one| reason(one, 5.0, shape, &theme).to_string())
        };
        assert_eq!(
            lines(56),
            [
                "limit max_run_res.ncpus ███████████  4 jobs      5.0 c-h",
                "never                   █████▌       4 jobs      2.5 c-h",
            ]
        );
        assert_eq!(
            lines(46),
            [
                "limit max_run_res.ncpus █████  4 jobs  5.0 c-h",
                "never                   ██▌    4 jobs  2.5 c-h",
            ]
        );
        assert_eq!(lines(40)[0], "limit max_run_res.nc… █  4 jobs  5.0 c-h");
    }
}
