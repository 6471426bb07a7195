//! Locates settings: file and line, in whatever form the object was dumped.

use std::fmt;

use qscope_engine::cluster::Diagnostic;
use qscope_source::Files;
use serde::{Serialize, Serializer};

/// A file, and the line in it if known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LintPlace {
    /// The file name as shown to users.
    pub file: String,
    /// Line number, from 1.
    pub line: Option<usize>,
}

impl fmt::Display for LintPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

impl Serialize for LintPlace {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// The object that a setting belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) enum LintObject<'a> {
    Server,
    Scheduler,
    Queue(&'a str),
    Node(&'a str),
}

impl LintObject<'_> {
    /// Returns the files that may contain it; the first existing one counts.
    fn files(self) -> &'static [&'static str] {
        match self {
            Self::Server => &["server.json", "server.txt", "policy.toml"],
            Self::Scheduler => &["sched.txt", "sched.json", "policy.toml"],
            Self::Queue(_) => &["queues.json", "queues.txt", "queue.toml", "policy.toml"],
            Self::Node(_) => &["nodes.json", "nodes.txt", "nodes.toml"],
        }
    }

    /// Whether a line begins its record, in any of the forms.
    fn begins(self, line: &str) -> bool {
        let text = line.trim().trim_end_matches([',', '{', ':', ' ', '\t']);
        let word = text.trim_matches('"');
        match self {
            Self::Server => text.starts_with("Server") || text == "\"Server\"" || text == "[server]",
            Self::Scheduler => text.starts_with("Sched ") || text == "[scheduler]" || text == "\"Sched\"",
            Self::Queue(name) => {
                let rest = text.strip_prefix("Queue").map(|rest| rest.trim_start_matches([':', ' ']));
                rest == Some(name) || word == name || is_named(text, name)
            }
            Self::Node(name) => {
                (!line.starts_with(char::is_whitespace) && text == name)
                    || word == name
                    || is_named(text, name)
            }
        }
    }
}

/// Whether a line is `name = "x"` of the hand-written form; a folded name matches all of its nodes.
fn is_named(text: &str, name: &str) -> bool {
    let value = text.strip_prefix("name").and_then(|rest| rest.trim_start().strip_prefix('='));
    let value = value.map(|value| value.trim().trim_matches(['"', '\'']));
    let stem = |value: &str| value.split('[').next().unwrap_or_default().to_owned();
    value.is_some_and(|value| value == name || (value.contains('[') && name.starts_with(&stem(value))))
}

/// Returns the place of an attribute such as `resources_max.walltime` or `enabled`, or that of its object if the
/// attribute is missing. Files that were not read are ignored.
pub(super) fn attribute(
    files: &Files,
    object: LintObject<'_>,
    name: &str,
    is_read: impl Fn(&str) -> bool,
) -> Option<LintPlace> {
    let slots = || object.files().iter().filter(|slot| is_read(slot));
    let found = slots().filter_map(|slot| files.contents(slot));
    let mut rest = None;
    for (file, bytes) in found {
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<&str> = text.lines().collect();
        let place = |line: Option<usize>| LintPlace { file: file.to_owned(), line };
        let Some(head) = lines.iter().position(|line| object.begins(line)) else { continue };
        let below = lines.get(head + 1..).unwrap_or_default();
        if let Some(at) = below.iter().take_while(|line| !ends(line)).position(|line| states(line, name)) {
            return Some(place(Some(head + 2 + at)));
        }
        rest = rest.or_else(|| Some(place(Some(head + 1))));
    }
    rest.or_else(|| {
        let (file, _) = slots().find_map(|slot| files.contents(slot))?;
        Some(LintPlace { file: file.to_owned(), line: None })
    })
}

/// Whether a line ends a record of a text or hand-written form.
fn ends(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('[')
}

/// Whether a line sets an attribute.
fn states(line: &str, name: &str) -> bool {
    let is_of = |name: &str| {
        let rest = line.trim().trim_start_matches('"').strip_prefix(name);
        rest.is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(['=', ':']))
    };
    let (head, last) = name.split_once('.').unwrap_or((name, name));
    is_of(name) || (head != last && is_of(head))
}

/// Returns the lines of `sched_config` that set an option, in order.
pub(super) fn options(files: &Files, name: &str) -> Vec<LintPlace> {
    let slots = ["sched_config", "policy.toml"];
    let Some((file, bytes)) = slots.iter().find_map(|slot| files.contents(slot)) else { return Vec::new() };
    let text = String::from_utf8_lossy(bytes);
    let stated = text.lines().enumerate().filter(|(_, line)| states(line, name));
    stated.map(|(at, _)| LintPlace { file: file.to_owned(), line: Some(at + 1) }).collect()
}

pub(super) fn of_diagnostic(found: &Diagnostic) -> LintPlace {
    LintPlace { file: found.file.to_string(), line: found.position.line() }
}

/// Returns the first word that the message of a diagnostic quotes.
pub(super) fn quoted(diagnostic: &Diagnostic) -> &str {
    diagnostic.message.split('`').nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(slot: &str, text: &str, object: LintObject<'_>, name: &str) -> String {
        let mut files = Files::new("t");
        files.insert(slot, text, None);
        attribute(&files, object, name, |_| true).unwrap().to_string()
    }

    #[test]
    fn a_file_left_aside_is_no_place() {
        let mut files = Files::new("t");
        files.insert("server.json", "{\"Server\":{\"svr\":{\"backfill_depth\":3}}}", None);
        files.insert("server.txt", "Server: svr\n    scheduling = True\n", None);
        let found = |is_read: fn(&str) -> bool| {
            attribute(&files, LintObject::Server, "scheduling", is_read).unwrap().file
        };
        assert_eq!(found(|_| true), "server.txt");
        // As PBS prints it, with tabs.
        let text = "{\n\t\"Server\":\t{\n\t\t\"svr\":\t{\n\t\t\t\"scheduling\":\t\"True\"\n";
        assert_eq!(place("server.json", text, LintObject::Server, "scheduling"), "server.json:4");
        assert_eq!(found(|slot| slot != "server.txt"), "server.json");
    }

    #[test]
    fn attributes_are_found_in_every_form() {
        let text = "Queue: a\n    enabled = True\n\nQueue: b\n    queue_type = Execution\n    resources_max.ncpus = 4\n    enabled = True\n";
        assert_eq!(place("queues.txt", text, LintObject::Queue("b"), "enabled"), "queues.txt:7");
        assert_eq!(place("queues.txt", text, LintObject::Queue("b"), "resources_max.ncpus"), "queues.txt:6");
        assert_eq!(place("queues.txt", text, LintObject::Queue("b"), "Priority"), "queues.txt:4");
        let json = "{\n \"Queue\":{\n  \"a\":{\n   \"enabled\":\"True\"\n  },\n  \"b\":{\n   \"resources_max\":{\n    \"ncpus\":4\n   }\n  }\n }\n}\n";
        assert_eq!(
            place("queues.json", json, LintObject::Queue("b"), "resources_max.ncpus"),
            "queues.json:7"
        );
        let toml = "now = 1\n[[queue]]\nname = \"b\"\nenabled = false\n";
        assert_eq!(place("queue.toml", toml, LintObject::Queue("b"), "enabled"), "queue.toml:4");
        let nodes = "n1\n     Mom = n1\n     queue = x\n\n";
        assert_eq!(place("nodes.txt", nodes, LintObject::Node("n1"), "queue"), "nodes.txt:3");
        assert_eq!(
            place(
                "nodes.toml",
                "[[node]]\nname = \"n[1-4]\"\nqueue = \"x\"\n",
                LintObject::Node("n3"),
                "queue"
            ),
            "nodes.toml:3"
        );
        assert_eq!(
            place(
                "server.txt",
                "Server: s\n    a = 1\n    node_group_key = sw\n",
                LintObject::Server,
                "node_group_key"
            ),
            "server.txt:3"
        );
    }

    #[test]
    fn options_stand_on_their_lines() {
        let mut files = Files::new("t");
        files.insert(
            "sched_config",
            "# by_queue\nby_queue: True prime\n\nby_queue : False\tnon_prime\nby_queues: x\n",
            None,
        );
        let found: Vec<String> = options(&files, "by_queue").iter().map(ToString::to_string).collect();
        assert_eq!(found, ["sched_config:2", "sched_config:4"]);
    }
}
