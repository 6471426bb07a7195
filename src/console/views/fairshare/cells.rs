//! The columns of an entity's row.

use std::rc::Rc;

use super::ShareLine;
use crate::layout::cells;
use crate::theme::{Role, Theme};
use crate::widgets::bar::bar;
use crate::widgets::table::{Cell, SortKey, TableColumn, Width};
use qscope_engine::cluster::short_id;
use qscope_session::fairshare::{ShareEntity, percent_words, usage_words};

type ShareLineColumn<'a> = TableColumn<'a, Rc<ShareLine>>;

/// Maximum and minimum columns of the gauge.
const GAUGE: [u16; 2] = [40, 8];
/// Columns for everything but the gauge.
const OTHERS: u16 = 130;

pub(super) fn columns(theme: &Theme, width: u16) -> Vec<ShareLineColumn<'_>> {
    let [most, least] = GAUGE;
    let gauge = width.saturating_sub(OTHERS).clamp(least, most);
    let entity = ShareLineColumn::words("entity", Width::Between(14, 34), 100, |line| name(&line.entity));
    let next = ShareLineColumn::words("next", Width::Between(5, 12), 75, |line| next(&line.entity));
    let used = ShareLineColumn::words("used", Width::Fixed(gauge), 60, move |line| {
        gauge_cell(&line.entity, gauge, theme)
    });
    let part = ShareLineColumn::words("of its share", Width::Between(12, 14), 95, |line| part(&line.entity));
    vec![
        entity.sorted_by(|line| SortKey::of_text(&line.entity.entity)),
        number("shares", (6, 9), 55, |of| (!of.is_root()).then_some(of.shares), usage_words),
        number("of group", (8, 8), 30, |of| (!of.is_root()).then_some(of.of_group), percent_words),
        number("of tree", (7, 7), 80, |of| Some(of.of_tree), percent_words),
        number("usage", (7, 14), 85, |of| Some(of.usage), usage_words),
        number("charged", (8, 12), 50, |of| Some(of.charged).filter(|more| *more > 0.0), charged),
        number("of usage", (8, 8), 25, |of| (!of.is_root()).then_some(of.used_of_group), percent_words),
        used.sorted_by(|line| ratio(&line.entity)),
        part.sorted_by(|line| ratio(&line.entity)),
        number("usage/share", (11, 14), 35, |of| of.burden.filter(|_| !of.is_root()), usage_words),
        count("run", 65, |of| of.running),
        count("wait", 90, |of| of.waiting),
        next,
        number(
            "factor",
            (8, 8),
            15,
            |of| (!of.is_root()).then_some(of.factor),
            |factor| format!("{factor:.6}"),
        ),
    ]
}

/// A column of numbers that may be missing.
fn number<'a>(
    title: &'static str,
    (least, most): (u16, u16),
    keep: u8,
    of: fn(&ShareEntity) -> Option<f64>,
    words: fn(f64) -> String,
) -> ShareLineColumn<'a> {
    ShareLineColumn::words(title, Width::Between(least, most), keep, move |line| {
        of(&line.entity).map_or_else(|| Cell::new(""), |number| Cell::new(words(number)))
    })
    .at_right()
    .sorted_by(move |line| SortKey::number(of(&line.entity)))
}

fn count<'a>(title: &'static str, keep: u8, of: fn(&ShareEntity) -> usize) -> ShareLineColumn<'a> {
    ShareLineColumn::numbers(title, 4, keep, move |line| match of(&line.entity) {
        0 => Cell::of(Role::TextDim, "0"),
        jobs => Cell::new(jobs.to_string()),
    })
    .sorted_by(move |line| SortKey::Number(of(&line.entity) as f64))
}

fn charged(usage: f64) -> String {
    format!("+{}", usage_words(usage))
}

fn name(of: &ShareEntity) -> Cell<'_> {
    let name = format!("{:1$}{2}", "", of.depth * 2, of.entity);
    if of.group { Cell::of(Role::Heading, name) } else { Cell::new(name) }
}

fn next(of: &ShareEntity) -> Cell<'_> {
    of.next_job.as_deref().map_or_else(|| Cell::of(Role::TextDim, "-"), |job| Cell::new(short_id(job)))
}

/// A bar of usage against the share; none for the root, which has all of both.
fn gauge_cell(of: &ShareEntity, width: u16, theme: &Theme) -> Cell<'static> {
    if of.is_root() {
        return Cell::new("");
    }
    let role = if of.state == "under" { Role::NodeFree } else { Role::VerdictWait };
    let (filled, rest) = bar(of.usage, of.allowed, usize::from(width), theme);
    Cell::of(Role::TextDim, format!("{filled}{rest}")).with_leading_role(role, cells(filled.chars().count()))
}

/// How much of the share is used, and whether that is over or under it.
fn part(of: &ShareEntity) -> Cell<'static> {
    if of.is_root() {
        return Cell::new("");
    }
    match of.state {
        "none" => Cell::of(Role::Error, "no share"),
        "over" => Cell::of(Role::Warning, format!("{} over", of_share(of))),
        _ => Cell::new(format!("{} under", of_share(of))),
    }
}

/// Usage in percent of the share; without decimals from 10 % on.
fn of_share(of: &ShareEntity) -> String {
    let part = of.used().unwrap_or_default();
    if part >= 0.1 { format!("{:.0} %", part * 100.0) } else { percent_words(part) }
}

fn ratio(entity: &ShareEntity) -> SortKey {
    SortKey::number(entity.used().filter(|_| !entity.is_root()))
}
