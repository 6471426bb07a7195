//! The reading as a page of 80 columns.

use super::facts::{CheckFacts, InferredAttribute, StatedValue};
use qscope_console::widgets::text::{clean, truncate, width};
use qscope_engine::cluster::{Diagnostic, Epoch, FileFormat, FileRecord, Severity, show_duration};
use qscope_exits::Lines;
use qscope_explain::words::count;
use qscope_session::Generation;
use qscope_session::findings::{FindingCategory, FindingGroup, is_mixed, place_of};
use qscope_source::civil_time;

/// The page's width, in columns.
const COLUMNS: usize = 80;
/// Minimum and maximum width of the names of files.
const LEAST_NAME: usize = 15;
const MAX_NAME: usize = 24;

/// Returns the whole page; headings are bold if it is written to a terminal that accepts styles.
pub(super) fn text(generation: &Generation, facts: &CheckFacts<'_>, styled: bool) -> Lines {
    let mut page = CheckPage { out: Lines::new(), styled };
    page.title(generation);
    page.moment(generation, facts);
    page.view(facts);
    page.files(facts, generation.snapshot.now);
    for group in FindingCategory::ALL {
        page.findings(group, facts);
    }
    page.model(&generation.run.warnings);
    page.sum(facts);
    page.out
}

struct CheckPage {
    out: Lines,
    styled: bool,
}

impl CheckPage {
    fn line(&mut self, text: &str) {
        self.out.line(text);
    }

    /// Adds a line in bold.
    fn bold(&mut self, text: &str) {
        if self.styled { self.out.styled("\x1b[1m", text, "\x1b[0m") } else { self.out.line(text) }
    }

    fn heading(&mut self, text: &str) {
        self.out.blank();
        self.bold(text);
    }

    /// Adds words wrapped between a left margin and the page's edge; the first line starts with `lead`.
    fn wrapped(&mut self, lead: &str, margin: usize, text: &str) {
        let text = clean(text);
        let mut line = format!("{lead:<margin$}");
        let mut is_empty = true;
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let word = truncate(word, COLUMNS - margin, "~");
            let word = word.as_ref();
            if !is_empty && width(&line) + 1 + width(word) > COLUMNS {
                self.line(&line);
                line = " ".repeat(margin);
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        self.line(&line);
    }

    fn title(&mut self, generation: &Generation) {
        let snap = &generation.snapshot;
        let title = truncate(&clean(&snap.title), COLUMNS - 14, "~").into_owned();
        let counts = [
            count(snap.nodes.len(), "vnode"),
            count(snap.jobs.len(), "job"),
            count(snap.queues.len(), "queue"),
            count(snap.reservations.len(), "reservation"),
        ];
        self.bold(&format!("qscope check: {title}"));
        self.line(&counts.join(", "));
    }

    fn moment(&mut self, generation: &Generation, facts: &CheckFacts<'_>) {
        let snap = &generation.snapshot;
        self.heading("when and whose");
        let now = format!("{} ({}), {}", civil_time(snap.now, &snap.zone), snap.now.0, snap.now_source);
        self.wrapped("  now", 11, &now);
        self.wrapped("  zone", 11, &format!("{}, {}", snap.zone, snap.zone_source));
        let between = |skew| format!("{} between the oldest and the newest dump", span(skew));
        let skew: Vec<String> = facts.skew.map(between).into_iter().chain(facts.newer.clone()).collect();
        if !skew.is_empty() {
            self.wrapped("  skew", 11, &skew.join("; "));
        }
        self.named("  server", "unknown: no dump names it", &facts.servers);
        self.named("  version", "unknown: no dump names it", &facts.versions);
    }

    fn named(&mut self, lead: &str, none: &str, all: &[StatedValue<'_>]) {
        match all {
            [] => self.wrapped(lead, 11, none),
            [only] => self.wrapped(lead, 11, only.value),
            several => {
                for (at, StatedValue { value, files }) in several.iter().enumerate() {
                    let lead = if at == 0 { lead } else { "" };
                    self.wrapped(lead, 11, &format!("{value} in {}", files.join(", ")));
                }
            }
        }
    }

    /// Adds which kind of user made the dumps.
    fn view(&mut self, facts: &CheckFacts<'_>) {
        let attributes = facts.inferred.len();
        if facts.without_cycle {
            self.wrapped("  seen as", 11, "any user: Torque's dumps do not state what only managers see");
        } else if attributes == 0 {
            self.wrapped("  seen as", 11, "a manager, or nothing that only managers see was needed");
        } else {
            let inferred = count(attributes, "attribute");
            self.wrapped("  seen as", 11, &format!("an ordinary user: {inferred} inferred"));
        }
        for InferredAttribute { attribute, count, of, from } in &facts.inferred {
            self.wrapped("", 11, &format!("{attribute} of {count} {of}, from {from}"));
        }
        if facts.hidden_jobs > 0 {
            let hidden = count(facts.hidden_jobs, "job");
            self.wrapped("", 11, &format!("{hidden} on vnodes but not in the job dump"));
        }
    }

    fn files(&mut self, facts: &CheckFacts<'_>, now: Epoch) {
        let longest = facts.files.iter().map(|file| width(&clean(&file.name))).max();
        let wide = longest.unwrap_or(0).clamp(LEAST_NAME, MAX_NAME);
        self.heading("files read");
        self.line(&format!("  {:<wide$} form   records      bytes  made before now  from", "file"));
        for file in facts.files.iter().filter(|file| file.is_used()) {
            let name = clean(&file.name).into_owned();
            let age = file.made().map_or_else(|| "-".to_owned(), |at| age(file, (now - at).0));
            let left = format!(
                "  {:<wide$} {:<5} {:>8} {:>10}  {age:<15}  ",
                truncate(&name, wide, "~"),
                file.form.word(),
                records(file),
                file.bytes
            );
            let named = [file.server.as_deref(), file.version.as_deref()];
            let named = clean(&named.into_iter().flatten().collect::<Vec<_>>().join(" ")).into_owned();
            let room = COLUMNS.saturating_sub(width(&left));
            self.line(&format!("{left}{}", truncate(&named, room, "~")));
        }
        if facts.files.iter().any(|file| file.is_used() && is_by_writing(file)) {
            self.line("  w: no time inside; the time it was written");
        }
        if facts.files.iter().all(|file| file.is_used()) {
            return;
        }
        self.heading("files left aside");
        for file in &facts.files {
            let Some(why) = &file.unused else { continue };
            let age = file.made().map_or_else(|| "-".to_owned(), |at| age(file, (now - at).0));
            let name = clean(&file.name).into_owned();
            let left = format!(
                "  {:<wide$} {:<5} {:>10}  {age:<15}  ",
                truncate(&name, wide, "~"),
                file.form.word(),
                file.bytes
            );
            self.wrapped(&left, width(&left), why);
        }
    }

    fn findings(&mut self, group: FindingCategory, facts: &CheckFacts<'_>) {
        // Those inferred were reported above, in full.
        let is_shown = |found: &&FindingGroup<'_>| found.group == group && found.code != Diagnostic::INFERRED;
        let all: Vec<&FindingGroup<'_>> = facts.findings.iter().filter(is_shown).collect();
        if all.is_empty() {
            return;
        }
        let times: usize = all.iter().map(|found| found.count).sum();
        self.heading(&format!("{} ({times})", group.heading()));
        for found in all {
            let times = if found.count > 1 { format!("{} x ", found.count) } else { String::new() };
            let place = place_of(&found.first, found.record);
            let colon = if found.file.is_empty() || place.is_empty() || place.starts_with([':', '@']) {
                ""
            } else {
                " "
            };
            let sign = match found.severity {
                Severity::Error => "!",
                Severity::Warning => "*",
                Severity::Note => "-",
            };
            let first = if found.count > 1 { "first at " } else { "" };
            self.wrapped(
                &format!("  {sign} "),
                4,
                &format!("{times}{}: {first}{}{colon}{place}", found.code, found.file),
            );
            self.wrapped("", 6, found.message);
            if !found.places.is_empty() {
                let more = found.count - 1 - found.places.len();
                let rest = if more > 0 { format!(", {more} more") } else { String::new() };
                self.wrapped("", 6, &format!("also {}{rest}", found.places.join(", ")));
            }
            if let Some(change) = found.may_change {
                self.wrapped("", 6, &format!("may change: {change}"));
            }
            if let Some(fix) = found.remedy() {
                self.wrapped("", 6, &format!("fix: {}", fix.words));
            }
        }
    }

    fn model(&mut self, warnings: &[String]) {
        if warnings.is_empty() {
            return;
        }
        self.heading(&format!("the model warns ({})", warnings.len()));
        for warning in warnings {
            self.wrapped("  * ", 4, warning);
        }
    }

    fn sum(&mut self, facts: &CheckFacts<'_>) {
        let count_of = |wanted: Severity| -> usize {
            facts.findings.iter().filter(|found| found.severity == wanted).map(|found| found.count).sum()
        };
        let (errors, warnings, notes) =
            (count_of(Severity::Error), count_of(Severity::Warning), count_of(Severity::Note));
        let mixed: usize =
            facts.findings.iter().filter(|found| is_mixed(found.code)).map(|found| found.count).sum();
        let has = |group| facts.findings.iter().any(|found| found.group == group);
        let is_changed = has(FindingCategory::Repair) || has(FindingCategory::Assumed);
        let lacks = |code| facts.findings.iter().any(|found| found.code == code);
        let verdict = match (errors, warnings) {
            (0, _) if lacks(Diagnostic::NO_JOBS) => "the jobs are missing: no file of them",
            (0, _) if lacks(Diagnostic::NO_NODES) => "the nodes are missing: no file of them",
            (0, 0) if !is_changed => "all records read",
            (0, _) => "everything was read, some of it repaired or assumed",
            _ if errors == mixed => "the files are not of one cluster",
            _ if mixed > 0 => "something was not read, and the files are not of one cluster",
            _ => "something was not read",
        };
        self.heading(verdict);
        if facts.servers.len() > 1 {
            for StatedValue { value, files } in &facts.servers {
                self.wrapped("  ", 4, &format!("of server {value}: {}", files.join(", ")));
            }
        }
        let kinds = [count(errors, "error"), count(warnings, "warning"), count(notes, "note")];
        self.line(&format!("  ! {}, * {}, - {}", kinds[0], kinds[1], kinds[2]));
    }
}

/// Formats how many records were read; a file of the scheduler's own has none.
fn records(file: &FileRecord) -> String {
    if file.form == FileFormat::Native { "-".to_owned() } else { file.records.to_string() }
}

fn is_by_writing(file: &FileRecord) -> bool {
    file.timestamp.is_none() && file.modified.is_some()
}

/// Formats the time from the file to now, with a mark if only its mtime is known.
fn age(file: &FileRecord, seconds: i64) -> String {
    let mark = if is_by_writing(file) { " w" } else { "" };
    let after = if seconds < 0 { "after: " } else { "" };
    format!("{after}{}{mark}", span(seconds.saturating_abs()))
}

/// Formats a length of time; negative if the order is reversed.
fn span(seconds: i64) -> String {
    let sign = if seconds < 0 { "-" } else { "" };
    format!("{sign}{}", show_duration(seconds.unsigned_abs() as f64))
}

#[cfg(test)]
mod tests;
