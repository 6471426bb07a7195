//! Opens a case from one kind of input: a scenario, settings, tables of LSF, or a history of jobs.

use super::{CaseInput, DAY, FarmCase, LARGEST};
use crate::farm::lsf_now::from_tables;
use crate::farm::nodes::NodesSpec;
use crate::farm::synthetic::SyntheticSettings;
use crate::farm::trace::{ByteProgress, TraceHistory, UnknownNodesError, read_history};
use crate::farm::{Criterion, FarmError, FarmNode, FarmWindow, Scenario};
use qscope_system::input::{self, SizeLimit};
use std::path::{Path, PathBuf};

/// Finds another criterion that has all classes to pack, if the given one does not.
pub(super) fn other_criterion(
    wanted: &CaseInput,
    history: &TraceHistory,
    progress: ByteProgress<'_>,
) -> Result<Option<Criterion>, FarmError> {
    let has_all = |history: &TraceHistory| {
        wanted.pack.iter().all(|name| history.classes.all().iter().any(|have| **have == **name))
    };
    if has_all(history) {
        return Ok(None);
    }
    for criterion in
        [Criterion::Queue, Criterion::Group, Criterion::User, Criterion::Project, Criterion::Partition]
    {
        if criterion != wanted.criterion
            && has_all(&read_history(&wanted.files, &criterion, false, &mut *progress)?)
        {
            return Ok(Some(criterion));
        }
    }
    Ok(None)
}

/// Returns the nodes given by option, else those known from the file.
pub(super) fn nodes_of(history: &TraceHistory, wanted: &CaseInput) -> Result<Vec<FarmNode>, FarmError> {
    if let Some(text) = &wanted.nodes {
        return Ok(NodesSpec::parse(text)?.nodes());
    }
    if history.is_placed() {
        return Ok(history.seen_nodes());
    }
    let stated = history.stated.and_then(|(nodes, slots)| NodesSpec::shared(slots, nodes));
    stated
        .map(|nodes| nodes.nodes())
        .ok_or_else(|| FarmError::File { file: title(&wanted.files), what: UnknownNodesError.to_string() })
}

pub(super) fn title(files: &[PathBuf]) -> String {
    let name = |path: &PathBuf| {
        path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
    };
    match files {
        [] => String::new(),
        [only] => name(only),
        [first, .., last] => format!("{} … {}", name(first), name(last)),
    }
}

pub(super) fn read(file: &Path) -> Result<Vec<u8>, FarmError> {
    use std::io::Read;
    let fail = |what: String| FarmError::File { file: file.display().to_string(), what };
    let most = SizeLimit { limit: "file-size", bytes: LARGEST };
    let bytes = input::read(file, most).map_err(|error| fail(error.to_string()))?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        let decoder = flate2::read::MultiGzDecoder::new(bytes.as_slice());
        decoder.take(LARGEST).read_to_end(&mut unpacked).map_err(|error| fail(error.to_string()))?;
        return Ok(unpacked);
    }
    Ok(bytes)
}

/// Returns an error for a flag that is given but has no meaning for this kind of input.
pub(super) fn refuse_others(wanted: &CaseInput, kind: &str, takes: &[&str]) -> Result<(), FarmError> {
    let given = [
        ("--class", wanted.is_criterion_named),
        ("--nodes", wanted.nodes.is_some()),
        ("--scenario", wanted.scenario.is_some()),
        ("--seed", wanted.seed.is_some()),
        ("--load", wanted.load.is_some()),
    ];
    match given.iter().find(|(flag, is_given)| *is_given && !takes.contains(flag)) {
        None => Ok(()),
        Some((flag, _)) => {
            Err(FarmError::Scenario { place: (*flag).to_owned(), what: format!("means nothing for {kind}") })
        }
    }
}

impl FarmCase {
    pub(super) fn of_scenario(file: &Path, wanted: &CaseInput) -> Result<Self, FarmError> {
        let kind = "a scenario, which names its nodes, jobs and classes itself";
        refuse_others(wanted, kind, &["--scenario"])?;
        let text = read(file)?;
        let scenario = Scenario::parse(&file.display().to_string(), &text, wanted.scenario.as_deref())?;
        let unknown = format!("keys that mean nothing here: {}", scenario.unknown.join(", "));
        Ok(Self {
            notes: if scenario.unknown.is_empty() { Vec::new() } else { vec![unknown] },
            why: scenario.why,
            workload: scenario.workload,
            packing: scenario.packing,
            mixed: scenario.mixed,
            broken: scenario.problems.len() as u64,
            problems: scenario.problems,
            ..Self::default()
        })
    }

    pub(super) fn of_settings(file: &Path, wanted: &CaseInput) -> Result<Self, FarmError> {
        refuse_others(wanted, "settings of made-up work", &["--nodes", "--seed", "--load"])?;
        let name = file.display().to_string();
        let text = String::from_utf8_lossy(&read(file)?).into_owned();
        let mut settings = SyntheticSettings::parse(&name, &text)?;
        settings.seed = wanted.seed.unwrap_or(settings.seed);
        settings.nodes = wanted.nodes.clone().unwrap_or(settings.nodes);
        settings.load = wanted.load.unwrap_or(settings.load);
        let settings = settings.checked(&name)?;
        let workload = settings.workload();
        let packing = settings.packing(&workload);
        let why = format!("made up with seed {}, load {}", settings.seed, settings.load);
        let published = |text: &String| format!("published, not computed here: {text}");
        let notes = settings.published.iter().map(published).collect();
        Ok(Self { why, workload, packing, notes, seed: Some(settings.seed), ..Self::default() })
    }

    pub(super) fn of_lsf_tables(wanted: &CaseInput) -> Result<Self, FarmError> {
        refuse_others(wanted, "tables of LSF, which name the hosts", &["--class"])?;
        let texts: Result<Vec<String>, FarmError> = wanted
            .files
            .iter()
            .map(|file| read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
            .collect();
        let (workload, notes) = from_tables(&title(&wanted.files), &texts?, &wanted.criterion)?;
        let criterion = wanted.criterion.to_string();
        let why = "from now on: what runs and what waits by the tables of LSF".to_owned();
        let mut case = Self {
            workload,
            criterion,
            why,
            window: Some(FarmWindow { from: 0, to: DAY }),
            ..Self::default()
        };
        if !case.workload.classes.is_empty() {
            case.notes.push("how long jobs run is in no table of LSF: they count as endless".to_owned());
        }
        case.note(notes.unavailable_hosts, "hosts that take no jobs");
        case.note(notes.without_limit, "hosts without a limit of slots, taken to have those in use");
        case.note(notes.skipped, "lines of the tables that are no rows");
        Ok(case)
    }

    pub(super) fn of_history(input: &CaseInput, progress: ByteProgress<'_>) -> Result<Self, FarmError> {
        refuse_others(input, "a history, whose jobs are recorded", &["--class", "--nodes"])?;
        let mut history = read_history(&input.files, &input.criterion, input.ids, progress)?;
        if let Some(criterion) = other_criterion(input, &history, progress)? {
            let names = input.pack.join(", ");
            if input.is_criterion_named {
                let what = format!("no such class by {}; it is one by --class {criterion}", input.criterion);
                return Err(FarmError::Scenario { place: format!("--pack {names}"), what });
            }
            let note = format!(
                "{names}: found by {criterion}, so that jobs fall into classes by it (--class {criterion})"
            );
            let wanted = CaseInput { criterion, is_criterion_named: true, ..input.clone() };
            let mut case = Self::of_history(&wanted, progress)?;
            case.notes.insert(0, note);
            return Ok(case);
        }
        let nodes = nodes_of(&history, input)?;
        let workload = history.workload(nodes)?;
        let mut case = Self { workload, criterion: input.criterion.to_string(), ..Self::default() };
        let notes = history.notes.clone();
        case.broken = notes.broken;
        case.problems = notes.listed;
        case.note(notes.over_vnodes, "jobs that ran on several vnodes, taken as one part on each");
        case.note(notes.split, "jobs larger than any node, taken apart into nodes");
        case.note(notes.reruns, "attempts that were rerun, simulated as jobs since they held their slots");
        case.note(notes.lost, "attempts left out, since another one followed and their end is not recorded");
        case.note(notes.unfinished, "jobs that started and have no end, taken to run to the end of the log, at most for their walltime");
        case.note(notes.unplaced, "jobs left out that never ran or held no slot");
        case.note(notes.repeated, "lines left out that occurred before, in an overlapping copy of the log");
        case.note(notes.parts, "parts of jobs left out, since the whole job has a line of its own");
        case.note(notes.arrays, "records of whole arrays, which hold no slots");
        case.note(notes.suspended, "suspensions, in which the slots count as held");
        let inherits = "jobs that arrive when they started, since the file does not hold when they were submitted (the \
                        replay inherits what the scheduler of that time decided)";
        case.note(notes.without_arrival, inherits);
        if input.nodes.is_none() && history.is_placed() {
            case.notes
                .push("nodes are as large as the most slots that were in use on each at once".to_owned());
        }
        if input.nodes.is_none()
            && !history.is_placed()
            && let Some((nodes, slots)) = history.stated
        {
            case.notes.push(format!("nodes as in the head of the trace: {slots} processors on {nodes}"));
        }
        case.note_gaps(&history.gaps);
        case.window = history.span.map(|(from, to)| FarmWindow { from, to });
        if input.nodes.is_some() && history.is_placed() {
            case.notes.push(
                "what really ran is left out: it ran on the nodes of the log, and --nodes names others"
                    .to_owned(),
            );
        }
        let is_as_it_was = input.nodes.is_none() && history.is_placed();
        case.history = is_as_it_was.then_some(history);
        Ok(case)
    }
}
