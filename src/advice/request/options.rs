//! A user's request, in the options of `qsub`.

use qscope_engine::cluster::{Job, Snapshot};

use super::indices::{OptionError, SubjobIndices};
use super::nodes_option::{select_of, without_sharing};

/// A request as it is submitted: the options of `qsub` that affect scheduling.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SubmitRequest {
    /// The names and values of `-l` as written, including `select` and `place` but not `nodes`.
    pub resources: Vec<(String, String)>,
    /// The value of `-l nodes=`, which replaces a select.
    pub nodes: Option<String>,
    /// `-q`.
    pub queue: Option<String>,
    /// The submitting user; `group` is theirs, if known.
    pub user: String,
    pub group: Option<String>,
    /// `-P`.
    pub project: Option<String>,
    /// `-A`.
    pub account: Option<String>,
    /// `-p`.
    pub priority: Option<i64>,
    /// `-J`: the subjobs of an array.
    pub array: Option<SubjobIndices>,
    /// `-W depend=`: the jobs that it waits for.
    pub depend: Option<String>,
    /// `-W x=`: what it passes to allocation policies.
    pub extension: Option<String>,
    /// Whether it is submitted with a hold (`-h`).
    pub held: bool,
    /// Options that do not affect scheduling here, or are not modelled.
    pub left_out: Vec<String>,
}

/// Options of `qsub` that take no value.
const FLAGS: &str = "fGhIVXz";
/// Options of `qsub` that take a value.
const WITH_VALUE: &str = "aAcCejJklmMNopPqrRSuvwW";

/// The job resource whose value is a list of queues and requested resources.
const PREEMPT_TARGETS: &str = "preempt_targets";

impl SubmitRequest {
    /// Fills in the group that the user's jobs in the dump run under, if none is given.
    pub fn fill_group(&mut self, snap: &Snapshot) {
        if self.group.is_none() {
            let own = snap.jobs.iter().find(|job| *job.user == *self.user && !job.group.is_empty());
            self.group = own.map(|job| job.group.to_string());
        }
    }

    /// Adds one `-l`, such as `select=2:ncpus=4`, `walltime=1:00:00,mem=4gb` or `nodes=2:ppn=8`. As for `qsub`, a
    /// later value of a name replaces an earlier one.
    ///
    /// # Errors
    /// A part that is not `name=value`.
    pub fn resource_list(&mut self, text: &str) -> Result<(), OptionError> {
        let mut is_targets = false;
        for part in split_unquoted(text, ',') {
            // The value of preempt_targets is a list itself: of queues and of requested resources.
            if is_targets && is_preempt_target(part) {
                self.extend_last(part);
                continue;
            }
            let fail = |what| OptionError { place: String::new(), text: part.to_owned(), what };
            let (name, value) = part
                .trim()
                .split_once('=')
                .ok_or_else(|| fail("expected name=value, such as walltime=1:00:00"))?;
            if name.is_empty() || value.is_empty() {
                return Err(fail("expected name=value, such as walltime=1:00:00"));
            }
            is_targets = name == PREEMPT_TARGETS;
            match name {
                "nodes" => {
                    let (nodes, _) = without_sharing(value);
                    select_of(nodes, &|_| false)
                        .ok_or_else(|| fail("expected nodes=COUNT|HOST[:ppn=N][:property][#excl|#shared]"))?;
                    self.nodes = Some(value.to_owned());
                }
                _ => self.set(name, value),
            }
        }
        Ok(())
    }

    /// Appends to the value set last.
    fn extend_last(&mut self, part: &str) {
        if let Some((_, value)) = self.resources.last_mut() {
            value.push(',');
            value.push_str(part);
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        self.resources.retain(|(have, _)| have != name);
        self.resources.push((name.to_owned(), value.to_owned()));
    }

    /// Whether no resources are requested.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.nodes.is_none()
    }

    /// Adds options from the words of a `qsub` command line; values already in the request take precedence.
    ///
    /// # Errors
    /// A word that is not an option of `qsub`, or an option without its value.
    pub fn options(&mut self, words: &[String]) -> Result<(), OptionError> {
        let mut read = Self::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let fail = |what| OptionError { place: String::new(), text: word.clone(), what };
            let mut letters = word.strip_prefix('-').unwrap_or_default().chars();
            let letter =
                letters.next().ok_or_else(|| fail("expected an option of qsub, such as -l or -q"))?;
            let attached = letters.as_str();
            if FLAGS.contains(letter) {
                read.held |= letter == 'h';
                continue;
            }
            if !WITH_VALUE.contains(letter) {
                return Err(fail("is no option of qsub"));
            }
            let value = match attached {
                "" => rest.next().map(String::as_str).ok_or_else(|| fail("has no value"))?,
                value => value,
            };
            read.option(letter, value)?;
        }
        self.fill_missing_from(read);
        Ok(())
    }

    fn option(&mut self, letter: char, value: &str) -> Result<(), OptionError> {
        match letter {
            'l' => return self.resource_list(value),
            'q' => self.queue = value.split('@').next().filter(|name| !name.is_empty()).map(str::to_owned),
            'P' => self.project = Some(value.to_owned()),
            'A' => self.account = Some(value.to_owned()),
            'p' => {
                let what = "expected a whole number from -1024 to 1023";
                let number = value.parse().ok().filter(|number| Job::PRIORITIES.contains(number));
                let fail = || OptionError { place: String::new(), text: value.to_owned(), what };
                self.priority = Some(number.ok_or_else(fail)?);
            }
            'W' => self.attribute_list(value),
            'J' => self.array = Some(SubjobIndices::parse(value)?),
            'a' | 'c' => self.left_out.push(format!("-{letter} {value}")),
            _ => {}
        }
        Ok(())
    }

    /// Adds one `-W`, such as `group_list=phys`, `depend=afterok:12` or `x=PREF(FEATURE:FAST,FEATURE:TAPE)`; any other name is added to
    /// `left_out`.
    pub fn attribute_list(&mut self, text: &str) {
        let mut last = ListAttribute::Other;
        for part in split_unquoted(text, ',') {
            // A part without a name continues the list before it: of groups, of features, of dependencies.
            let Some((name, value)) = part.split_once('=') else {
                match (last, &mut self.extension, &mut self.depend) {
                    (ListAttribute::Groups, ..) => {}
                    (ListAttribute::Extension, Some(list), _) | (ListAttribute::Depend, _, Some(list)) => {
                        list.push(',');
                        list.push_str(part);
                    }
                    _ => self.left_out.push(format!("-W {part}")),
                }
                continue;
            };
            last = ListAttribute::named(name);
            match last {
                ListAttribute::Groups => {
                    let first = value.split([',', '@']).next().filter(|name| !name.is_empty());
                    self.group = first.map(str::to_owned).or(self.group.take());
                }
                ListAttribute::Extension => {
                    self.extension = Some(value.trim_matches(['"', '\'']).to_owned());
                }
                ListAttribute::Depend => self.depend = Some(value.to_owned()),
                ListAttribute::Other => self.left_out.push(format!("-W {part}")),
            }
        }
    }

    /// Takes over what the other request states and this one does not.
    fn fill_missing_from(&mut self, other: Self) {
        let own_request = self.nodes.is_some() || self.resources.iter().any(|(name, _)| name == "select");
        for (name, value) in other.resources {
            let is_known = self.resources.iter().any(|(have, _)| *have == name);
            // The place of a script belongs to its select.
            if !(is_known || own_request && matches!(&*name, "select" | "place")) {
                self.resources.push((name, value));
            }
        }
        self.nodes = self.nodes.take().or(other.nodes.filter(|_| !own_request));
        self.queue = self.queue.take().or(other.queue);
        self.group = self.group.take().or(other.group);
        self.project = self.project.take().or(other.project);
        self.account = self.account.take().or(other.account);
        self.priority = self.priority.or(other.priority);
        self.extension = self.extension.take().or(other.extension);
        self.array = self.array.or(other.array);
        self.depend = self.depend.take().or(other.depend);
        self.held |= other.held;
        self.left_out.extend(other.left_out);
    }
}

/// An attribute of `-W` whose value is a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ListAttribute {
    Groups,
    /// `x`, what is passed to allocation policies.
    Extension,
    Depend,
    /// Not modelled.
    Other,
}

impl ListAttribute {
    fn named(name: &str) -> Self {
        match name {
            "group_list" => Self::Groups,
            "x" => Self::Extension,
            "depend" => Self::Depend,
            _ => Self::Other,
        }
    }
}

/// Whether a part of a list names what a job may preempt: `Queue=workq`, `Resource_List.color=red`.
fn is_preempt_target(part: &str) -> bool {
    let name = part.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
    name == "queue" || name.starts_with("resource_list.")
}

/// Splits a text at a separator outside of quotes; empty parts are left out.
fn split_unquoted(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut from, mut open) = (Vec::new(), 0, None);
    for (at, letter) in text.char_indices() {
        match open {
            Some(quote) if letter == quote => open = None,
            None if matches!(letter, '"' | '\'') => open = Some(letter),
            None if letter == separator => {
                parts.extend(text.get(from..at));
                from = at + letter.len_utf8();
            }
            Some(_) | None => {}
        }
    }
    parts.extend(text.get(from..));
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_command_line_holds_over_the_script() {
        let mut request = SubmitRequest::default();
        request.resource_list("select=1:ncpus=2,walltime=10:00").unwrap();
        request
            .options(&words("-l select=8:ncpus=4 -l place=excl,mem=1gb -qbig -h -V -N x -W group_list=phys"))
            .unwrap();
        let have: Vec<_> = request.resources.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(have, ["select=1:ncpus=2", "walltime=10:00", "mem=1gb"]);
        assert_eq!(
            (request.queue.as_deref(), request.group.as_deref(), request.held),
            (Some("big"), Some("phys"), true)
        );
    }

    #[test]
    fn features_preferred_are_read_with_their_commas() {
        let mut request = SubmitRequest::default();
        request.attribute_list("x=PREF(FEATURE:FAST,FEATURE:TAPE),group_list=phys,umask=22");
        assert_eq!(request.extension.as_deref(), Some("PREF(FEATURE:FAST,FEATURE:TAPE)"));
        assert_eq!(
            (request.group.as_deref(), request.left_out),
            (Some("phys"), vec!["-W umask=22".to_owned()])
        );
    }

    #[test]
    fn a_part_without_a_name_continues_the_list_before_it() {
        let read = |text: &str| {
            let mut request = SubmitRequest::default();
            request.attribute_list(text);
            (request.extension.unwrap_or_default(), request.depend.unwrap_or_default(), request.group)
        };
        let expected = |extension: &str, depend: &str, group: Option<&str>| {
            (extension.to_owned(), depend.to_owned(), group.map(str::to_owned))
        };
        let (first, second) = ("x=FAST,TAPE", "depend=afterok:1,afterany:2");
        assert_eq!(read(&format!("{first},{second}")), expected("FAST,TAPE", "afterok:1,afterany:2", None));
        assert_eq!(read(&format!("{second},{first}")), expected("FAST,TAPE", "afterok:1,afterany:2", None));
        assert_eq!(
            read("depend=afterok:1,group_list=phys@a,chem@b"),
            expected("", "afterok:1", Some("phys")),
            "the second group is that of another host"
        );
        let mut request = SubmitRequest::default();
        request.attribute_list("depend=afterok:1,stagein=a,b");
        assert_eq!(request.left_out, ["-W stagein=a", "-W b"]);
    }

    #[test]
    fn what_is_no_option_is_named() {
        let error = |text: &str| SubmitRequest::default().options(&words(text)).unwrap_err().to_string();
        assert_eq!(error("-Y"), "`-Y`: is no option of qsub");
        assert_eq!(error("-l"), "`-l`: has no value");
        assert_eq!(error("-l walltime"), "`walltime`: expected name=value, such as walltime=1:00:00");
        assert_eq!(error("-p 2000"), "`2000`: expected a whole number from -1024 to 1023");
    }

    #[test]
    fn quotes_keep_commas_together() {
        assert_eq!(split_unquoted("a='1,2',b=3,", ','), ["a='1,2'", "b=3"]);
    }

    #[test]
    fn targets_of_preemption_are_read_with_their_commas() {
        let mut request = SubmitRequest::default();
        request.resource_list("preempt_targets=Queue=workq,Queue=q2,ncpus=2").unwrap();
        let have: Vec<_> = request.resources.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(have, ["preempt_targets: Queue=workq,Queue=q2", "ncpus: 2"]);
    }
}
