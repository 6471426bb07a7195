//! `[[job]]`.

mod array;
mod running;

pub(super) use self::array::link_subjobs;

use rustc_hash::FxHashSet;

use super::clock::TomlClock;
use super::node::NodeNameIndex;
use super::request::{add_sums, sched_select, select_of};
use super::table::{TomlTable, put};
use super::values;
use crate::attributes::rows;
use crate::job::ATTRIBUTES;
use crate::torque::extension;
use qscope_engine::cluster::did_you_mean;
use qscope_engine::cluster::{
    Amount, ChunkDefaults, Epoch, Job, JobState, Name, Place, Queue, ResourceId, Select, Severity, Snapshot,
    StartEstimate, Substate, Value,
};

/// Allocation policies that a job may request.
const POLICIES: [&str; 9] = [
    "FIRSTAVAILABLE",
    "LASTAVAILABLE",
    "PRIORITY",
    "CPULOAD",
    "MINRESOURCE",
    "CONTIGUOUS",
    "MAXBALANCE",
    "FASTEST",
    "LOCAL",
];

/// Names of these in later systems.
const LATER_NAMES: [&str; 8] = [
    "INREPORTEDORDER",
    "INREVERSEREPORTEDORDER",
    "CUSTOMPRIORITY",
    "PROCESSORLOAD",
    "MINIMUMCONFIGUREDRESOURCES",
    "PROCESSORSPEEDBALANCE",
    "NODESPEED",
    "PLUGIN",
];

/// State needed to read jobs.
pub(super) struct JobContext<'a> {
    pub(super) snap: &'a mut Snapshot,
    pub(super) clock: &'a TomlClock,
    pub(super) index: &'a NodeNameIndex,
    pub(super) seen: FxHashSet<Name>,
}

/// Reads one `[[job]]`, and puts it on its nodes if it runs.
pub(super) fn read(mut table: TomlTable<'_>, cx: &mut JobContext<'_>) {
    let Some(name) = table.required("id", "a job needs an `id`") else { return };
    table.call(&name);
    if !cx.seen.insert(name.clone()) {
        table.report_at_key("id", format!("there are two jobs called `{name}`"));
    }
    let mut job = Job {
        title: format!("job{name}").into(),
        name,
        user: "user".into(),
        group: "users".into(),
        project: "_pbs_project_default".into(),
        rerunable: true,
        checkpointable: true,
        ..Job::default()
    };
    rows::read_toml(ATTRIBUTES, &mut job, &mut table, &mut cx.snap.catalogue);
    job.owner = job.user.clone();
    let digits: String = job.name.chars().take_while(char::is_ascii_digit).collect();
    job.sequence = digits.parse().unwrap_or_default();
    read_queue(&mut table, &mut job, cx);
    read_request(&mut table, &mut job, cx);
    read_state(&mut table, &mut job, cx.clock);
    read_times(&mut table, &mut job, cx);
    array::read(&mut table, &mut job);
    read_rest(&mut table, &mut job, cx.clock);
    running::start(&table, &mut job, cx);
    cx.snap.jobs.push(job);
    table.finish();
}

/// Reads the queue: the one named, else that of the reservation, else the server's default.
fn read_queue(table: &mut TomlTable<'_>, job: &mut Job, cx: &mut JobContext<'_>) {
    let named = table.text("reservation");
    let resv = named.as_ref().and_then(|name| cx.snap.reservations.iter().find(|resv| resv.name == *name));
    if let (Some(name), None) = (&named, resv) {
        let known = cx.snap.reservations.iter().map(|resv| &*resv.name);
        let asked = did_you_mean::question(name, known);
        table.report_at_key("reservation", format!("no reservation is called `{name}`{asked}"));
    }
    let resv_queue = resv.and_then(|resv| resv.queue.clone());
    let default = || cx.snap.server.default_queue.clone().unwrap_or_else(|| "workq".into());
    job.queue = table.text("queue").or(resv_queue).unwrap_or_else(default);
    let owner = cx.snap.reservations.iter().find(|resv| resv.queue.as_ref() == Some(&job.queue));
    job.reservation = owner.map(|resv| resv.name.clone());
    want_queue(table, cx.snap, &job.queue);
}

/// Adds a queue that is only named in a reference; warns unless it is the default queue.
pub(super) fn want_queue(table: &TomlTable<'_>, snap: &mut Snapshot, name: &Name) {
    if snap.queue_named(name).is_some() {
        return;
    }
    if snap.server.default_queue.as_ref() != Some(name) {
        let asked = did_you_mean::question(name, snap.queues.iter().map(|queue| &*queue.name));
        let message =
            format!("no `[[queue]]` is called `{name}`: taken for a started execution queue{asked}");
        table.remark_at("queue", Severity::Warning, "queue-assumed", message);
    }
    snap.queues.push(Queue { assumed: true, ..Queue::named(name) });
}

/// Reads select, place and `Resource_List`, completed as by the server when a job is submitted.
fn read_request(table: &mut TomlTable<'_>, job: &mut Job, cx: &JobContext<'_>) {
    let catalogue = &cx.snap.catalogue;
    job.requested = values::known_list(table, "resources", catalogue).into();
    for (key, id) in [
        ("walltime", ResourceId::walltime()),
        ("min_walltime", ResourceId::min_walltime()),
        ("max_walltime", ResourceId::max_walltime()),
        ("soft_walltime", ResourceId::soft_walltime()),
    ] {
        if let Some(span) = table.seconds(key) {
            job.requested.set(id, Value::Amount(Amount(span.0 as f64)));
        }
    }
    let written = table.text("select");
    let usual_place = if written.is_some() { "free" } else { "pack" };
    let asked = written.map_or_else(|| select_of(&job.requested, catalogue), |text| Select::parse(&text));
    let place = table.text("place").unwrap_or_else(|| usual_place.into());
    match Place::parse(&place) {
        Ok(place) => job.place = Some(place),
        Err(error) => table.report_at_key("place", error.to_string()),
    }
    let queue = cx.snap.queues.iter().find(|queue| queue.name == job.queue);
    let server = &cx.snap.server;
    let queue_chunk = queue.map_or(&[][..], |queue| &queue.default_chunk);
    let defaults = ChunkDefaults { queue: queue_chunk, server: &server.default_chunk };
    let made = asked.map_err(|error| vec![error.to_string()]);
    let made = made.and_then(|asked| Ok((sched_select(&asked, defaults, catalogue)?, asked)));
    match made {
        Ok((select, asked)) => {
            add_sums(&select, catalogue, &mut job.requested);
            (job.select, job.asked) = (Some(select), Some(asked.text));
        }
        Err(wrong) => wrong.into_iter().for_each(|what| table.report_at_key("select", what)),
    }
    let queue_defaults = queue.map(|queue| &queue.defaults);
    for list in queue_defaults.into_iter().chain([&server.defaults]) {
        job.requested.fill_missing(list);
    }
}

/// Reads state, substate, start and holds.
fn read_state(table: &mut TomlTable<'_>, job: &mut Job, clock: &TomlClock) {
    job.started = clock.moment(table, "started");
    let letters = "one letter of Q R T H W E S U B X F M";
    let reported = table.parse("state", letters, JobState::from_letter);
    let runs = job.started.is_some() || job.exec_vnode.is_some();
    job.state = reported.unwrap_or(if runs { JobState::Running } else { JobState::Queued });
    let usual = match job.state {
        JobState::Running => 42,
        JobState::Held => 20,
        JobState::Waiting => 30,
        JobState::Exiting => 50,
        JobState::Suspended => 45,
        JobState::UserSuspended => 43,
        _ => 10,
    };
    job.substate = Substate(table.count("substate").unwrap_or(usual));
    job.holds = table.text("holds").unwrap_or_else(|| usual_hold(table, job).into());
}

/// Returns the hold of a job for which none is given: if it is held, that of the system where it depends on another
/// job, else that of its user.
fn usual_hold(table: &TomlTable<'_>, job: &Job) -> &'static str {
    // `before…` makes others depend on this one.
    let depends = |text: &str| text.split(',').any(|part| !part.trim().starts_with("before"));
    match job.depend.as_deref() {
        _ if job.state != JobState::Held => "",
        Some(text) if depends(text) => {
            let message = "no `holds`: the system hold of an unmet dependency is assumed".to_owned();
            table.remark_at("depend", Severity::Note, "hold-assumed", message);
            "s"
        }
        _ => "u",
    }
}

/// Reads times; the queue rank follows the queue time, then the order in the file.
fn read_times(table: &mut TomlTable<'_>, job: &mut Job, cx: &JobContext<'_>) {
    let now = cx.clock.now;
    let running = job.state.has_nodes();
    if running && job.started.is_none() {
        job.started = Some(now);
    }
    let first: Epoch = job.started.filter(|at| *at < now).unwrap_or(now);
    job.queued = cx.clock.moment(table, "queued").or(Some(first));
    job.created = cx.clock.moment(table, "created").or(job.queued);
    job.eligible = cx.clock.moment(table, "eligible").or(job.queued);
    job.execution_time = cx.clock.moment(table, "after");
    let queued = job.queued.unwrap_or(now).0;
    let place_in_file = i64::try_from(cx.snap.jobs.len()).unwrap_or_default();
    let rank = queued.saturating_mul(1_000_000).saturating_add(place_in_file);
    job.queue_rank = job.queue_rank.or(Some(rank));
    job.used = values::known_list(table, "used", &cx.snap.catalogue);
    if let (true, Some(started), None) = (running, job.started, job.used.get(ResourceId::walltime())) {
        let used = (now - started).0.max(0) as f64;
        job.used.set(ResourceId::walltime(), Value::Amount(Amount(used)));
    }
}

fn read_rest(table: &mut TomlTable<'_>, job: &mut Job, clock: &TomlClock) {
    put(&mut job.checkpointable, table.boolean("checkpointable"));
    if let Some(mut estimated) = table.table("estimated") {
        job.estimate = Some(StartEstimate {
            start: clock.moment(&mut estimated, "start"),
            exec_vnode: estimated.text("on").map(|text| text.to_string()),
        });
        estimated.finish();
    }
    let names = POLICIES.join(", ");
    let known = |name: &str| {
        POLICIES.iter().chain(&LATER_NAMES).any(|word| word.eq_ignore_ascii_case(name)).then(|| name.into())
    };
    job.policy = table.parse("policy", &names, known);
    if let Some(text) = table.text("x") {
        job.prefer = extension::preferences(&text).into_iter().map(Into::into).collect();
        job.policy = job.policy.take().or_else(|| extension::policy(&text).map(Into::into));
    }
    put(&mut job.prefer, table.names("prefer"));
    put(&mut job.service, table.boolean("service"));
    put(&mut job.preemptible, table.boolean("preemptible"));
    job.nodes = table.count("nodes");
    job.tasks_per_node = table.count("tasks_per_node");
}
