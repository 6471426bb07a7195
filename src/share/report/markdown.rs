//! The report in Markdown, for tickets: the same content without the pictures.

use qscope_exits::{Lines, fence, markdown as escaped, visible};

use super::Report;
use super::nodes::{USES, starts_line};
use super::queue::QueueRow;

/// Returns the page.
pub fn markdown(report: &Report) -> Lines {
    let mut page = Lines::new();
    page.line(format_args!("# Cycle of {}", value(&report.title)));
    page.blank();
    for line in &report.what_if {
        page.line(format_args!("**{}**", value(line)));
        page.blank();
    }
    for (name, text) in &report.facts {
        page.line(format_args!("- {name}: {}", value(text)));
    }
    for line in &report.unseen {
        page.line(format_args!("- {}", value(line)));
    }
    if !report.alerts.is_empty() {
        heading(&mut page, "Alerts");
        page.extend(report.alerts.iter().map(|alert| format!("- {}", value(alert))));
    }
    board(&mut page, report);
    heading(&mut page, "Vnodes");
    for stands in USES {
        let count = report.nodes.iter().filter(|node| node.stands == stands).count();
        page.line(format_args!("- {count} {}", stands.word()));
    }
    page.line(format_args!("- {}", starts_line(&report.nodes)));
    calendar(&mut page, report);
    heading(&mut page, "The queue, in the order considered");
    page.line("| # | job | user | queue | verdict | why |");
    page.line("|--:|---|---|---|---|---|");
    for row in &report.queue {
        let order = row.order.map_or_else(|| "-".to_owned(), |order| order.to_string());
        let [id, user, queue, why] = [&row.id, &row.user, &row.queue, &row.headline].map(|text| cell(text));
        page.line(format_args!("| {order} | {id} | {user} | {queue} | {} | {why} |", row.verdict));
    }
    heading(&mut page, "Decisions");
    report.queue.iter().for_each(|row| decision(&mut page, row));
    page
}

fn heading(page: &mut Lines, text: &str) {
    page.blank();
    page.line(format_args!("## {text}"));
    page.blank();
}

/// Escapes a value that appears in running text.
fn value(text: &str) -> String {
    escaped(&visible(text)).into_owned()
}

/// Escapes a value in a table.
fn cell(text: &str) -> String {
    value(text).replace('|', "\\|")
}

fn board(page: &mut Lines, report: &Report) {
    heading(page, "Why jobs wait");
    if report.causes.is_empty() {
        page.line(report.no_cause);
        return;
    }
    page.line("| jobs | core-hours | part | cause |");
    page.line("|--:|--:|--:|---|");
    for cause in &report.causes {
        let example = cell(&cause.example);
        let about = if cause.object.is_empty() { String::new() } else { format!(" {}", cell(&cause.object)) };
        page.line(format_args!(
            "| {} | {:.1} | {:.0} % | **{}**{about}: {example} |",
            cause.jobs, cause.core_hours, cause.share, cause.title
        ));
    }
    page.extend(report.sample.iter().map(|sample| value(sample)));
}

fn calendar(page: &mut Lines, report: &Report) {
    heading(page, "Calendar");
    if report.calendar.is_empty() {
        page.line("Nothing ends or starts.");
        return;
    }
    page.line("| when | | who | vnodes |");
    page.line("|---|---|---|--:|");
    for row in &report.calendar {
        page.line(format_args!("| {} | {} | {} | {} |", cell(&row.at), row.kind, cell(&row.who), row.nodes));
    }
    if report.more_events > 0 {
        page.line(format_args!("and {} more events", report.more_events));
    }
}

fn decision(page: &mut Lines, row: &QueueRow) {
    page.line(format_args!("### {}", value(&row.name)));
    page.blank();
    page.line(format_args!("**{}**: {}", row.verdict, value(&row.headline)));
    page.blank();
    page.line(format_args!("- {} {} {}", value(&row.title), value(&row.user), value(&row.queue)));
    page.line(format_args!("- {}", value(&row.request)));
    page.extend(row.place.iter().map(|place| format!("- {}", value(place))));
    page.extend(row.comment.iter().map(|comment| format!("- PBS: {}", value(comment))));
    page.extend(row.also.iter().map(|also| format!("- {}", value(also))));
    if !row.stages.is_empty() {
        let fence = fence(row.stages.iter().map(String::as_str));
        page.blank();
        page.line(&fence);
        page.extend(&row.stages);
        page.line(&fence);
    }
    page.blank();
}
