//! The computations for a page, and their answers.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::bucket_names::BucketNames;
use crate::survey::QueueSurvey;
use crate::task::Computation;
use crate::widgets::text::width;
use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Run;
use qscope_engine::universe::NodeUse;
use qscope_explain::{
    AnswerLine, AnswerSection, AnswerTopic, ExplainedJob, Explanation, Forecast, ForecastProgress, JobTurn,
    LineKind, LineStatement, Remedy, RemedySearchEvent, Tier, TriedChanges, WaitReason, blocked_jobs,
    blocked_jobs_section, blockers_section, causes, comment_lines, estimate_section, find_blockers, forecast,
    funnels, node_sections, node_title, on_node, sections, short_text, tried_changes, waiting_name_of, why,
    why_node, why_not_here,
};

use super::WhyTarget;
use super::stop_map::stop_map;
use qscope_session::as_read::settings_named;
use qscope_session::problems;
use qscope_session::{Generation, IntervalCoverage, LogHistory, StartPercentiles};
use qscope_source::as_read::SettingLocation;

/// The part of the answer that is known first.
#[derive(Debug, Clone)]
pub(super) struct FirstAnswer {
    pub(super) sections: Vec<AnswerSection>,
    pub(super) tier: Option<Tier>,
    /// The title, if it is more than the question.
    pub(super) title: Option<String>,
}

/// The task of the first answer: for a job the causes, the nodes, the comment, the decision; for a node why it takes
/// nothing.
pub(super) fn cause_task(
    run: Arc<Run>,
    target: WhyTarget,
    survey: Option<QueueSurvey>,
    generation: Option<Arc<Generation>>,
) -> Computation<FirstAnswer> {
    Computation::new("why", move |_| {
        Some(match &target {
            WhyTarget::Job(job) => about_job(&run, job, survey.as_ref())?,
            WhyTarget::Node { node, job } => about_node(&run, generation.as_deref(), node, job.as_deref()),
        })
    })
}

/// The first answer for a job, narrowed for a subjob that is not in the dump. A job's reason is passed on to the survey
/// of the queue.
fn about_job(run: &Arc<Run>, name: &str, survey: Option<&QueueSurvey>) -> Option<FirstAnswer> {
    let job = run.plan.snap.job_meant(name)?;
    let mut answer = why(run, job);
    answer.narrow_to_subjob(run, name);
    let turn = answer.tier().and_then(|_| JobTurn::for_named(run, job, name));
    let is_itself = *run.plan.job(job).name == *name;
    if let Some(survey) = survey.filter(|_| is_itself) {
        let found = ExplainedJob::new(run, job, &answer.causes, turn.as_ref());
        found.into_iter().for_each(|found| survey.add_explanation(found));
    }
    let funnels = turn.map(|mut turn| funnels(&mut turn)).unwrap_or_default();
    let names = BucketNames::of(&run.end);
    let mut sections = sections(&answer, &funnels, |name| names.full_name(name));
    let would = answer.outcome.as_ref().and_then(|outcome| outcome.rejection.as_ref());
    let would = would.map(|rejection| rejection.comment(&run.plan.snap.catalogue));
    put_cause_into_title(&mut sections, &answer);
    put_rule_into_title(&mut sections, &answer);
    comment_below_verdict(&mut sections, comment_lines(&answer, would.as_deref().map(str::trim_end)));
    leave_out_what_stands_below(&mut sections, &answer, !funnels.is_empty());
    sections.extend(funnels.iter().find_map(|funnel| stop_map(&run.end, funnel)));
    Some(FirstAnswer { sections, tier: answer.tier(), title: None })
}

/// The section of the verdict, which is the first line.
fn verdict_of(sections: &mut [AnswerSection]) -> Option<&mut AnswerSection> {
    sections.iter_mut().find(|section| section.topic == AnswerTopic::Verdict)
}

/// The first line answers: where the reason has no numbers, it has the cause.
fn put_cause_into_title(sections: &mut [AnswerSection], answer: &Explanation) {
    let Some((verdict, reason)) = verdict_of(sections).zip(WaitReason::of(&answer.causes)) else { return };
    verdict.title = answer.as_certain(reason.headline_of_cause());
    // Of a reason in few words the sentence has more, as it may have where it is not that of the cause.
    let cause = answer.causes.first().filter(|cause| cause.brief.is_none());
    if reason.measure.is_none() && cause.is_some_and(|cause| cause.sentence == answer.headline) {
        let is_cause = |line: &&mut AnswerLine| {
            line.kind == LineKind::Sentence && line.statement == LineStatement::Cause(0)
        };
        if let Some(line) = verdict.lines.iter_mut().find(is_cause) {
            line.statement = LineStatement::InTitle;
        }
    }
}

/// Columns that a title with its rule has on the narrowest screen.
const SHORT_TITLE: usize = 70;

/// A short first line also has the id of the rule, which then needs no line of its own.
fn put_rule_into_title(sections: &mut [AnswerSection], answer: &Explanation) {
    let Some((verdict, rule)) = verdict_of(sections).zip(answer.rule) else { return };
    let title = format!("{} · rule {}", verdict.title, rule.id);
    if width(&title) <= SHORT_TITLE {
        verdict.title = title;
        let lines = verdict.lines.iter_mut().filter(|line| line.statement == LineStatement::Rule);
        lines.for_each(|line| line.statement = LineStatement::InTitle);
    }
}

/// Puts the comment of PBS below the verdict, after what else must change first (console.md 6, Why); if there is no
/// comment yet, the one that PBS would write.
fn comment_below_verdict(sections: &mut Vec<AnswerSection>, comment: Vec<AnswerLine>) {
    sections.retain(|section| section.topic != AnswerTopic::Comment);
    let Some(verdict) = verdict_of(sections) else { return };
    let behind = verdict.lines.iter().take_while(|line| line.statement == LineStatement::Banner).count();
    verdict.lines.splice(behind..behind, comment);
}

/// Drops what is stated twice: the nodes missing for whole-node jobs are in the funnel below; of many assumptions only
/// the first are named; conditions that all nodes pass are omitted.
fn leave_out_what_stands_below(sections: &mut [AnswerSection], answer: &Explanation, has_funnel: bool) {
    for nodes in sections.iter_mut().filter(|section| section.topic == AnswerTopic::Nodes) {
        nodes.lines.retain(|line| line.statement != LineStatement::NoLoss);
    }
    let Some(verdict) = verdict_of(sections) else { return };
    if let Some(few) = short_text(&answer.rests_on) {
        let lines = verdict.lines.iter_mut().filter(|line| line.statement == LineStatement::RestsOn);
        lines.for_each(|line| line.text.clone_from(&few));
    }
    let stands_below = answer.causes.first().is_some_and(|cause| cause.kind == "not-exclusive");
    if has_funnel && stands_below {
        verdict.lines.retain(|line| line.statement != LineStatement::Cause(0));
    }
}

fn about_node(run: &Arc<Run>, generation: Option<&Generation>, node: &str, job: Option<&str>) -> FirstAnswer {
    let snap = &run.plan.snap;
    let mut answer = FirstAnswer { sections: Vec::new(), tier: None, title: None };
    let Some(id) = run.plan.node_named(node) else { return answer };
    let mut story = why_node(run, id);
    let is_known = |job: &str| snap.job_named(job).is_some();
    let problems = generation.map(|generation| problems::about_node(generation, &is_known, node));
    story.fixes = problems.into_iter().flatten().filter_map(|problem| Some(problem.fix?.words)).collect();
    // The problems of the node come first, the selected job last (console.md 6, Why).
    answer.sections = node_sections(run, &story);
    if let Some(job) = job.and_then(|job| snap.job_named(job))
        && let Some(mut turn) = JobTurn::new(run, job)
    {
        let (name, parts) = (run.plan.job(job).short_name(), why_not_here(&mut turn, id));
        answer.sections.push(on_node(name, node, &parts));
        answer.title = Some(node_title(&story, &waiting_name_of(run, &snap.jobs[job].name), &parts));
    } else if let Some(used @ (NodeUse::Free | NodeUse::Part)) = story.node_use {
        answer.title = Some(format!("{node}: {} after this cycle", used.word()));
    }
    answer
}

/// The task that finds where the settings named in the causes are set, by reading the files again.
pub(super) fn settings_task(generation: Arc<Generation>, job: JobId) -> Computation<Vec<SettingLocation>> {
    Computation::new("where settings stand", move |_| {
        let answer = why(&generation.run, job);
        let queue = &generation.snapshot.jobs[job].queue;
        Some(settings_named(&generation, queue, &answer.causes, &answer.banners))
    })
}

/// The task of what blocks the job.
pub(super) fn blockers_task(run: Arc<Run>, job: JobId) -> Computation<Option<AnswerSection>> {
    Computation::new("what blocks it", move |_| {
        let way = JobTurn::new(&run, job).map(|turn| find_blockers(&turn, &causes(&run, job)));
        Some(way.and_then(|blame| blockers_section(&run.plan.snap, &blame)))
    })
}

/// The task of when the job starts, with what the answer states of it; `ahead` receives the progress of the forecast.
pub(super) fn start_task(
    run: Arc<Run>,
    job: JobId,
    ahead: Arc<Mutex<Option<ForecastProgress>>>,
) -> Computation<(Forecast, AnswerSection)> {
    Computation::new("when it starts", move |progress| {
        let found = forecast(&run, job, &mut |at| {
            *ahead.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
            continue_if(progress.at(u64::from(at.cycles), 0))
        });
        // A forecast cancelled halfway has nothing beyond its progress.
        let found = found.filter(|_| !progress.is_cancelled())?;
        let section = estimate_section(&run.plan.snap, &found);
        Some((found, section))
    })
}

/// Number of changes tried so far, and those that work.
#[derive(Debug, Clone, Default)]
pub(super) struct TriedSoFar {
    pub(super) tried: u32,
    pub(super) works: Vec<Remedy>,
}

/// The task of what would help; `found` receives the changes tried so far. A cancelled search leaves it to the next
/// one.
pub(super) fn remedies_task(
    run: Arc<Run>,
    job: JobId,
    found: Arc<Mutex<TriedSoFar>>,
) -> Computation<TriedChanges> {
    Computation::new("what would help", move |progress| {
        *found.lock().unwrap_or_else(PoisonError::into_inner) = TriedSoFar::default();
        let help = tried_changes(&run, job, &mut |event| {
            let tried = {
                let mut known = found.lock().unwrap_or_else(PoisonError::into_inner);
                // Checked under the lock: once the next search has cleared it, this one is known to be cancelled.
                if progress.is_cancelled() {
                    return ControlFlow::Break(());
                }
                match event {
                    RemedySearchEvent::Tried(tried) => known.tried = tried,
                    RemedySearchEvent::Found(remedy) => known.works.push(remedy.clone()),
                }
                known.tried
            };
            continue_if(progress.at(u64::from(tried), 0))
        });
        (!progress.is_cancelled()).then_some(help)
    })
}

/// The task of the waiting jobs that name a job as their reason.
pub(super) fn blocked_jobs_task(run: Arc<Run>, job: JobId) -> Computation<Option<AnswerSection>> {
    Computation::new("which jobs name it", move |progress| {
        let found = blocked_jobs(&run, job, &|| !progress.is_cancelled());
        (!progress.is_cancelled()).then(|| blocked_jobs_section(&run, job, &found))
    })
}

/// The distribution of the start, and how accurate such statements were in the past; or why there is none.
pub(super) type SpreadResult = Result<(StartPercentiles, Option<IntervalCoverage>), String>;

/// Number of runs done, of all runs, and whether they belong to the back-test.
#[derive(Debug, Default)]
pub(super) struct RunCount {
    pub(super) done: AtomicU64,
    pub(super) all: AtomicU64,
    pub(super) is_back_test: AtomicBool,
}

/// Time between two reports of the progress of the runs.
const REPORT: Duration = Duration::from_millis(20);

/// The task of the distribution of the start over many runs; `runs` receives the progress.
pub(super) fn spread_task(
    run: Arc<Run>,
    job: JobId,
    history: Arc<LogHistory>,
    runs: Arc<RunCount>,
) -> Computation<SpreadResult> {
    Computation::new("when it starts, over many runs", move |progress| {
        let ended = AtomicBool::new(false);
        let snap = &run.plan.snap;
        let counted = |done: u64, all: u64| {
            runs.done.store(done, Ordering::Relaxed);
            runs.all.store(all, Ordering::Relaxed);
            !ended.load(Ordering::Relaxed)
        };
        runs.is_back_test.store(false, Ordering::Relaxed);
        let compute = || -> Result<Option<(StartPercentiles, Option<IntervalCoverage>)>, String> {
            let Some(spread) = history.start_percentiles(snap, &snap.jobs[job].name, &counted)? else {
                return Ok(None);
            };
            runs.is_back_test.store(true, Ordering::Relaxed);
            let held = history.interval_coverage(&counted)?;
            Ok(if ended.load(Ordering::Relaxed) { None } else { Some((spread, held)) })
        };
        // The runs have their own threads; this one reports their progress, and stops them.
        std::thread::scope(|scope| {
            let working = scope.spawn(compute);
            while !working.is_finished() {
                std::thread::park_timeout(REPORT);
                let (done, all) = (runs.done.load(Ordering::Relaxed), runs.all.load(Ordering::Relaxed));
                if !progress.at(done, all) {
                    ended.store(true, Ordering::Relaxed);
                }
            }
            match working.join() {
                Ok(found) => found.transpose(),
                Err(_) => Some(Err("the runs broke off".to_owned())),
            }
        })
    })
}

fn continue_if(wanted: bool) -> ControlFlow<()> {
    if wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}
