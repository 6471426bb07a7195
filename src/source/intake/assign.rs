//! Assigns files to inputs: one for each, by content, and by position in a tree (sites 1.4, 2.4).

mod left_scripts;
mod rank;

use std::sync::Arc;

use self::left_scripts::LeftObjects;
use super::cleaning::clean_text;
use super::entry::InputEntry;
use super::kind::{Daemon, DumpDialect, DumpNotation, IntakeKind, NativeFileKind};
use super::report::IntakeFindings;
use super::slot::{native_slot, slot};
use super::{clock, encoding};
use crate::archive::{DiagnosticTree, HOSTS, TreeFileRole};
use crate::bounds::ReadLimits;
use crate::files::Files;
use crate::reader::ReaderKind;
use crate::record::DumpKind;
use crate::torque::{self, TorqueContext, TorqueNodeMatch};
use qscope_engine::cluster::Flavour;

/// Assigns every input, and reports what all files were used for.
pub(super) fn assign(
    files: &mut Files,
    entries: Vec<InputEntry>,
    tree: Option<&DiagnosticTree>,
    reported: IntakeFindings,
) {
    let bounds = files.bounds();
    let (torque_context, left_objects) = (TorqueContext::default(), Vec::new());
    Assigner { files, entries, tree, reported, bounds, torque_context, left_objects }.run();
}

/// Code of a tree without dumps, made while the server did not answer.
pub(crate) const SERVER_DOWN: &str = "server-down";

struct Assigner<'a> {
    files: &'a mut Files,
    entries: Vec<InputEntry>,
    tree: Option<&'a DiagnosticTree>,
    reported: IntakeFindings,
    bounds: ReadLimits,
    torque_context: TorqueContext,
    /// What is not used of scripts.
    left_objects: Vec<LeftObjects>,
}

impl Assigner<'_> {
    fn run(mut self) {
        if let Some(tree) = self.tree {
            let mut gathered = std::mem::take(self.files.gathered_mut());
            clock::of_tree(tree, &mut self.entries, &mut gathered);
            *self.files.gathered_mut() = gathered;
        }
        self.natives();
        self.node_match();
        for of in DumpKind::ALL.iter().copied() {
            self.input(of);
        }
        self.report_left_objects();
        self.sched_log();
        self.judge();
        let rest = self.entries.iter().filter(|entry| !entry.is_used);
        self.reported.report_not_inputs(rest.filter(|entry| self.tree.is_none() || !entry.is_empty()));
        let gathered = self.files.gathered_mut();
        gathered.reported.extend(self.reported.all);
        gathered.unused.extend(self.reported.unused);
        gathered.paths.extend(self.reported.paths);
    }

    /// Assigns files with a fixed name. If their lines are ambiguous, the name decides.
    fn natives(&mut self) {
        for at in 0..self.entries.len() {
            let Some(entry) = self.entries.get(at) else { continue };
            let name = match (self.tree, entry.kind) {
                (Some(tree), _) => entry.places(tree).into_iter().find_map(|place| match place {
                    TreeFileRole::Native(name) => Some(name),
                    _ => None,
                }),
                (None, IntakeKind::Native(native)) => native_slot(native),
                _ => None,
            };
            let Some(name) = name.filter(|name| self.files.get(name).is_none()) else { continue };
            self.place(at, name, ReaderKind::ByContent, None);
        }
    }

    /// Determines how Maui matches `nodes=`, from its own file.
    fn node_match(&mut self) {
        let Some(Ok(bytes)) = self.files.get("maui.cfg").map(|file| &file.bytes) else { return };
        let text = String::from_utf8_lossy(bytes);
        let policy = text.lines().rev().find_map(|line| {
            let (name, value) = line.trim().split_once([' ', '\t', '='])?;
            name.eq_ignore_ascii_case("JOBNODEMATCHPOLICY").then(|| value.trim().to_ascii_uppercase())
        });
        let is_exact = policy.is_some_and(|value| value.contains("EXACTNODE"));
        self.torque_context.node_match =
            if is_exact { TorqueNodeMatch::Distinct } else { TorqueNodeMatch::Tasks };
    }

    /// Chooses the file for one input.
    fn input(&mut self, of: DumpKind) {
        let there = self.files.names().find(|name| of.files().contains(name)).map(str::to_owned);
        let mut ranked: Vec<(u32, std::cmp::Reverse<i64>, usize)> = Vec::new();
        for at in 0..self.entries.len() {
            let rank = self.rank(of, at);
            let Some(entry) = self.entries.get(at) else { continue };
            if let Some(rank) = rank {
                ranked.push((rank, std::cmp::Reverse(entry.modified.map_or(i64::MIN, |at| at.0)), at));
            }
        }
        ranked.sort_unstable();
        let chosen = if there.is_some() { None } else { self.with_subjobs(of, &ranked) };
        let by = there.or_else(|| Some(self.entries.get(chosen?)?.display_name.clone()));
        for (_, _, at) in &ranked {
            if let Some(by) = by.as_deref().filter(|_| Some(*at) != chosen) {
                self.leave_script(*at, of, by);
            }
            let Some(entry) = self.entries.get_mut(*at) else { continue };
            if Some(*at) != chosen
                && !entry.is_used
                && matches!(entry.kind, IntakeKind::Dump { .. } | IntakeKind::Table(_))
            {
                let why =
                    by.as_ref().map_or_else(|| "another file counts".to_owned(), |by| format!("{by} counts"));
                self.reported.unused(entry, why);
                entry.is_used = true;
            }
        }
        if let Some(at) = chosen {
            self.warn_of_hosts(of, at);
            self.put(of, at);
        }
    }

    /// Warns if the nodes of a tree are hosts, since no file of it shows vnodes.
    fn warn_of_hosts(&mut self, of: DumpKind, at: usize) {
        let (Some(tree), Some(entry)) = (self.tree, self.entries.get(at)) else { return };
        if entry.places(tree).contains(&TreeFileRole::Input(of, HOSTS)) {
            self.reported.warn(
                "hosts",
                &entry.display_name,
                "read as hosts, for lack of a file of vnodes: vnodes, how they are shared and what is used of each are unknown; expected what `pbsnodes -av` prints".to_owned(),
            );
        }
    }

    /// Assigns a file to an input, with the reader for its form.
    fn put(&mut self, of: DumpKind, at: usize) {
        let Some(entry) = self.entries.get(at) else { return };
        let (form, reader) = match entry.kind {
            IntakeKind::Dump { form: DumpNotation::Dsv, .. } => (DumpNotation::Dsv, ReaderKind::Dsv),
            IntakeKind::Dump { form, system: DumpDialect::Torque, .. } => {
                let is_xml = form == DumpNotation::Xml;
                let context = Arc::new(self.torque_context.clone());
                (DumpNotation::Text, ReaderKind::Torque { is_xml, context })
            }
            IntakeKind::Dump { form, .. } => (form, ReaderKind::ByContent),
            IntakeKind::Script => (DumpNotation::Text, ReaderKind::Script),
            IntakeKind::Table(_) => (DumpNotation::Text, ReaderKind::NodeTable),
            IntakeKind::Native(NativeFileKind::ResourceDef) => (DumpNotation::Text, ReaderKind::Definitions),
            IntakeKind::Native(NativeFileKind::TorqueNodes) => {
                (DumpNotation::Text, ReaderKind::TorqueNodeFile)
            }
            IntakeKind::EmptyAnswer if entry.head.trim_ascii_start().starts_with(b"<") => {
                (DumpNotation::Text, ReaderKind::Torque { is_xml: true, context: Arc::default() })
            }
            IntakeKind::EmptyAnswer => (DumpNotation::Json, ReaderKind::ByContent),
            _ => (DumpNotation::Text, ReaderKind::ByContent),
        };
        if matches!(
            entry.kind,
            IntakeKind::Dump { system: DumpDialect::Torque, .. }
                | IntakeKind::Native(NativeFileKind::TorqueNodes)
        ) {
            self.files.gathered_mut().flavour = Flavour::Torque;
        }
        if matches!(entry.kind, IntakeKind::Script) && crate::qmgr::is_torque(&entry.head) {
            self.files.gathered_mut().flavour = Flavour::Torque;
        }
        if of == DumpKind::Jobs {
            clock::of_jobs(entry, self.files.gathered_mut());
        }
        self.place(at, slot(of, form), reader, Some(of));
    }

    fn place(&mut self, at: usize, name: &'static str, reader: ReaderKind, of: Option<DumpKind>) {
        let bounds = self.bounds;
        let Some(entry) = self.entries.get_mut(at) else { return };
        let mut more = None;
        let bytes = entry.take(bounds).map(|bytes| match of {
            Some(of) if is_text(entry.kind) => {
                let (bytes, noise) = clean_text(of, entry.is_cut, bytes);
                more = noise;
                bytes
            }
            Some(_) => encoding::into_plain(bytes),
            // One of these files is binary.
            None => bytes,
        });
        if let (Some(DumpKind::Nodes), ReaderKind::Torque { is_xml, .. }, Ok(bytes)) = (of, &reader, &bytes) {
            self.torque_context.hosts = Arc::new(torque::names(*is_xml, bytes));
        }
        // If nothing is left of a dump, a report of no records would be a false statement about the cluster.
        let is_lost = entry.is_cut && bytes.as_ref().is_ok_and(|bytes| bytes.trim_ascii().is_empty());
        if entry.is_cut {
            let left = match is_lost {
                true => ", before its first whole record",
                false => "; read up to its last whole record",
            };
            self.reported.error(
                "cut-short",
                &entry.display_name,
                format!("the archive ends within it{left}"),
            );
        }
        if is_lost {
            entry.is_used = true;
            return;
        }
        if !entry.is_used && (entry.display_name != name || more.is_some()) {
            self.reported.report_input(entry, more.as_deref());
        }
        self.files.place(name, &entry.display_name, reader, bytes, entry.modified);
        entry.is_used = true;
    }

    /// Assigns the newest log of the scheduler.
    fn sched_log(&mut self) {
        let logs = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.kind == IntakeKind::Log(Daemon::Scheduler));
        let newest =
            logs.max_by(|(_, one), (_, other)| (day(one), one.modified).cmp(&(day(other), other.modified)));
        let Some((at, _)) = newest else { return };
        let Some(entry) = self.entries.get_mut(at) else { return };
        let log = entry.log(self.bounds);
        self.reported.report_input(entry, None);
        self.files.gathered_mut().sched_log = log;
        for entry in &mut self.entries {
            entry.is_used |= entry.kind == IntakeKind::Log(Daemon::Scheduler);
        }
    }
}

/// Whether it contains records as text.
fn is_text(kind: IntakeKind) -> bool {
    matches!(kind, IntakeKind::Dump { form: DumpNotation::Text, .. })
}

/// Parses the day in a log's name.
fn day(entry: &InputEntry) -> Option<u32> {
    let digits: String = entry.base().chars().filter(char::is_ascii_digit).take(8).collect();
    (digits.len() == 8).then(|| digits.parse().ok()).flatten()
}

impl Assigner<'_> {
    /// Reports findings about all files together.
    fn judge(&mut self) {
        if self.files.gathered().flavour == Flavour::Torque {
            self.reported.warn(
                "torque",
                "",
                "dumps of Torque: who runs where and what is free is known; in which order jobs are considered is not, since Maui, Moab or pbs_sched decides it".to_owned(),
            );
        }
        let Some(tree) = self.tree else { return };
        let has_dump = |kind: DumpKind| self.files.names().any(|name| kind.files().contains(&name));
        if !has_dump(DumpKind::Nodes) && !has_dump(DumpKind::Jobs) && !has_dump(DumpKind::Server) {
            self.reported.error(
                SERVER_DOWN,
                "",
                "no dumps in it: taken while the server was down".to_owned(),
            );
        }
        if tree.is_obfuscated {
            self.reported.note(
                "obfuscated",
                "",
                "names in it were replaced: names of vnodes may differ between files".to_owned(),
            );
        }
    }
}
