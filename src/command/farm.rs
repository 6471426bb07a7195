//! `qscope farm`: packing policies on an operator's own history, or on any other work.

mod answer;
pub(super) mod files;
mod words;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_planning::farm::policy::whole_seconds;
use qscope_planning::farm::policy_file::PolicyFile;
use qscope_planning::farm::run::run_real;
use qscope_planning::farm::{Anchor, Ask, Case, ClassNo, Criterion, FarmRun, Options, Policy, Wanted, run};

use qscope_console::theme::ColorFlag;
use qscope_console::{DisplayOptions, open_files};

use super::cli::{FolderArgs, Reading};
use super::meter::StatusLine;
use super::{open, output};

/// What `farm` takes.
#[derive(Args, Clone, Debug)]
pub(super) struct FarmArgs {
    /// Accounting logs (or the folder that holds them), an SWF trace, rows of `start end queue`, a scenario, settings for
    /// made-up work, or a folder of dumps.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The policies: relaxed, exclusive, none, plain, mixed, ttl:SECONDS, ttl:inf; several by commas.
    #[arg(long, value_delimiter = ',', value_name = "POLICY")]
    pub policy: Vec<String>,
    /// Lifetimes of a hold to try, as 300, 1h or inf; several by commas.
    #[arg(long, value_delimiter = ',', value_name = "TIME")]
    pub ttl: Vec<String>,
    /// By what jobs fall into classes: queue, group, user, project, partition, name:PATTERN, resource:NAME.
    /// The default is queue, or what the classes of --pack are found by.
    #[arg(long, value_name = "CRITERION")]
    pub class: Option<String>,
    /// The classes that pack; several by commas.
    #[arg(long, value_delimiter = ',', value_name = "CLASS")]
    pub pack: Vec<String>,
    /// A policy for each class, for `--policy mixed`: atlas=exclusive,cms=ttl:3600.
    #[arg(long, value_delimiter = ',', value_name = "CLASS=POLICY")]
    pub mixed: Vec<String>,
    /// The nodes, as 800x8 or 10x64,5x128; without it what the file states.
    #[arg(long, value_name = "COUNTxSLOTS")]
    pub nodes: Option<String>,
    /// The window of all means, as 1d..3d or 50%..100% of the arrivals.
    #[arg(long, value_name = "FROM..TO")]
    pub window: Option<String>,
    /// Which of several scenarios in one file.
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Another seed for made-up work.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Another load for made-up work.
    #[arg(long)]
    pub load: Option<f64>,
    /// Let a hold's lifetime count from the first job of the class on the node: it is not renewed.
    #[arg(long)]
    pub anchor_first: bool,
    /// Let a job take the fullest of its own nodes, not the least loaded.
    #[arg(long)]
    pub fullest_first: bool,
    /// Let the first job that cannot start stop all behind it.
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
    /// Look at it in the terminal: charts, the farm node by node, a slider for lifetimes.
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
    pub reading: Reading,
}

/// Classes times jobs for which a series of all classes is kept.
const MAX_CELLS: usize = 20_000_000;

/// Runs what is asked for, and answers.
///
/// # Errors
/// Bad input, or an output that cannot be written.
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
    let asks = asks(args, &case)?;
    let began = Instant::now();
    let whole = args.json || args.csv.is_some();
    // With very many classes a series of all of them would not fit into memory: then of those that pack.
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
        let simulated: Vec<&FarmRun> = runs.iter().filter(|run| run.ask.name != "real").collect();
        let timing = args.timing.then_some((read, took));
        output::print_json_line(&answer::FarmJson::of(&case, &runs, &simulated, timing))?;
    } else {
        let text = words::summary(&case, &runs, args.timing.then_some((read, took)));
        output::print(&text)?;
    }
    Ok(0)
}

/// Writes the policy that was simulated, one for all classes that pack or one for each.
fn write_policy(path: &Path, args: &FarmArgs, case: &Case) -> Result<()> {
    let by = args.class.as_deref();
    let file = if args.mixed.is_empty() {
        let names: Vec<String> =
            args.policy.iter().cloned().chain(args.ttl.iter().map(|ttl| format!("ttl:{ttl}"))).collect();
        let [name] = names.as_slice() else {
            return Err(eyre!(
                "--write-policy: expected one policy, as --policy relaxed or --ttl 1h; or --mixed"
            ));
        };
        PolicyFile::for_packing(case, by, Policy::parse(name)?)?
    } else {
        let one = |text: &String| {
            let (class, policy) =
                text.split_once('=').ok_or_else(|| eyre!("--mixed {text}: expected CLASS=POLICY"))?;
            Ok((class.to_owned(), Policy::parse(policy)?))
        };
        PolicyFile::of(case, by, args.mixed.iter().map(one).collect::<Result<Vec<_>>>()?)?
    };
    files::draft::whole_at(path, &file.write())
}

/// The lifetime at which the slider of the view begins; the other policies are always in it.
fn lifetime(args: &FarmArgs) -> Result<Option<i64>> {
    let names = args.policy.iter().cloned().chain(args.ttl.iter().map(|ttl| format!("ttl:{ttl}")));
    let mut lifetime = None;
    for name in names {
        if name == "mixed" {
            return Err(eyre!(
                "--view: shows one policy for all classes that pack, so not `mixed`; leave --view out"
            ));
        }
        match Policy::parse(&name)? {
            Policy::Ttl(seconds) => lifetime = Some(seconds),
            _ if name.starts_with("ttl") => lifetime = Some(i64::MAX),
            _ => {}
        }
    }
    Ok(lifetime)
}

/// What is to be read.
fn wanted(args: &FarmArgs) -> Result<Wanted> {
    Ok(Wanted {
        files: args.files.clone(),
        criterion: args.class.as_deref().map(Criterion::parse).transpose()?.unwrap_or_default(),
        is_criterion_named: args.class.is_some(),
        pack: args.pack.clone(),
        nodes: args.nodes.clone(),
        scenario: args.scenario.clone(),
        ids: args.json || args.csv.is_some(),
        seed: args.seed,
        load: args.load,
        window: args.window.clone(),
        options: options(args)?,
    })
}

/// Reads the work.
fn case(args: &FarmArgs) -> Result<Case> {
    let wanted = wanted(args)?;
    if let [folder] = args.files.as_slice()
        && is_dumps(folder)
    {
        let at = FolderArgs { paths: vec![folder.clone()], json: args.json, reading: args.reading.clone() };
        let snapshot = open::snapshot(&at.paths, &at.reading)?;
        let warnings = output::warnings(&snapshot);
        if !warnings.is_blank() {
            output::complain(&warnings);
        }
        return Ok(Case::of_snapshot(&snapshot, &wanted)?);
    }
    let meter = ReadingMeter::new();
    let case = Case::open(&wanted, &mut |read, total| {
        meter.show(read, total);
        true
    });
    meter.line.clear();
    Ok(case?)
}

/// Whether a folder holds what a cluster's clients print, and not logs.
fn is_dumps(folder: &std::path::Path) -> bool {
    // What is there and cannot be read is reported by its reader.
    ["nodes.json", "nodes.txt", "nodes.toml"].iter().any(|name| folder.join(name).symlink_metadata().is_ok())
}

/// The runs that are asked for, in order.
fn asks(args: &FarmArgs, case: &Case) -> Result<Vec<Ask>> {
    let mut names: Vec<String> = args.policy.clone();
    names.extend(args.ttl.iter().map(|ttl| format!("ttl:{ttl}")));
    if !args.mixed.is_empty() && !names.iter().any(|name| name == "mixed") {
        names.push("mixed".to_owned());
    }
    if names.is_empty() {
        let defaults: &[&str] =
            if args.json { &["relaxed"] } else { &["relaxed", "ttl:1h", "exclusive", "none"] };
        names = defaults.iter().map(|name| (*name).to_owned()).collect();
    }
    names.iter().map(|name| ask(args, case, name)).collect()
}

/// What is done otherwise than the rules.
fn options(args: &FarmArgs) -> Result<Options> {
    let every = |flag: &str, text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => match whole_seconds(text) {
            Some(seconds) if seconds > 0 => Ok(Some(seconds)),
            _ => Err(eyre!("--{flag}: expected a time as 15 or 1m, found `{text}`")),
        },
    };
    Ok(Options {
        anchor: if args.anchor_first { Anchor::First } else { Anchor::Last },
        fullest_first: args.fullest_first,
        fifo: args.fifo,
        cycle: every("cycle", &args.cycle)?,
        publish: every("publish", &args.publish)?,
    })
}

fn ask(args: &FarmArgs, case: &Case, name: &str) -> Result<Ask> {
    let mut ask = if name == "mixed" {
        Ask::mixed(&case.workload, &mixed(args, case)?)
    } else {
        let mut ask = Ask::same(&case.workload, &case.packing, Policy::parse(name)?);
        ask.name = if name.ends_with("inf") { "ttl:inf".to_owned() } else { ask.name };
        ask
    };
    ask.options = options(args)?;
    ask.window = case.window;
    Ok(ask)
}

/// The policy of each class, from the arguments or from the scenario.
fn mixed(args: &FarmArgs, case: &Case) -> Result<Vec<(ClassNo, Policy)>> {
    if args.mixed.is_empty() {
        if case.mixed.is_empty() {
            return Err(eyre!(
                "--policy mixed: name the policy of each class, as --mixed atlas=exclusive,cms=ttl:1h"
            ));
        }
        return Ok(case.mixed.clone());
    }
    let one = |text: &String| {
        let (name, policy) =
            text.split_once('=').ok_or_else(|| eyre!("--mixed {text}: expected CLASS=POLICY"))?;
        let class = case.workload.class_named(name).ok_or_else(|| eyre!("--mixed: no class `{name}`"))?;
        Ok((class, Policy::parse(policy)?))
    };
    args.mixed.iter().map(one).collect()
}

/// Progress of long readings.
struct ReadingMeter {
    line: StatusLine,
    began: Instant,
}

impl ReadingMeter {
    fn new() -> Self {
        Self { line: StatusLine::new(), began: Instant::now() }
    }

    fn show(&self, read: u64, total: u64) {
        if self.began.elapsed().as_millis() < 300 || total == 0 {
            return;
        }
        let percent = (read.min(total) * 100 / total) as usize;
        let bar: String = (0..25).map(|cell| if cell * 4 < percent { '#' } else { '.' }).collect();
        self.line.draw(&format!("reading [{bar}] {percent:3} % of {} MB", total >> 20));
    }
}
