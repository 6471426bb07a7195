//! An answer as text: at most three lines for a job.

use unicode_truncate::UnicodeTruncateStr;
use unicode_width::UnicodeWidthStr;

use super::{Advice, PublishedAnswer, PublishedHeader};
use qscope_engine::cluster::{Seconds, short_id};
use qscope_exits::visible;
use qscope_explain::words::span;

/// Returns the age of the answers, the options that they were computed with, and what applies to all jobs.
pub fn header_line(head: &PublishedHeader, clock: i64) -> String {
    let age = span(Seconds(clock.saturating_sub(head.now)));
    let banners: String = head.banners.iter().map(|banner| format!("; {banner}")).collect();
    let options = if head.options.is_empty() { String::new() } else { format!("; with {}", head.options) };
    format!("as of {}, {age} ago{options}{banners}", head.clock)
}

/// Returns the lines about one job, each within `width` columns: the cause, the scheduler's comment, and when it
/// starts and what helps.
pub fn as_lines(answer: &PublishedAnswer, advice: &Advice, width: usize) -> Vec<String> {
    let id = short_id(&answer.job);
    let likely = if answer.likely { "likely: " } else { "" };
    let headline = answer.headline.strip_prefix(id).map_or(&*answer.headline, str::trim_start);
    let mut lines = Vec::new();
    let cause = format!("{id}  {likely}{headline}");
    let help = advice.for_answer(answer);
    let outlook = match (&answer.when, help) {
        (Some(when), Some(help)) => Some(format!("{when}. Helps: {help}")),
        (Some(when), None) => Some(when.clone()),
        (None, help) => help.map(|help| format!("Helps: {help}")),
    };
    let scheduler = answer.comment.as_ref().map(|words| format!("PBS: {words}"));
    let rest: Vec<String> = scheduler.into_iter().chain(outlook).map(|text| format!("    {text}")).collect();
    // A cause that does not fit on one line may use what the others leave of three lines.
    let room = 3_usize.saturating_sub(rest.len()).max(1);
    lines.extend(wrap_lines(&cause, width, room));
    let mut room = 3_usize.saturating_sub(lines.len());
    for (at, text) in rest.iter().enumerate() {
        let others = rest.len() - at - 1;
        let own = wrap_lines(text, width, room.saturating_sub(others).max(1));
        room = room.saturating_sub(own.len());
        lines.extend(own);
    }
    lines.truncate(3);
    lines
}

/// Wraps a text into at most `most` lines of `width` columns, broken at spaces; what does not fit is replaced by `…`.
fn wrap_lines(text: &str, width: usize, most: usize) -> Vec<String> {
    const INDENT: &str = "    ";
    let text = visible(text);
    let mut lines: Vec<String> = Vec::new();
    let mut rest: &str = &text;
    while !rest.is_empty() && lines.len() < most {
        let indent = if lines.is_empty() { "" } else { INDENT };
        let room = width.saturating_sub(indent.len()).max(8);
        if rest.width() <= room {
            lines.push(format!("{indent}{rest}"));
            return lines;
        }
        if lines.len() + 1 == most {
            let (line, _) = rest.unicode_truncate(room - 1);
            lines.push(format!("{indent}{}…", line.trim_end()));
            return lines;
        }
        let (line, _) = rest.unicode_truncate(room);
        let blank = line.rfind(' ').filter(|at| *at > INDENT.len());
        let (line, after) = rest.split_at(blank.unwrap_or(line.len()));
        lines.push(format!("{indent}{}", line.trim_end()));
        rest = after.trim_start();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_at_most_three_lines_of_the_width() {
        let long = "word ".repeat(60);
        for (headline, comment, change) in [
            ("short", None, None),
            (&*long, Some(&*long), Some(&*long)),
            (&*long, None, None),
            ("short", Some(&*long), None),
            ("\u{1b}[2Jx", Some("語語語語"), Some("y")),
        ] {
            let answer = PublishedAnswer {
                job: "12.s".to_owned(),
                user: "ann".to_owned(),
                queue: "q".to_owned(),
                state: 'Q',
                verdict: None,
                final_verdict: None,
                tier: Some("short".to_owned()),
                cause: Some("nodes".to_owned()),
                objects: Vec::new(),
                headline: headline.to_owned(),
                likely: true,
                comment: comment.map(str::to_owned),
                start: None,
                when: Some("starts at 12:00:00".to_owned()),
                change: change.map(str::to_owned),
                starting: None,
            };
            for width in [20, 80, 200] {
                let lines = as_lines(&answer, &Advice::default(), width);
                assert!(!lines.is_empty() && lines.len() <= 3, "{lines:?}");
                assert!(
                    lines.iter().all(|line| line.width() <= width && !line.contains('\u{1b}')),
                    "{lines:?}"
                );
                assert!(lines[0].starts_with("12  likely: "), "{lines:?}");
            }
        }
    }
}
