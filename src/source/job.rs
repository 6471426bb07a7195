//! Jobs from `qstat -f`.

mod array;
mod request;

pub(crate) use self::request::{Defaults, alter};

use self::request::Requested;
use super::context::Context;
use super::log::Log;
use super::record::{Attribute, Record};
use qscope_engine::cluster::{
    Estimate, ExecVnode, Job, JobState, Name, Place, ResourceList, Seconds, Select, SelectError, Substate,
    Value,
};

/// What becomes of a record.
#[derive(Debug)]
pub(crate) enum Decoded {
    /// A job of the cluster.
    Job(Box<Job>),
    /// Over or moved away: counted, not kept.
    Gone,
    /// Not usable; said in the log.
    Unusable,
}

/// Types one record (rule 1.4); what only managers see is derived.
pub(crate) fn decode(
    record: &Record<'_>,
    defaults: &Defaults<'_>,
    cx: &mut Context<'_>,
    log: &mut Log,
) -> Decoded {
    let state = match record.value("job_state").map(str::trim) {
        Some("F" | "M") => return Decoded::Gone,
        Some(letter) => JobState::from_letter(letter),
        None => None,
    };
    let Some(state) = state else {
        let found = record.value("job_state").unwrap_or("none").to_owned();
        log.error("job-state", record.spot, || {
            format!("left out: found state `{found}`; expected one of Q R T H W E S U B X F M")
        });
        return Decoded::Unusable;
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
    let mut requested = Requested::default();
    for attribute in &record.attributes {
        if attribute.resource.is_some() {
            by_resource(&mut job, &mut requested, attribute, cx, log);
        } else if attribute.name == "schedselect" {
            requested.schedselect = Some((attribute.value.trim(), attribute.spot()));
        } else {
            set(&mut job, attribute, cx, log);
        }
    }
    fill_identity(&mut job, record, cx);
    request::settle(&mut job, &requested, defaults, cx, log);
    Decoded::Job(Box::new(job))
}

/// The attributes of jobs that count here; those of what it asks for, its state and its nodes aside.
pub(crate) const NAMES: &[&str] = &[
    "Job_Name",
    "Job_Owner",
    "euser",
    "egroup",
    "project",
    "Account_Name",
    "queue",
    "Priority",
    "queue_rank",
    "reserve_ID",
    "substate",
    "stime",
    "qtime",
    "etime",
    "ctime",
    "Execution_Time",
    "eligible_time",
    "comment",
    "topjob",
    "topjob_ineligible",
    "Hold_Types",
    "depend",
    "Rerunable",
    "Checkpoint",
    "run_count",
    "accrue_type",
];

/// Takes in one attribute without a resource, the request and the state aside; false for those that do not count
/// here.
pub(crate) fn set(job: &mut Job, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    identity(job, attribute, cx, log) || dates(job, attribute, cx, log) || standing(job, attribute, cx, log)
}

fn by_resource<'r>(
    job: &mut Job,
    requested: &mut Requested<'r>,
    attribute: &'r Attribute<'_>,
    cx: &mut Context<'_>,
    log: &mut Log,
) {
    match (&*attribute.name, attribute.resource.as_deref()) {
        ("Resource_List", Some("select")) => {
            requested.select = Some((attribute.value.trim(), attribute.spot()));
        }
        ("Resource_List", Some("place")) => {
            requested.place = Some((attribute.value.trim(), attribute.spot()));
        }
        // What the server made a select of (rule 2.1).
        ("Resource_List", Some("nodes" | "neednodes")) => {}
        ("Resource_List", Some(name)) => {
            requested.resources.push((name, attribute.value.trim()));
            request_resource(&mut job.requested, name, attribute, cx, log);
        }
        ("resources_used", _) => cx.set_used(&mut job.used, attribute),
        ("estimated", Some("start_time")) => {
            job.estimate.get_or_insert_default().start = cx.moment(attribute, log);
        }
        ("estimated", Some("exec_vnode")) => {
            let text = Some(attribute.value.to_string()).filter(|text| !text.is_empty());
            job.estimate.get_or_insert_with(Estimate::default).exec_vnode = text;
        }
        _ => {}
    }
}

/// Sets what a job asks for as a whole; here `@` means nothing.
fn request_resource(
    list: &mut ResourceList,
    name: &str,
    attribute: &Attribute<'_>,
    cx: &mut Context<'_>,
    log: &mut Log,
) {
    let id = cx.resource(name, &attribute.value, attribute.spot(), log);
    if cx.takes_away(&attribute.value) {
        list.unset(id);
        return;
    }
    match Value::parse_direct(cx.catalogue.kind(id), &attribute.value) {
        Ok(value) => list.set(id, value),
        Err(error) => cx.misfit(id, attribute, &error, log),
    }
}

/// Who and where; false for other attributes.
fn identity(job: &mut Job, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    let value = attribute.value.trim();
    match &*attribute.name {
        "Job_Name" => job.title = cx.name(value),
        "Job_Owner" => job.owner = cx.user(value),
        "euser" => job.user = cx.name(value),
        "egroup" => job.group = cx.name(value),
        "project" => job.project = cx.name(value),
        "Account_Name" => job.account = cx.filled(value),
        "queue" => job.queue = cx.name(value),
        "Priority" => job.priority = cx.number(attribute, log).unwrap_or(0),
        "queue_rank" => job.queue_rank = cx.number(attribute, log),
        "reserve_ID" => job.reservation = cx.filled(value),
        "substate" => job.substate = Substate(cx.count(attribute, log).unwrap_or(0)),
        _ => return false,
    }
    true
}

/// When; false for other attributes.
fn dates(job: &mut Job, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    let slot = match &*attribute.name {
        "stime" => &mut job.started,
        "qtime" => &mut job.queued,
        "etime" => &mut job.eligible,
        "ctime" => &mut job.created,
        "Execution_Time" => &mut job.execution_time,
        "eligible_time" => {
            job.eligible_time = Seconds::parse(&attribute.value).unwrap_or_else(|| {
                let found = &attribute.value;
                log.warn("duration", attribute.spot(), || format!("found `{found}`; expected a duration"));
                Seconds::default()
            });
            return true;
        }
        _ => return false,
    };
    *slot = cx.moment(attribute, log);
    true
}

/// How it stands with the scheduler; false for other attributes.
fn standing(job: &mut Job, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    let value = attribute.value.trim();
    match &*attribute.name {
        "exec_vnode" if value.is_empty() => {}
        "exec_vnode" => match ExecVnode::parse(value) {
            Ok(placed) => job.exec_vnode = Some(placed),
            Err(error) => log.warn("exec-vnode", attribute.spot(), || error.to_string()),
        },
        "comment" => job.comment = Some(attribute.value.to_string()).filter(|comment| !comment.is_empty()),
        "topjob" => job.topjob = cx.truth(attribute, log),
        "topjob_ineligible" => job.topjob_ineligible = cx.truth(attribute, log).unwrap_or(false),
        "Hold_Types" => job.holds = cx.name(if value == "n" { "" } else { value }),
        "depend" => job.depend = cx.filled(value),
        "Rerunable" => job.rerunable = cx.truth(attribute, log).unwrap_or(true),
        "Checkpoint" => job.checkpointable = value != "n",
        "run_count" => job.run_count = cx.count(attribute, log).unwrap_or(0),
        "accrue_type" => job.accrue_type = cx.count(attribute, log),
        _ => return false,
    }
    true
}

/// Fills in what an ordinary user does not see.
fn fill_identity(job: &mut Job, record: &Record<'_>, cx: &mut Context<'_>) {
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

/// The number before the first `[` or `.`.
fn sequence(name: &Name) -> u64 {
    let digits = name.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

/// Reads a select; one that cannot be read is said.
fn read_select(text: &str, spot: qscope_engine::cluster::Spot, log: &mut Log) -> Option<Select> {
    usable(Select::parse(text), spot, log)
}

/// A select, if it is one; what is wrong with it is said.
fn usable(
    select: Result<Select, SelectError>,
    spot: qscope_engine::cluster::Spot,
    log: &mut Log,
) -> Option<Select> {
    match select {
        Ok(select) => Some(select),
        Err(error) => {
            log.warn("select", spot, || error.to_string());
            None
        }
    }
}

/// Reads a place; one that cannot be read is said, and the scheduler cannot read it either.
pub(super) fn read_place(text: &str, spot: qscope_engine::cluster::Spot, log: &mut Log) -> Option<Place> {
    match Place::parse(text) {
        Ok(place) => Some(place),
        Err(error) => {
            log.warn("place", spot, || format!("{error}; the scheduler ignores such a job"));
            None
        }
    }
}
