//! The report in HTML: one file, no script, nothing fetched. Every value is escaped as text.

use super::nodes::{STARTS, USES, sign, starts_line};
use super::queue::QueueRow;
use super::{Report, calendar::CalendarRow};
use qscope_exits::Html;
use qscope_explain::words::count;

/// The style: light or dark by the reader's setting, and a form for paper.
const STYLE: &str = "\
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#57606a;--line:#d0d7de;--bar:#0969da;--bad:#a40e26;\
--f:#fff;--p:#9ecbff;--x:#3b5b8c;--s:#2da44e;--o:#bf8700}\
@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#8d96a0;--line:#30363d;--bar:#4493f8;--bad:#ff7b72;\
--f:#0d1117;--p:#1f4b7f;--x:#79a8e8;--s:#3fb950;--o:#d29922}}\
body{background:var(--bg);color:var(--fg);font:14px/1.45 system-ui,sans-serif;max-width:72rem;margin:1rem auto;padding:0 1rem}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem;border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:0}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.15rem .5rem;border-bottom:1px solid var(--line)}\
td.n,th.n{text-align:right;white-space:nowrap}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dt{color:var(--dim)}dd{margin:0}\
.alert{color:var(--bad);font-weight:600}.dim{color:var(--dim)}.bar{display:block;height:.5rem;background:var(--bar);min-width:1px}\
.map{font:9px/11px monospace;word-break:break-all}.map i{display:inline-block;width:11px;height:11px;text-align:center;font-style:normal;\
border:1px solid var(--line);margin:0 1px 1px 0;color:var(--fg)}\
.map .f{background:var(--f)}.map .p{background:var(--p)}.map .x{background:var(--x);color:var(--bg)}.map .s{background:var(--s);color:var(--bg)}\
.map .o{background:var(--o);color:var(--bg)}\
article{border:1px solid var(--line);border-radius:4px;padding:.4rem .6rem;margin:.5rem 0;break-inside:avoid}article:target{outline:2px solid var(--bar)}\
article p,article ul{margin:.2rem 0}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.2rem 0;font-size:12px;color:var(--dim)}a{color:var(--bar)}\
@media print{body{max-width:none;margin:0}a{color:inherit;text-decoration:none}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";

/// Returns the page.
pub fn html(report: &Report) -> Html {
    let mut page = Html::new();
    let title = format!("Cycle of {}", report.title);
    page.raw("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    page.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.put("<title>{}</title>\n<style>", &[&title]);
    page.raw(STYLE);
    page.put("</style></head><body>\n<h1>{}</h1>\n", &[&title]);
    write_head(&mut page, report);
    board(&mut page, report);
    map(&mut page, report);
    calendar(&mut page, report);
    queue(&mut page, report);
    page.raw("</body></html>\n");
    page
}

/// Returns the anchor of a job on the page: `job-12`.
fn anchor(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '.' };
    format!("job-{}", id.chars().map(plain).collect::<String>())
}

fn write_head(page: &mut Html, report: &Report) {
    for line in &report.what_if {
        page.put("<p class=\"alert\">{}</p>\n", &[line]);
    }
    page.raw("<dl>");
    for (name, value) in &report.facts {
        page.put("<dt>{}</dt><dd>{}</dd>", &[name, value]);
    }
    page.raw("</dl>\n");
    for line in &report.unseen {
        page.put("<p class=\"dim\">{}</p>\n", &[&line]);
    }
    if !report.alerts.is_empty() {
        page.raw("<h2 id=\"alerts\">Alerts</h2>\n<ul>\n");
        for alert in &report.alerts {
            page.put("<li class=\"alert\">{}</li>\n", &[&alert]);
        }
        page.raw("</ul>\n");
    }
}

fn board(page: &mut Html, report: &Report) {
    page.raw("<h2 id=\"board\">Why jobs wait</h2>\n");
    if report.causes.is_empty() {
        page.put("<p>{}</p>\n", &[&report.no_cause]);
        return;
    }
    page.raw("<table><tr><th class=\"n\">jobs</th><th class=\"n\">core-hours</th><th>part</th><th>cause</th></tr>\n");
    for cause in &report.causes {
        let (hours, share) = (format!("{:.1}", cause.core_hours), format!("{:.1}", cause.share));
        page.put(
            "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td style=\"width:12rem\"><span class=\"bar\" \
             style=\"width:{}%\"></span></td><td><b>{} {}</b> {}</td></tr>\n",
            &[&cause.jobs, &hours, &share, &cause.title, &cause.object, &cause.example],
        );
    }
    page.raw("</table>\n");
    if let Some(sample) = &report.sample {
        page.put("<p class=\"dim\">{}</p>\n", &[&sample]);
    }
}

fn map(page: &mut Html, report: &Report) {
    page.raw("<h2 id=\"nodes\">Vnodes</h2>\n<p class=\"map\">");
    for stands in USES {
        let nodes = report.nodes.iter().filter(|node| node.stands == stands).count();
        let (letter, class) = sign(stands);
        page.put("<i class=\"{}\">{}</i> {} {} &nbsp; ", &[&class, &letter, &nodes, &stands.word()]);
    }
    let (letter, class) = STARTS;
    let line = starts_line(&report.nodes);
    page.put("<i class=\"{}\">{}</i> {}", &[&class, &letter, &line]);
    page.raw("</p>\n<div class=\"map\">");
    for node in &report.nodes {
        let jobs = if node.jobs == 0 { String::new() } else { format!(", {}", count(node.jobs, "job")) };
        let ((letter, class), word) = match node.starts {
            true => (STARTS, format!("{}, a job starts on it", node.stands.word())),
            false => (sign(node.stands), node.stands.word().to_owned()),
        };
        page.put("<i class=\"{}\" title=\"{}: {}{}\">{}</i>", &[&class, &node.name, &word, &jobs, &letter]);
    }
    page.raw("</div>\n");
}

fn calendar(page: &mut Html, report: &Report) {
    page.raw("<h2 id=\"calendar\">Calendar</h2>\n");
    if report.calendar.is_empty() {
        page.raw("<p>Nothing ends or starts.</p>\n");
        return;
    }
    page.raw("<table><tr><th>when</th><th></th><th>who</th><th class=\"n\">vnodes</th><th></th></tr>\n");
    report.calendar.iter().for_each(|row| event(page, row));
    page.raw("</table>\n");
    if report.more_events > 0 {
        page.put("<p class=\"dim\">and {} more events</p>\n", &[&report.more_events]);
    }
}

fn event(page: &mut Html, row: &CalendarRow) {
    page.put("<tr><td>{}</td><td>{}</td><td>", &[&row.at, &row.kind]);
    match &row.job {
        Some(id) => page.put("<a href=\"#{}\">{}</a>", &[&anchor(id), &row.who]),
        None => page.text(&row.who),
    }
    page.put(
        "</td><td class=\"n\">{}</td><td style=\"width:10rem\"><span class=\"bar\" style=\"width:{}%\"></span></td></tr>\n",
        &[&row.nodes, &format!("{:.1}", row.share)],
    );
}

fn queue(page: &mut Html, report: &Report) {
    page.raw("<h2 id=\"queue\">The queue, in the order considered</h2>\n");
    page.raw("<table><tr><th class=\"n\">#</th><th>job</th><th>user</th><th>queue</th><th>verdict</th><th>why</th></tr>\n");
    for row in &report.queue {
        let order = row.order.map_or_else(|| "-".to_owned(), |order| order.to_string());
        page.put(
            "<tr><td class=\"n\">{}</td><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            &[&order, &anchor(&row.id), &row.id, &row.user, &row.queue, &verdict(row), &row.tier],
        );
    }
    page.raw("</table>\n<h2 id=\"decisions\">Decisions</h2>\n");
    report.queue.iter().for_each(|row| decision(page, row));
}

fn verdict(row: &QueueRow) -> &'static str {
    match row.verdict {
        "run" => "starts",
        "not_now" => "not now",
        "never" => "never",
        "not_considered" => "not considered",
        other => other,
    }
}

fn decision(page: &mut Html, row: &QueueRow) {
    page.put("<article id=\"{}\"><h3>{} ", &[&anchor(&row.id), &row.name]);
    page.put("<span class=\"dim\">{} · {} · {}</span></h3>\n", &[&row.title, &row.user, &row.queue]);
    page.put("<p><b>{}</b>: {}</p>\n", &[&verdict(row), &row.headline]);
    page.put("<p class=\"dim\">{}</p>\n", &[&row.request]);
    if let Some(place) = &row.place {
        page.put("<p>{}</p>\n", &[&place]);
    }
    if let Some(comment) = &row.comment {
        page.put("<p>PBS: {}</p>\n", &[&comment]);
    }
    if !row.also.is_empty() {
        page.raw("<ul>");
        for also in &row.also {
            page.put("<li>{}</li>", &[&also]);
        }
        page.raw("</ul>\n");
    }
    if !row.stages.is_empty() {
        page.raw("<pre>");
        for (at, stage) in row.stages.iter().enumerate() {
            page.raw(if at == 0 { "" } else { "\n" });
            page.text(stage);
        }
        page.raw("</pre>\n");
    }
    page.raw("</article>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_one_word() {
        assert_eq!(anchor("12"), "job-12");
        assert_eq!(anchor("12[3]\"><b"), "job-12.3....b");
    }
}
