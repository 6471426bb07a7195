//! A farm ready to be simulated, from whatever it was asked for: a scenario, logs, a trace, rows, settings, a snapshot.

use std::path::{Path, PathBuf};

use qscope_engine::cluster::{Id, Name, Snapshot};
use qscope_system::input::{self, Most};

use super::FarmError;
use super::criterion::Criterion;
use super::lsf_now::from_tables;
use super::nodes::NodesSpec;
use super::now::from_now;
use super::policy::{Options, Policy};
use super::scenario::Scenario;
use super::summary::Window;
use super::synthetic::Settings;
use super::trace::{History, Kind, Progress, Unplaced, kind_of, read_history};
use super::window;
use super::workload::{ClassNo, FarmNode, JobNo, Workload};

/// Larger scenarios and settings are refused; logs and traces may be as long as they are.
const LARGEST: u64 = 1 << 30;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Files of one kind, or folders of accounting logs.
    pub files: Vec<PathBuf>,
    /// By what jobs fall into classes.
    pub criterion: Criterion,
    /// The classes that pack; none lets the largest one below half of the work.
    pub pack: Vec<String>,
    /// Whether the criterion was named; if not, a class to pack may be of another one.
    pub is_criterion_named: bool,
    /// The nodes, `800x8`; none takes them from the file.
    pub nodes: Option<String>,
    /// Which of several scenarios in one file.
    pub scenario: Option<String>,
    /// Whether the ids of jobs are wanted.
    pub ids: bool,
    /// Another seed for settings.
    pub seed: Option<u64>,
    /// Another load for settings.
    pub load: Option<f64>,
    /// The window of all means, as `1d..3d` or `50%..100%`; none lets the case choose.
    pub window: Option<String>,
    /// What is done otherwise than the rules.
    pub options: Options,
}

/// A farm ready to be simulated.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// What it is called.
    pub title: String,
    /// What it shows, if it states so.
    pub why: String,
    /// Nodes and jobs.
    pub workload: Workload,
    /// The jobs in the order of their arrival.
    pub arrivals: Vec<JobNo>,
    /// The classes that a policy is for.
    pub packing: Vec<ClassNo>,
    /// Policies by class, where they differ.
    pub mixed: Vec<(ClassNo, Policy)>,
    /// What really ran where, if the files state so.
    pub history: Option<History>,
    /// What was assumed.
    pub notes: Vec<String>,
    /// What could not be read, by file and line.
    pub problems: Vec<String>,
    /// How many records could not be read; `problems` may hold fewer.
    pub broken: u64,
    /// The seed, where chance was used.
    pub seed: Option<u64>,
    /// The window of all means, where it is not from the first to the last arrival.
    pub window: Option<Window>,
    /// The criterion that made the classes; empty where the file names them itself.
    pub by: String,
}

/// So many gaps of a log are named, the others are counted.
const GAPS_NAMED: usize = 5;

/// From now on, means are over no more than so many seconds: a day.
const DAY: i64 = 86_400;

impl Case {
    /// Opens what is wanted.
    ///
    /// # Errors
    /// Files that cannot be read at all, farms without nodes, classes without jobs.
    pub fn open(wanted: &Wanted, progress: Progress<'_>) -> Result<Self, FarmError> {
        let first = wanted.files.first().ok_or_else(|| FarmError::File {
            file: "nothing".to_owned(),
            what: "no file was named".to_owned(),
        })?;
        let kind = if first.is_dir() { Kind::Accounting } else { kind_of(first)? };
        let mut case = match kind {
            Kind::Scenario => Self::of_scenario(first, wanted)?,
            Kind::Settings => Self::of_settings(first, wanted)?,
            Kind::LsfTables => Self::of_lsf_tables(wanted)?,
            _ => Self::of_history(wanted, progress)?,
        };
        case.title = title(&wanted.files);
        case.finish(wanted)?;
        Ok(case)
    }

    /// A snapshot's running and queued jobs, from its "now" on.
    ///
    /// # Errors
    /// Classes without jobs.
    pub fn of_snapshot(snapshot: &Snapshot, wanted: &Wanted) -> Result<Self, FarmError> {
        let (workload, notes) = from_now(snapshot, &wanted.criterion);
        let by = wanted.criterion.to_string();
        let mut case = Self { title: snapshot.title.to_string(), workload, by, ..Self::default() };
        case.why = format!("from now, {}, on: what runs and what waits", snapshot.now.0);
        case.note(notes.in_parts, "jobs of several chunks or vnodes, taken as one part each");
        case.note(notes.endless, "jobs without a walltime, which count as endless");
        case.note(notes.overdue, "running jobs that should have ended, and end now");
        case.note(notes.away, "nodes down or offline, which take no jobs");
        case.note(notes.without_slots, "waiting jobs left out that ask for no cpu");
        let many =
            "waiting jobs left out that have more than 50000 parts, or that make more than 1000000 in all";
        case.note(notes.too_many_parts, many);
        let from = case.workload.from;
        case.window = Some(Window { from, to: from.saturating_add(case.about_until_done().clamp(600, DAY)) });
        case.finish(wanted)?;
        Ok(case)
    }

    fn of_scenario(file: &Path, wanted: &Wanted) -> Result<Self, FarmError> {
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

    fn of_settings(file: &Path, wanted: &Wanted) -> Result<Self, FarmError> {
        let name = file.display().to_string();
        let text = String::from_utf8_lossy(&read(file)?).into_owned();
        let mut settings = Settings::parse(&name, &text)?;
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

    fn of_lsf_tables(wanted: &Wanted) -> Result<Self, FarmError> {
        let texts: Result<Vec<String>, FarmError> = wanted
            .files
            .iter()
            .map(|file| read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
            .collect();
        let (workload, notes) = from_tables(&title(&wanted.files), &texts?, &wanted.criterion)?;
        let by = wanted.criterion.to_string();
        let why = "from now on: what runs and what waits by the tables of LSF".to_owned();
        let mut case =
            Self { workload, by, why, window: Some(Window { from: 0, to: DAY }), ..Self::default() };
        if !case.workload.classes.is_empty() {
            case.notes.push("how long jobs run is in no table of LSF: they count as endless".to_owned());
        }
        case.note(notes.away, "hosts that take no jobs");
        case.note(notes.without_limit, "hosts without a limit of slots, taken to have those in use");
        case.note(notes.skipped, "lines of the tables that are no rows");
        Ok(case)
    }

    fn of_history(wanted: &Wanted, progress: Progress<'_>) -> Result<Self, FarmError> {
        let mut history = read_history(&wanted.files, &wanted.criterion, wanted.ids, progress)?;
        if let Some(criterion) = other_criterion(wanted, &history, progress)? {
            let names = wanted.pack.join(", ");
            if wanted.is_criterion_named {
                let what = format!("no such class by {}; it is one by --class {criterion}", wanted.criterion);
                return Err(FarmError::Scenario { place: format!("--pack {names}"), what });
            }
            let note = format!(
                "{names}: found by {criterion}, so that jobs fall into classes by it (--class {criterion})"
            );
            let wanted = Wanted { criterion, is_criterion_named: true, ..wanted.clone() };
            let mut case = Self::of_history(&wanted, progress)?;
            case.notes.insert(0, note);
            return Ok(case);
        }
        let nodes = nodes_of(&history, wanted)?;
        let workload = history.workload(nodes)?;
        let mut case = Self { workload, by: wanted.criterion.to_string(), ..Self::default() };
        let notes = history.notes.clone();
        case.broken = notes.broken;
        case.problems = notes.listed;
        case.note(notes.over_vnodes, "jobs that ran on several vnodes, taken as one part on each");
        case.note(notes.split, "jobs larger than any node, taken apart into nodes");
        case.note(notes.reruns, "attempts that were rerun, simulated as jobs since they held their slots");
        case.note(notes.lost, "attempts left out, since another one followed and their end is not recorded");
        case.note(notes.unfinished, "jobs that started and have no end, taken to run to the end of the log, at most for their walltime");
        case.note(notes.unplaced, "jobs left out that never ran or held no slot");
        case.note(notes.parts, "parts of jobs left out, since the whole job has a line of its own");
        case.note(notes.arrays, "records of whole arrays, which hold no slots");
        case.note(notes.suspended, "suspensions, in which the slots count as held");
        let inherits = "jobs that arrive when they started, since the file does not hold when they were submitted (the \
                        replay inherits what the scheduler of that time decided)";
        case.note(notes.without_arrival, inherits);
        if wanted.nodes.is_none() && history.is_placed() {
            case.notes
                .push("nodes are as large as the most slots that were in use on each at once".to_owned());
        }
        if wanted.nodes.is_none()
            && !history.is_placed()
            && let Some((nodes, slots)) = history.stated
        {
            case.notes.push(format!("nodes as in the head of the trace: {slots} processors on {nodes}"));
        }
        case.note_gaps(&history.gaps);
        case.window = history.span.map(|(from, to)| Window { from, to });
        if wanted.nodes.is_some() && history.is_placed() {
            case.notes.push(
                "what really ran is left out: it ran on the nodes of the log, and --nodes names others"
                    .to_owned(),
            );
        }
        let is_as_it_was = wanted.nodes.is_none() && history.is_placed();
        case.history = is_as_it_was.then_some(history);
        Ok(case)
    }

    /// Names the first gaps of a log.
    fn note_gaps(&mut self, gaps: &[(Name, Name)]) {
        for (before, after) in gaps.iter().take(GAPS_NAMED) {
            self.notes.push(format!("no record of the log from {before} to {after}"));
        }
        self.note(gaps.len().saturating_sub(GAPS_NAMED) as u64, "more gaps of over a day in the log");
    }

    fn note(&mut self, count: u64, what: &str) {
        if count > 0 {
            self.notes.push(format!("{what}: {count}"));
        }
    }

    fn finish(&mut self, wanted: &Wanted) -> Result<(), FarmError> {
        self.workload.check()?;
        self.arrivals = self.workload.arrivals();
        if let Some(text) = &wanted.window {
            let arrivals = || self.workload.arrival_window().unwrap_or_default();
            let whole = self.window.unwrap_or_else(|| {
                let (from, to) = arrivals();
                Window { from, to }
            });
            self.window = Some(window::parse(text, whole)?);
        }
        if !wanted.pack.is_empty() {
            self.packing.clear();
        }
        for name in &wanted.pack {
            let class = self.workload.class_named(name).ok_or_else(|| FarmError::Scenario {
                place: format!("--pack {name}"),
                what: format!("no such class; there are {}", self.class_list()),
            })?;
            self.packing.push(class);
        }
        if self.packing.is_empty()
            && let Some(class) = self.largest_minority()
        {
            self.packing.push(class);
            let name = &self.workload.classes[class];
            self.notes
                .push(format!("{name} packs, the largest class below half of the work; --pack names others"));
        }
        self.packing.sort_unstable();
        self.packing.dedup();
        Ok(())
    }

    fn class_list(&self) -> String {
        let mut by_work: Vec<_> = self.work_by_class().into_iter().enumerate().collect();
        by_work.sort_by_key(|(_, work)| std::cmp::Reverse(*work));
        let name = |(at, _): &(usize, u128)| self.workload.classes.checked(ClassNo::at(*at)).cloned();
        let names: Vec<_> = by_work.iter().take(12).filter_map(name).collect();
        let more = by_work.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        names.join(", ") + &more
    }

    /// Slot seconds by class.
    pub fn work_by_class(&self) -> Vec<u128> {
        let mut work = vec![0u128; self.workload.classes.len()];
        for job in &self.workload.jobs {
            if let Some(sum) = work.get_mut(job.class.ix()) {
                *sum += u128::from(job.slots) * u128::from(job.run);
            }
        }
        work
    }

    /// About how long it takes from now until all is done: the longest job after all others have had every slot.
    fn about_until_done(&self) -> i64 {
        let ends = self.workload.residents.iter().map(|job| job.end.saturating_sub(self.workload.from));
        let runs = self.workload.jobs.iter().map(|job| i64::from(job.run));
        let work: u128 = self.work_by_class().iter().sum();
        let queued = work / u128::from(self.workload.total_slots().max(1));
        ends.chain(runs).max().unwrap_or(0).saturating_add(i64::try_from(queued).unwrap_or(i64::MAX))
    }

    /// The class with most work, if another one or several have more together.
    fn largest_minority(&self) -> Option<ClassNo> {
        let work = self.work_by_class();
        let all: u128 = work.iter().sum();
        let small = work.iter().enumerate().filter(|(_, work)| **work > 0 && **work * 2 < all);
        small.max_by_key(|(at, work)| (**work, std::cmp::Reverse(*at))).map(|(at, _)| ClassNo::at(at))
    }
}

/// The criterion by which the classes to pack are found, where it is not the one in force.
fn other_criterion(
    wanted: &Wanted,
    history: &History,
    progress: Progress<'_>,
) -> Result<Option<Criterion>, FarmError> {
    let has_all = |history: &History| {
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

/// The nodes that are asked for, else those that the file knows.
fn nodes_of(history: &History, wanted: &Wanted) -> Result<Vec<FarmNode>, FarmError> {
    if let Some(text) = &wanted.nodes {
        return Ok(NodesSpec::parse(text)?.nodes());
    }
    if history.is_placed() {
        return Ok(history.seen_nodes());
    }
    let stated = history.stated.and_then(|(nodes, slots)| NodesSpec::shared(slots, nodes));
    stated
        .map(|nodes| nodes.nodes())
        .ok_or_else(|| FarmError::File { file: title(&wanted.files), what: Unplaced.to_string() })
}

fn title(files: &[PathBuf]) -> String {
    let name = |path: &PathBuf| {
        path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
    };
    match files {
        [] => String::new(),
        [only] => name(only),
        [first, .., last] => format!("{} … {}", name(first), name(last)),
    }
}

fn read(file: &Path) -> Result<Vec<u8>, FarmError> {
    use std::io::Read;
    let fail = |what: String| FarmError::File { file: file.display().to_string(), what };
    let most = Most { limit: "file-size", bytes: LARGEST };
    let bytes = input::read(file, most).map_err(|error| fail(error.to_string()))?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        let decoder = flate2::read::MultiGzDecoder::new(bytes.as_slice());
        decoder.take(LARGEST).read_to_end(&mut unpacked).map_err(|error| fail(error.to_string()))?;
        return Ok(unpacked);
    }
    Ok(bytes)
}
