//! `qscope farm`: packing policies on an operator's own history, or on any other workload.

mod answer;
pub(super) mod files;
mod requested_runs;
mod text;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_console::theme::ColorFlag;
use qscope_console::{DisplayOptions, open_files};
use qscope_planning::farm::policy_file::PolicyFile;
use qscope_planning::farm::run::run_real;
use qscope_planning::farm::{ClassNo, FarmCase, FarmPolicy, FarmRun, run};

use super::arguments::InputArgs;
use super::meter::StatusLine;
use super::{open, output};
use requested_runs::{lifetime, requested_runs, wanted};

pub(super) use requested_runs::class_policy;

/// Maximum product of classes and jobs for which a series of all classes is kept.
const MAX_CELLS: usize = 20_000_000;

/// Runs what is requested, and prints the answer.
pub(super) fn run_farm(args: &FarmArgs) -> Result<u8> {
    if args.view {
        if let Some(folder) = args.files.iter().find(|path| is_dumps(path)) {
            let folder = folder.display();
            return Err(eyre!(
                "{folder}: is a cluster; open it with `qscope {folder}`, packing is one of its views"
            ));
        }
        let looks = DisplayOptions {
            color: ColorFlag::Auto,
            config: qscope_source::config::Config::default(),
            ascii: false,
            mouse: true,
        };
        return Ok(open_files(wanted(args)?, lifetime(args)?, &looks)?);
    }
    let began = Instant::now();
    let case = case(args)?;
    let read = began.elapsed();
    let asks = requested_runs(args, &case)?;
    let began = Instant::now();
    let whole = args.json || args.csv.is_some();
    // With very many classes a series of all of them would not fit into memory: only those of the packing classes are
    // kept.
    let many = case.workload.classes.len().saturating_mul(case.workload.jobs.len()) > MAX_CELLS;
    let kept: Vec<ClassNo> = if many { case.packing.clone() } else { case.workload.classes.ids().collect() };
    let mut runs = Vec::new();
    if let Some(history) = &case.history {
        let window = asks.first().and_then(|ask| ask.window);
        let kept = args.csv.is_some().then(|| kept.clone());
        runs.push(run_real(history, &case.workload, window, kept, || true)?);
    }
    for mut ask in asks {
        ask.keep = whole.then(|| kept.clone());
        runs.push(run(&case.workload, &case.arrivals, ask, || true)?);
    }
    let took = began.elapsed();
    if let Some(path) = &args.write_policy {
        write_policy(path, args, &case)?;
    }
    if let Some(folder) = &args.csv {
        files::write_all(folder, &case, &runs)?;
    }
    if args.json {
        let simulated: Vec<&FarmRun> = runs.iter().filter(|run| run.options.name != "real").collect();
        let timing = args.timing.then_some((read, took));
        output::print_json_line(&answer::FarmJson::of(&case, &runs, &simulated, timing))?;
    } else {
        let text = text::summary(&case, &runs, args.timing.then_some((read, took)));
        output::print(&text)?;
    }
    Ok(0)
}

/// Writes the simulated policy: one for all classes that pack, or one for each.
fn write_policy(path: &Path, args: &FarmArgs, case: &FarmCase) -> Result<()> {
    let by = args.class.as_deref();
    let file = if args.mixed.is_empty() {
        let names = args.policies();
        let [name] = names.as_slice() else {
            return Err(eyre!(
                "--write-policy: expected one policy, as --policy relaxed or --ttl 1h; or --mixed"
            ));
        };
        PolicyFile::for_packing(case, by, FarmPolicy::parse(name)?)?
    } else {
        let mixed = args.mixed.iter().map(|text| class_policy("--mixed", text));
        PolicyFile::of(case, by, mixed.collect::<Result<Vec<_>>>()?)?
    };
    files::draft::write_atomically_at(path, &file.write())
}

/// Reads the workload.
fn case(args: &FarmArgs) -> Result<FarmCase> {
    let wanted = wanted(args)?;
    if let [folder] = args.files.as_slice()
        && is_dumps(folder)
    {
        let snapshot = open::snapshot(std::slice::from_ref(folder), &args.reading)?;
        let warnings = output::warnings(&snapshot);
        if !warnings.is_blank() {
            output::print_notes(&warnings);
        }
        return Ok(FarmCase::of_snapshot(&snapshot, &wanted)?);
    }
    let meter = ReadingMeter::new();
    let case = FarmCase::open(&wanted, &mut |read, total| {
        meter.show(read, total);
        true
    });
    meter.line.clear();
    Ok(case?)
}

/// Returns whether a folder holds what a cluster's clients print, not logs.
fn is_dumps(folder: &Path) -> bool {
    // A file that exists but cannot be read is reported by its reader.
    ["nodes.json", "nodes.txt", "nodes.toml"].iter().any(|name| folder.join(name).symlink_metadata().is_ok())
}

/// Progress of long readings.
struct ReadingMeter {
    line: StatusLine,
    started_at: Instant,
}

impl ReadingMeter {
    fn new() -> Self {
        Self { line: StatusLine::new(), started_at: Instant::now() }
    }

    fn show(&self, read: u64, total: u64) {
        if self.started_at.elapsed().as_millis() < 300 || total == 0 {
            return;
        }
        let percent = (read.min(total) * 100 / total) as usize;
        let bar: String = (0..25).map(|cell| if cell * 4 < percent { '#' } else { '.' }).collect();
        self.line.draw(&format!("reading [{bar}] {percent:3} % of {} MB", total >> 20));
    }
}

/// The arguments of `farm`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example: qscope farm accounting/ --class group --pack atlas --policy relaxed,exclusive"
)]
pub(super) struct FarmArgs {
    /// Accounting logs (or the folder that holds them), an SWF trace, rows of `start end queue`, a scenario, settings
    /// for a generated workload, or a folder of dumps.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The policies: relaxed, exclusive, none, plain, mixed, ttl:SECONDS, ttl:inf (comma-separated).
    #[arg(long, value_delimiter = ',', value_name = "POLICY")]
    pub policy: Vec<String>,
    /// Lifetimes of a hold to try, as 300, 1h or inf (comma-separated).
    #[arg(long, value_delimiter = ',', value_name = "TIME")]
    pub ttl: Vec<String>,
    /// How jobs fall into classes: queue, group, user, project, partition, name:PATTERN, resource:NAME. The default
    /// is queue, or the criterion by which the classes of --pack are found.
    #[arg(long, value_name = "CRITERION")]
    pub class: Option<String>,
    /// The classes that pack (comma-separated).
    #[arg(long, value_delimiter = ',', value_name = "CLASS")]
    pub pack: Vec<String>,
    /// A policy for each class, for `--policy mixed`: atlas=exclusive,cms=ttl:3600.
    #[arg(long, value_delimiter = ',', value_name = "CLASS=POLICY")]
    pub mixed: Vec<String>,
    /// The nodes, as 800x8 or 10x64,5x128; by default those the file states.
    #[arg(long, value_name = "COUNTxSLOTS")]
    pub nodes: Option<String>,
    /// The window of all means, as 1d..3d or 50%..100% of the arrivals.
    #[arg(long, value_name = "FROM..TO")]
    pub window: Option<String>,
    /// Which of several scenarios in one file.
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Another seed for a generated workload.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Another load for a generated workload.
    #[arg(long)]
    pub load: Option<f64>,
    /// Count a hold's lifetime from the first job of the class on the node; it is not extended by later jobs.
    #[arg(long)]
    pub anchor_first: bool,
    /// Let a job take the fullest of its own nodes, not the least loaded.
    #[arg(long)]
    pub fullest_first: bool,
    /// Let the first job that cannot start block all jobs after it.
    #[arg(long)]
    pub fifo: bool,
    /// Start jobs only at multiples of this time.
    #[arg(long, value_name = "TIME")]
    pub cycle: Option<String>,
    /// Let jobs see the classes on nodes as of the last multiple of this time.
    #[arg(long, value_name = "TIME")]
    pub publish: Option<String>,
    /// Write job tables, series and the summary into this folder.
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// Write the policies of the classes that pack into a file that `elim` and `esub` read.
    #[arg(long, value_name = "FILE")]
    pub write_policy: Option<PathBuf>,
    /// Open the terminal view: charts, the farm node by node, a slider for lifetimes.
    #[arg(long, conflicts_with_all = ["json", "csv", "mixed", "timing"])]
    pub view: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Add how long reading and simulating took.
    #[arg(long)]
    pub timing: bool,
    /// How to read a folder of dumps.
    #[command(flatten)]
    pub reading: InputArgs,
}

impl FarmArgs {
    /// Returns the named policies, then those of the lifetimes.
    fn policies(&self) -> Vec<String> {
        self.policy.iter().cloned().chain(self.ttl.iter().map(|ttl| format!("ttl:{ttl}"))).collect()
    }
}
