//! The facts of a job: its problems first, then its request, its result, and its place in the order.

use super::answers::ObjectAnswer;
use super::order::{moves_ahead_rows, order};
use super::rows::PageRow;
use super::{MoveSearch, same_request};
use crate::theme::Role;
use crate::views::{Object, ViewContext};
use crate::wording;
use qscope_advice::order::OrderComparison;
use qscope_engine::cluster::{ExecVnode, Job, JobId, JobState, ResourceId, Seconds, short_id};
use qscope_engine::cycle::fairshare::entity_of;
use qscope_engine::cycle::{Outcome, Run, Step, Verdict};
use qscope_engine::universe::Bit;
use qscope_explain::ChunkFits;
use qscope_explain::words::considered;
use qscope_session::agreement::AgreementClass;
use qscope_session::fairshare::{percent_words, usage_words};
use qscope_session::problems::{Problem, about_job};
use qscope_session::query::QueryRecord;
use qscope_session::records::JobRecord;
use qscope_source::as_read::SettingLocation;

/// Maximum number of chunks of a select that are listed.
const MAX_CHUNKS: usize = 6;

pub(super) fn problems(found: &[Problem]) -> Vec<PageRow> {
    let mut rows = Vec::new();
    for problem in found {
        let role = if problem.is_grave { Role::Error } else { Role::Warning };
        rows.push(PageRow::fact("problem", problem.sentence.clone()).in_role(role));
        if let Some(fix) = &problem.fix {
            rows.push(PageRow::fact("fix", fix.words.clone()));
        }
    }
    rows
}

/// The facts of a job, with what a worker found about it.
pub(super) fn of_job(
    cx: ViewContext<'_>,
    name: &str,
    found: Option<&ObjectAnswer>,
    moves: &MoveSearch,
) -> Vec<PageRow> {
    let snap = cx.snapshot();
    let Some(id) = cx.job_named(name) else { return vec![PageRow::text("not in this snapshot")] };
    let job = &snap.jobs[id];
    let between = found.and_then(|found| found.order.as_ref());
    let mut rows = problems(&about_job(cx.generation(), &|job| cx.job_named(job).is_some(), name));
    rows.push(PageRow::fact("asks", asks(cx, id)));
    rows.extend(total(cx, id).map(|text| PageRow::fact("total", text)));
    rows.push(PageRow::fact("queue", &*job.queue).to(Object::Queue(job.queue.to_string())));
    rows.extend(share(cx, job, between));
    if let Some(at) = job.queued.or(job.created) {
        let clock = wording::clock(snap, at);
        let (ago, eligible) = (wording::duration(snap.now - at), wording::duration(job.eligible_time));
        let text = format!("{clock} · {ago} ago · eligible {eligible}");
        // A running job no longer waits.
        rows.push(match job.state {
            JobState::Running => PageRow::fact("submitted", text),
            _ => PageRow::fact("waits", format!("submitted {text}")),
        });
    }
    rows.extend(suspended(job));
    match qscope_explain::decided_with_array(cx.run(), id) {
        Some(outcome) => {
            rows.extend((outcome.job != id).then(|| array(cx, outcome.job)));
            rows.extend(decided(cx, id, outcome, found.map_or(&[], |found| &found.settings)));
        }
        None => rows.extend(running(cx, id)),
    }
    match &job.comment {
        Some(comment) => rows.push(PageRow::fact("PBS", comment.clone())),
        None if !cx.run().runs_before(id) => rows.push(PageRow::fact("PBS", "no comment yet")),
        None => {}
    }
    rows.extend(differs(cx, name));
    rows.extend(found.into_iter().flat_map(|found| &found.chunks).take(MAX_CHUNKS).map(fits));
    rows.extend(order(between, job));
    rows.extend(between.into_iter().flat_map(|pair| moves_ahead_rows(pair, moves)));
    rows.extend(found.into_iter().flat_map(|found| same_request::same_request(cx, &found.same)));
    rows.extend(found.into_iter().flat_map(|found| same_request::history(cx, &found.states)));
    rows
}

/// That a job is suspended, and where it may resume.
fn suspended(job: &Job) -> Option<PageRow> {
    let by = match job.state {
        JobState::Suspended => "",
        JobState::UserSuspended => "by a user; ",
        _ => return None,
    };
    let parts = job.exec_vnode.iter().flat_map(ExecVnode::parts);
    let nodes = wording::compact(parts.map(|part| &*part.vnode));
    let place = if nodes.is_empty() { String::new() } else { format!(", on {nodes}") };
    Some(PageRow::fact("suspended", format!("{by}resumes only where it was{place}")).in_role(Role::Warning))
}

/// How many nodes hold a chunk; a chunk that fits nowhere is why the job can never run.
fn fits(chunk: &ChunkFits) -> PageRow {
    let text = format!("{} × {} {}", chunk.requested, chunk.chunk, chunk.words());
    let role = if chunk.is_never() { Role::VerdictNever } else { Role::Text };
    PageRow::fact("chunk", text).in_role(role)
}

/// The modelled comment, if it differs from that of PBS.
fn differs(cx: ViewContext<'_>, name: &str) -> Option<PageRow> {
    let found = cx.generation().agreement.as_ref()?.jobs(cx.run()).iter().find(|job| *job.name == *name)?;
    let modelled =
        found.comment.modelled.as_ref().filter(|_| found.comment.class == AgreementClass::Different)?;
    Some(PageRow::fact("differs", format!("the model gives: {modelled}")).in_role(Role::Warning))
}

/// The fair share entity of the job, and its usage when the cycle began, if usage orders jobs.
fn share(cx: ViewContext<'_>, job: &Job, comparison: Option<&OrderComparison>) -> Option<PageRow> {
    if !cx.run().setup.order.fair_share {
        return None;
    }
    let name = entity_of(job, &cx.snapshot().policy.fairshare.entity)?;
    let which = comparison.map(|found| if found.first == *job.name { "first" } else { "second" });
    let used = comparison.and_then(|found| found.shares.iter().rfind(|row| Some(row.job) == which));
    let used = used.map_or_else(String::new, |row| {
        let share = percent_words(row.percentage);
        format!(
            " · used {}, has {share} of the tree · usage/share {}",
            usage_words(row.usage),
            row.burden_words()
        )
    });
    Some(PageRow::fact("share", format!("{name}{used}")).to(Object::Entity(name.to_string())))
}

/// The total of the request, in amounts and core-hours.
fn total(cx: ViewContext<'_>, id: JobId) -> Option<String> {
    let (job, catalogue) = (&cx.snapshot().jobs[id], &cx.snapshot().catalogue);
    let ncpus = job.requested.amount(ResourceId::ncpus())?;
    let ncpus = ncpus.show(catalogue.kind(ResourceId::ncpus()));
    let chunks = job.select.as_ref().map_or(0, qscope_engine::cluster::Select::total_chunks);
    let subjobs = job.array.as_ref().filter(|array| array.is_parent).map_or(1, |array| array.remaining.len());
    // An array asks for the request of a subjob once for each that is left.
    let (each, of_all) = match subjobs {
        0 | 1 => ("", String::new()),
        all => (" each", format!(" for {all} subjobs")),
    };
    let hours = match qscope_explain::core_hours(job) {
        few if few > 0.0 && few < 0.05 => "<0.1".to_owned(),
        hours => crate::views::cycle::overview::hours(hours),
    };
    let assumed = match job.requested.amount(ResourceId::walltime()) {
        Some(_) => "",
        None => ", as if it ran 1h00",
    };
    let chunks = wording::count(chunks, "chunk");
    Some(format!("{ncpus} ncpus in {chunks}{each} · {hours} core-hours{of_all}{assumed}"))
}

fn asks(cx: ViewContext<'_>, id: JobId) -> String {
    let job = &cx.snapshot().jobs[id];
    let record = match cx.run().outcome(id) {
        Some(outcome) => JobRecord::of(cx.run(), outcome),
        None => JobRecord::running(cx.run(), id),
    };
    let fact = |name: &str| record.fact(name).map(|fact| fact.to_string());
    let select = job.select.as_ref().map(|select| wording::select_words_within(select, "×", MAX_CHUNKS));
    let mut parts = vec![select.unwrap_or_else(|| "an unreadable select".to_owned())];
    parts.extend(job.place.as_ref().map(|place| format!("place {place}")));
    let length = cx.plan().requests[id].as_ref().ok().map(|request| request.duration);
    let given = length.map(|length| match length < Seconds::UNLIMITED {
        true => wording::duration(length),
        false => "no walltime".to_owned(),
    });
    parts.extend(given.or_else(|| fact("walltime")));
    parts.join(" · ")
}

/// The array of a waiting subjob, whose outcome the page shows.
fn array(cx: ViewContext<'_>, id: JobId) -> PageRow {
    let name = wording::waiting_name(cx.run(), id);
    PageRow::fact("array", format!("considered as {name}")).to(Object::of_job(id, cx.snapshot()))
}

/// Why a job waits: the reason, the places of the settings that keep it waiting, and the rule.
fn stopped(cx: ViewContext<'_>, outcome: &Outcome, settings: &[SettingLocation]) -> Vec<PageRow> {
    let run = cx.run();
    let role = wording::verdict_role(run.verdict(outcome));
    let mut rows = Vec::new();
    if let Some(reason) = cx.reason(outcome) {
        let measure = reason.measure.as_ref().map_or_else(String::new, |found| format!(": {}", found.text));
        let guess = wording::guess(&reason);
        rows.push(PageRow::fact("reason", format!("{guess}{}{measure}", reason.name)).in_role(role));
        if reason.measure.is_none() && !reason.sentence.is_empty() {
            let first = wording::found_first(&reason);
            rows.push(PageRow::fact("", if reason.analysed { reason.sentence } else { first }));
        }
    }
    if !settings.is_empty() {
        let places: Vec<String> = settings.iter().map(SettingLocation::words).collect();
        rows.push(PageRow::fact("set at", places.join(" · ")));
    }
    if let Some(rule) = run.stop_rule(outcome) {
        rows.push(PageRow::fact("rule", format!("{}: {}", rule.id(), rule.sentence())));
    }
    rows
}

/// The decision about a job, with the places of the settings that keep it waiting; for a subjob that waits that about its
/// array.
fn decided(cx: ViewContext<'_>, id: JobId, outcome: &Outcome, settings: &[SettingLocation]) -> Vec<PageRow> {
    let (run, snap) = (cx.run(), cx.snapshot());
    let mut rows = stopped(cx, outcome, settings);
    let verdict = run.verdict(outcome);
    let role = wording::verdict_role(verdict);
    if cx.is_likely(outcome.job) {
        let text = "likely: it could turn with a fact that no file shows · a: which";
        rows.push(PageRow::fact("verdict", text).in_role(Role::Warning));
    }
    let first_of = |nodes: &[Bit]| nodes.first().map(|bit| run.plan.node_name(*bit).to_string());
    let linked = |row: PageRow, nodes: &[Bit]| match first_of(nodes) {
        Some(node) => row.to(Object::Node(node)),
        None => row,
    };
    if verdict == Verdict::Run {
        let nodes = outcome.placed.as_ref().map(|placed| placed.allocation.nodes()).unwrap_or_default();
        let row = PageRow::fact("starts", format!("now on {}", wording::reason(run, outcome))).in_role(role);
        rows.push(linked(row, &nodes));
    }
    if let Some(top) = &outcome.estimate {
        let nodes = top.allocation.nodes();
        let names = wording::node_list(&run.plan, &nodes);
        let text = format!("{} on {names} · top job", wording::clock(snap, top.start));
        rows.push(linked(PageRow::fact("starts", text).in_role(role), &nodes));
    }
    // The page of a subjob is about that one alone.
    if outcome.job == id {
        let so_far = started(cx, outcome);
        let name = if so_far.is_some() { "then" } else { "starts" };
        rows.extend(so_far);
        let waits = verdict != Verdict::Run && outcome.estimate.is_none();
        let at = cx.screen.start_of(id).filter(|_| waits);
        rows.extend(at.map(|at| PageRow::fact(name, wording::start_forecast_text(snap, at)).in_role(role)));
    }
    if let Some(choice) = outcome.would_use {
        let text =
            format!("{} path · rule {}: {}", choice.path.word(), choice.rule.id(), choice.rule.sentence());
        rows.push(PageRow::fact("path", text));
    }
    if let Some(order) = outcome.order {
        rows.push(PageRow::fact("order", place_in_order(run, outcome, order)));
    }
    for (victim, _) in &outcome.victims {
        let name = run.plan.job(*victim).name.to_string();
        rows.push(PageRow::fact("preempts", short_id(&name).to_owned()).to(Object::Job(name)));
    }
    rows
}

/// The place of a job among those considered, and its step if arrays or reconsidered jobs make the numbers differ.
fn place_in_order(run: &Run, outcome: &Outcome, order: u32) -> String {
    let place = format!("{order} of {}", considered(run));
    let is_it = |step: &&Step| (step.outcome.job, step.outcome.subjob) == (outcome.job, outcome.subjob);
    let steps = run.steps.len();
    match run.steps.iter().enumerate().rfind(|(_, step)| is_it(step)) {
        Some((at, _)) if steps > run.considered => format!("{place} · step {} of {steps}", at + 1),
        _ => place,
    }
}

/// The subjobs of an array that start in this cycle while others of it wait, and where.
fn started(cx: ViewContext<'_>, outcome: &Outcome) -> Option<PageRow> {
    let (run, snap) = (cx.run(), cx.snapshot());
    if outcome.subjob.is_some() {
        return None;
    }
    let of_it = |other: &&Outcome| other.job == outcome.job && other.subjob.is_some();
    let starts: Vec<&Outcome> = run.starts().filter(of_it).collect();
    let names: Vec<String> = starts.iter().map(|other| short_id(&other.name(snap)).to_owned()).collect();
    let placed = starts.iter().filter_map(|other| other.placed.as_ref());
    let mut nodes: Vec<Bit> = placed.flat_map(|placed| placed.allocation.nodes()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let first = nodes.first()?;
    let names = wording::folded_within(names.iter().map(String::as_str), 30);
    let text = format!("{names} now on {}", wording::node_list(&run.plan, &nodes));
    let row = PageRow::fact("starts", text).in_role(wording::verdict_role(Verdict::Run));
    Some(row.to(Object::Node(run.plan.node_name(*first).to_string())))
}

fn running(cx: ViewContext<'_>, id: JobId) -> Vec<PageRow> {
    let record = JobRecord::running(cx.run(), id);
    let snap = cx.snapshot();
    let mut rows = Vec::new();
    if let Some(at) = snap.jobs[id].started {
        let measure = record.measure().map_or_else(String::new, |found| format!(" · {}", found.text));
        rows.push(PageRow::fact("runs", format!("since {}{measure}", wording::clock(snap, at))));
    }
    if let Some(qscope_session::query::FieldValue::Texts(names)) = record.fact("node") {
        let nodes = wording::compact(names.iter().map(|name| &**name));
        let row = PageRow::fact("nodes", nodes);
        rows.push(match names.first() {
            Some(first) => row.to(Object::Node(first.to_string())),
            None => row,
        });
    }
    rows
}
