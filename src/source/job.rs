//! Decodes jobs from `qstat -f`.

mod array;
mod request;

pub(crate) use self::request::{ChunkDefaultSources, alter};

pub use self::array::indices as array_indices;
use self::request::RequestAttributes;
use super::attributes::rows::{self, AttributeRow, row};
use super::context::{AttributeReader, ReadContext};
use super::log::DiagnosticLog;
use super::record::{Attribute, Record};
use super::torque::extension;
use qscope_engine::cluster::{
    FilePosition, Job, JobState, Name, Place, ResourceList, Select, SelectError, StartEstimate, Value,
};

/// Result of decoding a record.
#[derive(Debug)]
pub(crate) enum DecodedJob {
    /// A job of the cluster.
    Job(Box<Job>),
    /// Finished or moved away: counted, not kept.
    FinishedOrMoved,
    /// Unusable; reported in the log.
    Unusable,
}

/// Decodes a record (rule 1.4); attributes that only managers see are derived.
pub(crate) fn decode(
    record: &Record<'_>,
    defaults: &ChunkDefaultSources<'_>,
    cx: &mut ReadContext<'_>,
    log: &mut DiagnosticLog,
) -> DecodedJob {
    let state = match record.value("job_state").map(str::trim) {
        Some("F" | "M") => return DecodedJob::FinishedOrMoved,
        Some(letter) => JobState::from_letter(letter),
        None => None,
    };
    let Some(state) = state else {
        let found = record.value("job_state").unwrap_or("none").to_owned();
        log.error("job-state", record.position, || {
            format!("left out: found state `{found}`; expected one of Q R T H W E S U B X F M")
        });
        return DecodedJob::Unusable;
    };
    let mut job = Job {
        name: cx.name(record.name.trim()),
        state,
        rerunable: true,
        checkpointable: true,
        ..Job::default()
    };
    job.sequence = sequence(&job.name);
    job.array = array::decode(record, &job.name, cx, log);
    let mut requested = RequestAttributes::default();
    for attribute in &record.attributes {
        if attribute.resource.is_some() {
            by_resource(&mut job, &mut requested, attribute, &mut AttributeReader { attribute, cx, log });
        } else if attribute.name == "schedselect" {
            requested.schedselect = Some((attribute.value.trim(), attribute.spot()));
        } else {
            rows::set(ATTRIBUTES, &mut job, &mut AttributeReader { attribute, cx, log });
        }
    }
    fill_identity(&mut job, record, cx);
    request::set_select_and_place(&mut job, &requested, defaults, cx, log);
    DecodedJob::Job(Box::new(job))
}

/// The attributes of jobs, except the request, the state and the nodes.
pub(crate) const ATTRIBUTES: &[AttributeRow<Job>] = &[
    row!(Job, "Job_Name", title, "its name").toml("name"),
    AttributeRow::custom(
        "Job_Owner",
        |job, owner| job.owner = owner.cx.user(owner.value().trim()),
        "who submitted it",
    ),
    row!(Job, "euser", user, "the user that it runs as").toml("user"),
    row!(Job, "egroup", group, "the group that it runs as").toml("group"),
    row!(Job, project, "its project"),
    row!(Job, "Account_Name", account, "its account").toml("account"),
    row!(Job, queue, "its queue").not_in_toml(),
    row!(Job, "Priority", priority, "what its owner set").toml("priority"),
    row!(Job, queue_rank, "its place in the queue, in microseconds"),
    row!(Job, "reserve_ID", reservation, "the reservation that it runs in").not_in_toml(),
    row!(Job, substate, "its substate").not_in_toml(),
    row!(Job, "stime", started, "when it started"),
    row!(Job, "qtime", queued, "when it came into its queue"),
    row!(Job, "etime", eligible, "when it became eligible"),
    row!(Job, "ctime", created, "when it was submitted"),
    row!(Job, "Execution_Time", execution_time, "it runs no sooner"),
    row!(Job, eligible_time, "how long it waited without a limit in its way"),
    row!(Job, comment, "why it does not run, or where it runs"),
    row!(Job, topjob, "whether it is a top job"),
    row!(Job, topjob_ineligible, "whether it never is one"),
    AttributeRow::custom("Hold_Types", holds, "its holds, n for none"),
    row!(Job, depend, "the jobs that it depends on"),
    row!(Job, "Rerunable", rerunable, "whether it may be requeued").toml("rerunable"),
    AttributeRow::custom(
        "Checkpoint",
        |job, when| job.checkpointable = when.value().trim() != "n",
        "whether it may be checkpointed: n is never",
    ),
    row!(Job, run_count, "how often it was started"),
    row!(Job, accrue_type, "which kind of time it collects"),
    row!(Job, exec_vnode, "its part of each vnode").read_only().toml("on"),
    row!(Job, "resources_released", released, "what it released of that when it was suspended").read_only(),
    row!(Job, node_set, "the only vnodes that it may use"),
    AttributeRow::custom(
        "NALLOCPOLICY",
        |job: &mut Job, policy| job.policy = policy.cx.shared_name_unless_empty(policy.value()),
        "the allocation policy that it asks for",
    )
    .read_only(),
    AttributeRow::custom(
        "PREF",
        |job: &mut Job, list| {
            job.prefer = list.value().split([':', ',']).map(|word| list.cx.name(word)).collect();
        },
        "node features that it prefers",
    )
    .read_only(),
    AttributeRow::custom(
        "x",
        |job: &mut Job, text| {
            let preferences = extension::preferences(text.value()).into_iter();
            job.prefer = preferences.map(|word| text.cx.name(word)).collect();
            if let Some(policy) = extension::policy(text.value()) {
                job.policy = Some(text.cx.name(policy));
            }
        },
        "what it passes to the allocation policies: PREF(FEATURE:FAST) names features that it prefers, \
         NALLOCPOLICY:FASTEST a policy of its own",
    ),
    AttributeRow::custom(
        "TPN",
        |job: &mut Job, tasks| job.tasks_per_node = tasks.count(),
        "how many tasks it asks for on each node",
    )
    .read_only(),
];

/// Attributes without a row that a collected dump keeps: nothing that an owner wrote for the job itself.
pub(crate) const UNREAD: &[&str] = &[
    "array",
    "array_id",
    "array_index",
    "array_indices_remaining",
    "array_indices_submitted",
    "array_state_count",
    "estimated",
    "exec_host",
    "group_list",
    "job_state",
    "max_run_subjobs",
    "mtime",
    "queue_type",
    "run_version",
    "sched_preempted",
    "schedselect",
    "server",
];

fn holds(job: &mut Job, reader: &mut AttributeReader<'_, '_>) {
    let letters = reader.value().trim();
    job.holds = reader.cx.name(if letters == "n" { "" } else { letters });
}

fn by_resource<'r>(
    job: &mut Job,
    requested: &mut RequestAttributes<'r>,
    attribute: &'r Attribute<'_>,
    reader: &mut AttributeReader<'_, '_>,
) {
    match (&*attribute.name, attribute.resource.as_deref()) {
        ("Resource_List", Some("select")) => {
            requested.select = Some((attribute.value.trim(), attribute.spot()));
        }
        ("Resource_List", Some("place")) => {
            requested.place = Some((attribute.value.trim(), attribute.spot()));
        }
        // The server made a select of these (rule 2.1).
        ("Resource_List", Some("nodes" | "neednodes")) => {}
        ("Resource_List", Some(name)) => {
            requested.resources.push((name, attribute.value.trim()));
            request_resource(&mut job.requested, name, reader);
        }
        ("resources_used", _) => reader.set_used(&mut job.used),
        ("estimated", Some("start_time")) => {
            job.estimate.get_or_insert_default().start = reader.moment();
        }
        ("estimated", Some("exec_vnode")) => {
            let text = Some(attribute.value.to_string()).filter(|text| !text.is_empty());
            job.estimate.get_or_insert_with(StartEstimate::default).exec_vnode = text;
        }
        _ => {}
    }
}

/// Sets a resource that a job requests as a whole; here `@` has no meaning.
fn request_resource(list: &mut ResourceList, name: &str, reader: &mut AttributeReader<'_, '_>) {
    let id = reader.resource(name, reader.value());
    if reader.removes_existing() {
        list.unset(id);
        return;
    }
    match Value::parse_direct(reader.cx.catalogue.kind(id), reader.value()) {
        Ok(value) => list.set(id, value),
        Err(error) => reader.misfit(id, &error),
    }
}

/// Fills in what an ordinary user does not see.
fn fill_identity(job: &mut Job, record: &Record<'_>, cx: &mut ReadContext<'_>) {
    if job.user.is_empty() {
        job.user = job.owner.clone();
        job.derived.push("euser");
    }
    if job.group.is_empty()
        && let Some(list) = record.value("group_list")
    {
        job.group = cx.user(list.split(',').next().unwrap_or_default().trim());
        job.derived.push("egroup");
    }
    if job.queue_rank.is_none() {
        job.derived.push("queue_rank");
    }
}

/// Returns the number before the first `[` or `.`.
fn sequence(name: &Name) -> u64 {
    let digits = name.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

/// Parses a select; an invalid one is reported.
fn read_select(
    text: &str,
    spot: FilePosition,
    cx: &mut ReadContext<'_>,
    log: &mut DiagnosticLog,
) -> Option<Select> {
    usable(cx.select(text), spot, log)
}

/// Returns a valid select; an error is reported.
pub(super) fn usable(
    select: Result<Select, SelectError>,
    spot: FilePosition,
    log: &mut DiagnosticLog,
) -> Option<Select> {
    select.map_err(|error| log.warn("select", spot, || error.to_string())).ok()
}

/// Parses a place; an invalid one is reported, and is also invalid for the scheduler.
pub(super) fn read_place(text: &str, position: FilePosition, log: &mut DiagnosticLog) -> Option<Place> {
    let ignored = "the scheduler ignores such a job";
    Place::parse(text).map_err(|error| log.repair("place", position, || error.to_string(), ignored)).ok()
}
