//! The whole chain: files become a cluster, a cycle runs over it, and every question about it is answered.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use qscope::capacity::question::CapacityQuestion;
use qscope::capacity::report::CapacityReport;
use qscope::console::action::Action;
use qscope::cycle::Debugger;
use qscope::explain::{BucketMap, JobTurn, as_markdown, as_text, board, funnels, sections, why, why_node};
use qscope::session::{Generation, NoVerdictReason, Opening, OpeningOrigin, generation_of};
use qscope::share::report::{Report, html, markdown};
use qscope::source::{Files, LoadOptions};

use crate::console_cycle::Stage;
use crate::hostile::harmless;

fn opening() -> Opening {
    Opening { load: LoadOptions::in_zone("UTC"), ..Opening::of(OpeningOrigin::Files(Vec::<PathBuf>::new())) }
}

/// Returns the dumps of a small cluster in which jobs run, wait and are preempted.
fn base() -> Files {
    static ALL: OnceLock<Files> = OnceLock::new();
    let folder = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/preemption/checkpointed-back");
    ALL.get_or_init(|| {
        let mut files = Files::new("fuzz");
        for entry in std::fs::read_dir(folder()).unwrap().map(Result::unwrap) {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != "sched.txt" {
                files.insert(&name, std::fs::read(entry.path()).unwrap(), None);
            }
        }
        files
    })
    .clone()
}

/// Reads the bytes in place of one file of the cluster, and asks every question.
pub(crate) fn with(name: &str, bytes: &[u8]) {
    let mut files = base();
    files.insert(name, bytes, None);
    let Ok(generation) = generation_of(&opening(), &files, 1) else { return };
    ask(Arc::new(generation));
}

/// Reads the bytes alone, as a hand-written cluster.
pub(crate) fn alone(name: &str, bytes: &[u8]) {
    let mut files = Files::new("fuzz");
    files.insert(name, bytes, None);
    let Ok(generation) = generation_of(&opening(), &files, 1) else { return };
    ask(Arc::new(generation));
}

/// Reads a folder, and asks every question that it can answer.
pub(crate) fn ask_about(folder: &Path) {
    let files = Files::from_folder(folder).unwrap();
    let Ok(generation) = generation_of(&opening(), &files, 1) else { return };
    let run = Arc::clone(&generation.run);
    if NoVerdictReason::of(&generation.snapshot, generation.as_pbs).is_none() {
        let _order = qscope::advice::order::queue_order(&run);
        let _findings = qscope::advice::lint::lint(&run, &files);
        let _bundle = qscope::share::bundle::bundle(&run, true);
        let start = Debugger::new(run.clone());
        let _lie = qscope::explain::fragmentation(start.state(), &[1, 2]);
    }
    ask(Arc::new(generation));
}

fn ask(generation: Arc<Generation>) {
    let (run, snap) = (Arc::clone(&generation.run), generation.snapshot.clone());
    if NoVerdictReason::of(&snap, generation.as_pbs).is_none() {
        for (id, _) in snap.jobs.enumerate().take(4) {
            let mut turn = JobTurn::new(&run, id);
            let funnels = turn.as_mut().map(funnels).unwrap_or_default();
            let page = sections(&why(&run, id), &funnels, str::to_owned);
            harmless("why", as_text(&page, 100, Some(100)).as_str());
            harmless("why in Markdown", as_markdown(&page).as_str());
        }
        for (id, _) in snap.nodes.enumerate().take(2) {
            let _story = why_node(&run, id);
        }
        let board = board(&run);
        let report = Report::new(&run, &generation.alerts, &board);
        harmless("a page", html(&report).as_str());
        harmless("a page in Markdown", markdown(&report).as_str());
        let metrics = qscope::share::metrics::metrics(&generation, &board, 1_763_700_000);
        harmless("metrics", metrics.as_str());
        let mut debugger = Debugger::new(run.clone());
        debugger.seek(run.steps.len());
        let _map = BucketMap::of(&debugger.snapshot_state(), None);
    }
    if let Ok(report) = CapacityReport::new(snap.clone(), &CapacityQuestion::default()) {
        let _victims = report.victims(4);
    }
    let mut stage = Stage::empty(80, 24, snap.now);
    stage.load(generation);
    harmless("the screen", &stage.see());
    stage.act(&[Action::StepForward, Action::StepInto]);
    harmless("the screen", &stage.see());
}
