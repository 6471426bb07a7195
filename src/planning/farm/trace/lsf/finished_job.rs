//! A finished job: `JOB_FINISH` of any version from 3 on (sites 5.2, 5.3).

use std::borrow::Cow;

use qscope_engine::cluster::{InsertionOrderMap, number_of};

use super::LsfRecordError;
use super::token::{LsfToken, tokens};

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FinishStatus {
    /// With exit code 0.
    Done,
    /// With another exit code, or it never started.
    Exit,
}

/// The hosts where a job ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExecutionHosts {
    /// Slots by host, in the order of execution.
    Slots(Vec<(String, u32)>),
    /// Hosts whose numbers of slots cannot be determined.
    Unknown(Vec<String>),
    /// No host: the job never ran.
    None,
}

/// A finished job. Times are epoch seconds.
#[derive(Clone, PartialEq, Debug)]
pub struct FinishedJob<'a> {
    /// Version of the record.
    pub version: Cow<'a, str>,
    /// The job's number.
    pub id: u64,
    /// Index of the array's element, 0 for none.
    pub index: u32,
    /// Name of the submitting user.
    pub user: Cow<'a, str>,
    pub queue: Cow<'a, str>,
    pub project: Cow<'a, str>,
    /// Its application profile, if the record has one.
    pub app: Cow<'a, str>,
    /// The fair-share account that was charged, `/group/user`, if the record has one.
    pub account: Cow<'a, str>,
    /// Its name; that of an array has the indices.
    pub name: Cow<'a, str>,
    /// The command line.
    pub command: Cow<'a, str>,
    /// When it was submitted.
    pub submitted: i64,
    /// Earliest time at which it could run.
    pub eligible: i64,
    /// When it started; none if it never ran.
    pub started: Option<i64>,
    /// When it ended or was withdrawn.
    pub ended: i64,
    /// Number of requested slots.
    pub asked: u32,
    /// Where it ran.
    pub hosts: ExecutionHosts,
    pub status: FinishStatus,
    /// Its exit code.
    pub code: u32,
    /// The signal that ended it, 0 for none.
    pub signal: u32,
    /// Requested memory, in the site's unit (MB unless known otherwise).
    pub memory: Option<u64>,
    /// Its run limit in seconds, if the record has one.
    pub run_limit: Option<i64>,
    /// Run time in seconds without suspensions, if the record has it.
    pub run_time: Option<i64>,
}

/// Maximum number of names of a list.
const MOST: usize = 1_000_000;

/// The fields of a record by position, from 1.
struct RecordFields<'t, 'a>(&'t [LsfToken<'a>]);

impl<'t, 'a> RecordFields<'t, 'a> {
    fn token(&self, at: usize) -> Result<&'t LsfToken<'a>, LsfRecordError> {
        at.checked_sub(1).and_then(|at| self.0.get(at)).ok_or(LsfRecordError::Field(at))
    }

    fn text(&self, at: usize) -> Result<Cow<'a, str>, LsfRecordError> {
        Ok(self.token(at)?.text.clone())
    }

    fn number(&self, at: usize) -> Result<i64, LsfRecordError> {
        let token = self.token(at)?;
        let number = if token.is_quoted { None } else { token.text.parse::<i64>().ok() };
        number.ok_or(LsfRecordError::Field(at))
    }

    fn decimal(&self, at: usize) -> Result<f64, LsfRecordError> {
        let token = self.token(at)?;
        let number = if token.is_quoted { None } else { token.text.parse::<f64>().ok() };
        number.ok_or(LsfRecordError::Field(at))
    }

    fn quoted(&self, at: usize) -> Result<Cow<'a, str>, LsfRecordError> {
        let token = self.token(at)?;
        if token.is_quoted { Ok(token.text.clone()) } else { Err(LsfRecordError::Field(at)) }
    }

    /// Reads the number of names that follow.
    fn count(&self, at: usize) -> Result<usize, LsfRecordError> {
        let count = usize::try_from(self.number(at)?).ok().filter(|count| *count <= MOST);
        count.filter(|count| at + count <= self.0.len()).ok_or(LsfRecordError::Field(at))
    }
}

/// Reads one line.
///
/// # Errors
/// The line is not a finished job, or one that cannot be read.
pub fn read_finished_job(line: &[u8]) -> Result<FinishedJob<'_>, LsfRecordError> {
    let tokens = tokens(line).ok_or(LsfRecordError::Unterminated)?;
    let fields = RecordFields(&tokens);
    if fields.token(1)?.text != "JOB_FINISH" {
        return Err(LsfRecordError::Other);
    }
    for at in 3..=11 {
        fields.number(at)?;
    }
    let asked_hosts = fields.count(23)?;
    let list = 24 + asked_hosts;
    let count = fields.count(list)?;
    let names = tokens.get(list..list + count).unwrap_or_default();
    let p = list + count + 1;
    let status = check_use(&fields, p)?;
    let asked = u32::try_from(fields.number(7)?).unwrap_or(0);
    let (start, end) = (fields.number(11)?, fields.number(3)?);
    let started = Some(start).filter(|start| *start > 0 && count > 0);
    if started.is_some_and(|start| end < start) {
        return Err(LsfRecordError::EndsBeforeStart);
    }
    let exit = u32::try_from(fields.number(p + 25).unwrap_or(0)).unwrap_or(0);
    let tail = TrailingFields::of(&fields, p);
    let submitted = fields.number(8)?;
    Ok(FinishedJob {
        version: fields.text(2)?,
        id: u64::try_from(fields.number(4)?).map_err(|_| LsfRecordError::Field(4))?,
        index: fields.number(p + 29).ok().and_then(|index| u32::try_from(index).ok()).unwrap_or(0),
        user: fields.text(12)?,
        queue: fields.text(13)?,
        project: fields.text(p + 24).unwrap_or_default(),
        app: fields.text(p + 43).unwrap_or_default(),
        account: fields.text(p + 41).unwrap_or_default(),
        name: fields.quoted(p + 2)?,
        command: fields.quoted(p + 3)?,
        submitted,
        eligible: submitted.max(fields.number(9)?),
        started,
        ended: end,
        asked,
        hosts: if started.is_some() { hosts(names, asked) } else { ExecutionHosts::None },
        status,
        code: exit / 256 % 256,
        signal: exit % 128,
        memory: tail.request.as_deref().and_then(memory).or_else(|| memory(&fields.text(14).ok()?)),
        run_limit: tail.run_limit,
        run_time: tail.run_time,
    })
}

/// Checks the fields after the hosts: a status, a number, two strings and 19 numbers of resource use.
fn check_use(fields: &RecordFields<'_, '_>, p: usize) -> Result<FinishStatus, LsfRecordError> {
    let status = match fields.number(p)? {
        64 => FinishStatus::Done,
        32 => FinishStatus::Exit,
        _ => return Err(LsfRecordError::Field(p)),
    };
    fields.decimal(p + 1)?;
    fields.quoted(p + 2)?;
    fields.quoted(p + 3)?;
    for at in p + 4..=p + 22 {
        fields.decimal(at)?;
    }
    Ok(status)
}

/// Returns the slots by host: a name once for each slot, or `4*h1`. Where each name is listed once and there
/// are fewer than the slots, the slots are spread evenly if they divide.
fn hosts(names: &[LsfToken<'_>], asked: u32) -> ExecutionHosts {
    let mut slots: InsertionOrderMap<&str, (String, u32)> = InsertionOrderMap::default();
    let mut is_counted = false;
    for name in names {
        let counted =
            name.text.split_once('*').and_then(|(count, host)| Some((count.parse::<u32>().ok()?, host)));
        is_counted |= counted.is_some();
        let (count, host) = counted.unwrap_or((1, &name.text));
        let (_, have) = slots.of(host, || (host.to_owned(), 0));
        *have = have.saturating_add(count);
    }
    let mut slots = slots.into_all();
    let sum = slots.iter().fold(0_u32, |sum, (_, count)| sum.saturating_add(*count));
    let all_once = slots.len() == names.len() && !is_counted;
    if !all_once || sum >= asked {
        return ExecutionHosts::Slots(slots);
    }
    let count = number_of(slots.len());
    if asked.is_multiple_of(count) {
        slots.iter_mut().for_each(|(_, slots)| *slots = asked / count);
        ExecutionHosts::Slots(slots)
    } else {
        ExecutionHosts::Unknown(slots.into_iter().map(|(host, _)| host).collect())
    }
}

/// Reads the memory of `rusage[mem=N…]`.
fn memory(request: &str) -> Option<u64> {
    let rest = request.split_once("rusage[")?.1;
    let inside = rest.split(']').next()?;
    let value = inside.split([',', ':']).find_map(|part| part.trim().strip_prefix("mem="))?;
    let whole = value.split('.').next()?;
    whole.parse().ok()
}

/// The fields that newer versions add at the end, any of which may be missing.
#[derive(Default)]
struct TrailingFields {
    run_limit: Option<i64>,
    request: Option<String>,
    run_time: Option<i64>,
}

impl TrailingFields {
    fn of(fields: &RecordFields<'_, '_>, p: usize) -> Self {
        Self::read(fields, p).unwrap_or_default()
    }

    /// Reads what follows the job's description: pairs of submission options, six numbers for each host, and
    /// the rest.
    fn read(fields: &RecordFields<'_, '_>, p: usize) -> Result<Self, LsfRecordError> {
        let pairs = p + 53;
        let uses = pairs + 1 + 2 * fields.count(pairs)?;
        let after = uses + 1 + 6 * fields.count(uses)?;
        Ok(Self {
            run_limit: fields.number(after).ok().filter(|limit| *limit > 0),
            request: fields.quoted(after + 3).ok().map(Cow::into_owned),
            run_time: fields.number(after + 13).ok().filter(|time| *time >= 0),
        })
    }
}
