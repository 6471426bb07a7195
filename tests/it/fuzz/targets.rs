//! The fuzz targets: each reader, each small language, and the chain after the readers.

use std::path::PathBuf;

use qscope::cluster::{
    Catalogue, Epoch, ExecVnode, Formula, GroupSortKey, JobSortKey, NodeSortKey, Place, ResourceType, Select,
    Value, parse_duration,
};
use qscope::source::{Files, LoadOptions, ReadLimits, gather, load};

use super::chain;
use super::corpus::Seeds::{self, Any, Named, Texts};

/// A target that takes bytes.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) seeds: Seeds,
    pub(crate) run: fn(&[u8]),
}

macro_rules! targets {
    ($($name:literal $seeds:expr => $run:expr;)+) => {
        pub(crate) const TARGETS: &[Target] = &[$(Target { name: $name, seeds: $seeds, run: $run }),+];
    };
}

targets! {
    // Readers, each given the bytes as its file.
    "nodes-json" Named("nodes", ".json") => |bytes| file("nodes.json", bytes);
    "jobs-json" Named("jobs", ".json") => |bytes| file("jobs.json", bytes);
    "queues-json" Named("queues", ".json") => |bytes| file("queues.json", bytes);
    "server-json" Named("server", ".json") => |bytes| file("server.json", bytes);
    "nodes-text" Named("nodes", ".txt") => |bytes| file("nodes.txt", bytes);
    "jobs-text" Named("jobs", ".txt") => |bytes| file("jobs.txt", bytes);
    "queues-text" Named("queues", ".txt") => |bytes| file("queues.txt", bytes);
    "server-text" Named("server", ".txt") => |bytes| file("server.txt", bytes);
    "scheduler-text" Named("sched", ".txt") => |bytes| file("sched.txt", bytes);
    "reservations" Named("resvs", "") => |bytes| file("resvs.txt", bytes);
    "resources" Named("resources", ".txt") => |bytes| file("resources.txt", bytes);
    "sched-config" Named("sched_config", "") => |bytes| file("sched_config", bytes);
    "holidays" Named("holidays", "") => |bytes| file("holidays", bytes);
    "dedicated-time" Named("dedicated", "") => |bytes| file("dedicated_time", bytes);
    "resource-group" Named("resource_group", "") => |bytes| file("resource_group", bytes);
    "usage" Named("usage", "") => |bytes| file("usage", bytes);
    "fair-share" Named("fairshare", "") => |bytes| file("fairshare.txt", bytes);
    "maui-cfg" Named("maui", "") => |bytes| file("maui.cfg", bytes);
    "elim" Texts(&["n1 2 group:a 1 group:b 3\n"]) => |bytes| file("elim.txt", bytes);
    "clock" Named("now", "") => |bytes| file("now", bytes);
    "gathered" Any => gathered;
    "archive" Any => archive;
    "accounting" Named("2026", "") => accounting;
    "swf" Texts(&["; UnixStartTime: 0\n1 1 0 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n"]) => swf;
    "lsb-acct" Named("lsb", "") => lsb_acct;
    "traces" Any => trace;
    "sched-log" Named("2026", "") => sched_log;
    "theme" Named("", ".toml") => |bytes| theme(&text(bytes));
    "config" Texts(CONFIG) => |bytes| config(&text(bytes));
    "shapes" Texts(&["cores,memory,count\n1,2e9,3\n", "[{\"cores\": 1, \"memory\": 2, \"wall_time\": 3}]"]) => shapes;
    "node-types" Texts(&["[[type]]\nname = \"a\"\ncores = 4\nmemory = 8e9\nmax = 3\n"]) => node_types;
    "farm-policy" Texts(&["[class]\na = \"relaxed\"\n[policy]\nb = \"ttl:60\"\n"]) => farm_policy;
    "farm-scenario" Texts(&[include_str!("../../../samples/packing/2-onset.json")]) => farm_scenario;
    "arrivals" Named("arrivals", ".json") => arrivals;

    // Small languages.
    "select" Texts(SELECTS) => select;
    "place" Texts(&["free", "scatter:excl:group=host", "pack:shared"]) => |bytes| drop(Place::parse(&text(bytes)));
    "exec-vnode" Texts(&["(n1:ncpus=1:mem=5kb+n2[0]:ncpus=2)+(n3:ncpus=1)"]) => |bytes| drop(ExecVnode::parse(&text(bytes)));
    "formula" Texts(&["ncpus*walltime", "queue_priority+5*sqrt(job_priority)/2**3", "ncpus if walltime > 3 else 2"]) => formula;
    "priority-function" Texts(&["PRIORITY + 100*PREF - 2.5*JOBCOUNT", "-APROCS/3"]) => |bytes| drop(qscope::policies::PriorityFormula::parse(&text(bytes)));
    "sort-keys" Texts(&["ncpus HIGH unused", "node_rank LOW", "sort_priority HIGH assigned"]) => sort_keys;
    "filter" Texts(&["user:ann path:node wait", "walltime>2h and not (verdict=run or ncpus>=64)", "name~a*"]) => filter;
    "settings" Texts(SETTINGS) => settings;
    "duration" Texts(&["1h30m", "01:30:00", "90", "2d", "1.5e3"]) => duration;
    "amounts" Texts(&["16gb", "1024", "-5", "1e10", "True", "a,b", "5kw", "1.5"]) => amounts;
    "key" Texts(&["ctrl-c", "shift-F5", "alt-enter", "x"]) => |bytes| drop(text(bytes).parse::<qscope::console::key::Key>());
    "condition" Texts(&["queue.workq.waiting > 5", "mean_wait < 2h"]) => |bytes| drop(qscope::simulate::SimulationCondition::parse(&text(bytes)));

    // From bytes to a screen.
    "chain-nodes" Named("nodes", ".json") => |bytes| chain::with("nodes.json", bytes);
    "chain-jobs" Named("jobs", ".json") => |bytes| chain::with("jobs.json", bytes);
    "chain-jobs-text" Named("jobs", ".txt") => |bytes| chain::with("jobs.txt", bytes);
    "chain-queues" Named("queues", ".json") => |bytes| chain::with("queues.json", bytes);
    "chain-server" Named("server", ".json") => |bytes| chain::with("server.json", bytes);
    "chain-scheduler" Named("sched_config", "") => |bytes| chain::with("sched_config", bytes);
    "chain-maui" Named("maui", "") => |bytes| chain::with("maui.cfg", bytes);
    "chain-by-hand" Named("", ".toml") => |bytes| chain::alone("nodes.toml", bytes);
}

const CONFIG: &[&str] = &[
    "theme = \"mono\"\nascii = true\nmouse = false\nbreakpoints = [\"verdict=never\"]\n[keys]\nstep-forward = [\"n\", \".\"]\n[columns]\njobs = [\"+project\", \"-user\"]\n[sort]\nnodes = \"-ncpus\"\n[filters]\nbig = \"ncpus>=64\"\n",
];
const SELECTS: &[&str] = &[
    "1:ncpus=4:mem=8gb",
    "2:ncpus=1:host=n1+3:ncpus=2:ngpus=1+ncpus=1",
    "4:ncpus=8:mpiprocs=2:ompthreads=4:arch=\"linux\"",
];
const SETTINGS: &[&str] = &[
    "strict_ordering=True",
    "queue.workq.started=False",
    "node.n[1-4].state=offline",
    "job.12.Resource_List.walltime=1:00:00",
    "policy=FASTEST@group",
    "add_nodes.ncpus=16:mem=64gb=3",
    "at=+2h",
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads one file next to a small dump of vnodes.
fn file(name: &str, bytes: &[u8]) {
    let mut files = Files::new("fuzz");
    let node = "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 8\n\n";
    if !name.starts_with("nodes") {
        files.insert("nodes.txt", node, Some(Epoch(5)));
    }
    files.insert(name, bytes, Some(Epoch(5)));
    let _read = load(&files, &LoadOptions::in_zone("UTC"));
}

/// Reads bytes of unknown content, as from a pipe.
fn gathered(bytes: &[u8]) {
    let files = gather(&[PathBuf::from("-")], &mut &*bytes, ReadLimits::default());
    let _read = files.map(|files| load(&files, &LoadOptions::in_zone("UTC")));
}

/// Reads the bytes inside an archive, whose header is damaged by the same bytes.
fn archive(bytes: &[u8]) {
    let mut to = tar::Builder::new(Vec::new());
    for name in ["pbsnodes_va.out", "qstat_f.out"] {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        to.append_data(&mut header, format!("pbs_diag_260302_110512/{name}"), bytes).unwrap();
    }
    let mut tar = to.into_inner().unwrap();
    gathered(&tar);
    for (at, byte) in bytes.iter().enumerate().take(40) {
        if let Some(place) = tar.get_mut((at * 13 + usize::from(*byte)) % 512) {
            *place ^= byte;
        }
    }
    gathered(&tar);
}

fn accounting(bytes: &[u8]) {
    let zone = jiff::tz::TimeZone::UTC;
    for line in text(bytes).lines() {
        let Ok(record) = qscope::source::accounting::AccountingRecord::parse(line) else { continue };
        let _all = (record.seconds("resources_used.walltime"), record.moment(), record.moment_in(&zone));
        let _slots = (record.slots(), record.exec_vnode(), record.submit(5), record.is_array_parent());
    }
}

fn swf(bytes: &[u8]) {
    for line in text(bytes).lines() {
        let _read = qscope::farm::trace::swf::parse(line);
    }
}

fn lsb_acct(bytes: &[u8]) {
    let _read: Vec<_> =
        bytes.split(|byte| *byte == b'\n').map(qscope::farm::trace::lsf::read_finished_job).collect();
}

/// Reads a trace of any kind and runs the farm on it.
fn trace(bytes: &[u8]) {
    use std::io::Write;
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let criterion = qscope::farm::Criterion::parse("group").unwrap();
    let history =
        qscope::farm::trace::read_history(&[file.path().to_owned()], &criterion, true, &mut |_, _| true);
    if let Ok(mut history) = history {
        let nodes = history.seen_nodes();
        let _jobs = history.workload(nodes);
    }
}

fn sched_log(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("sched_logs");
    std::fs::create_dir(&logs).unwrap();
    std::fs::write(logs.join("20260302"), bytes).unwrap();
    let _cycle = qscope::source::sched_log::cycle_since(&logs, "UTC", Epoch(1_772_400_000));
    let _alarms = qscope::source::sched_log::alarms_of_folder(&logs, "UTC");
}

fn theme(text: &str) {
    use qscope::console::theme::{ColorDepth, GlyphSet, Theme, ThemeOptions};
    let _theme =
        Theme::from_toml("fuzz", text, ThemeOptions { depth: ColorDepth::True, glyphs: GlyphSet::Unicode });
}

fn config(text: &str) {
    let mut config = qscope::source::config::Config::default();
    config.add_text("/etc/qscope/config.toml".as_ref(), text);
    let _keys = qscope::console::keymap::Keymap::configured(&config);
}

fn shapes(bytes: &[u8]) {
    let text = text(bytes);
    let _list = qscope::capacity::shape_list::ShapeList::read(&text);
    let _problem = qscope::capacity::entry::read_text(&text);
}

fn node_types(bytes: &[u8]) {
    let _types = qscope::capacity::types_file::read(&text(bytes));
}

fn farm_policy(bytes: &[u8]) {
    if let Ok(file) = qscope::farm::policy_file::PolicyFile::read(&text(bytes)) {
        let _written = file.write();
    }
}

fn farm_scenario(bytes: &[u8]) {
    let _read = qscope::farm::Scenario::parse("fuzz", bytes, None);
}

fn arrivals(bytes: &[u8]) {
    let _read = qscope::simulate::arrivals::ArrivalsFile::read(bytes, "fuzz");
}

fn select(bytes: &[u8]) {
    let text = text(bytes);
    let _old = qscope::source::old_style(&[("ncpus", &text), ("host", &text)], &Catalogue::default());
    if let Ok(select) = Select::parse(&text) {
        let _sums = (select.total_chunks(), select.sums(&Catalogue::default()));
    }
}

fn formula(bytes: &[u8]) {
    if let Ok(formula) = Formula::parse(&text(bytes)) {
        let _value = (formula.names().len(), formula.evaluate(&|name| Some(name.len() as f64)));
        let _terms = formula.evaluate_terms(&|_| None);
    }
}

fn sort_keys(bytes: &[u8]) {
    let text = text(bytes);
    let _keys = (JobSortKey::parse(&text), NodeSortKey::parse(&text), GroupSortKey::parse(&text));
}

fn filter(bytes: &[u8]) {
    use qscope::session::records::{job_fields, node_fields};
    let (text, catalogue) = (text(bytes), Catalogue::default());
    let _jobs = qscope::query::Query::parse(&text, &job_fields(&catalogue));
    let _nodes = qscope::query::Query::parse(&text, &node_fields(&catalogue));
}

fn settings(bytes: &[u8]) {
    let snap = load(&Files::built_in(), &LoadOptions::in_zone("UTC")).unwrap();
    let text = text(bytes);
    let _known = qscope::source::complete(&text, &snap);
    if let Ok(applied) = qscope::session::apply(&[text], &snap) {
        let _run = qscope::cycle::run_cycle(applied.snapshot.into(), qscope::universe::Quirks::default());
    }
}

fn duration(bytes: &[u8]) {
    let text = text(bytes);
    let _read = parse_duration(&text).map(qscope::cluster::show_duration);
    let _seconds = qscope::cluster::Seconds::parse(&text);
}

fn amounts(bytes: &[u8]) {
    let text = text(bytes);
    for kind in [
        ResourceType::Long,
        ResourceType::Float,
        ResourceType::Size,
        ResourceType::Boolean,
        ResourceType::Text,
        ResourceType::TextArray,
    ] {
        if let Ok(value) = Value::parse(kind, &text) {
            let _shown = format!("{value:?}");
        }
    }
}
