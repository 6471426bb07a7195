//! The reason of a waiting job in the few words of a table, with the two numbers compared.

use qscope_engine::cluster::{Amount, ResourceType, Snapshot};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_engine::universe::{Reason, Shortage, ShortageDetail};

use super::cause::refused::{REFUSED_BY_SERVER, refused_with};
use super::cause::{Cause, state_cause};
use super::{Tier, words};

/// Why a job waits.
#[derive(Clone, PartialEq, Debug)]
pub struct WaitReason {
    pub tier: Tier,
    /// The name in tables: `insufficient ncpus`, `fragmented`, `limit max_run`, `held`.
    pub name: String,
    /// What there is, of what is requested.
    pub measure: Option<AmountComparison>,
    /// What explains the two numbers, in a few words.
    pub explanation: Option<String>,
    /// One sentence; used if there is no measure.
    pub sentence: String,
    /// The sentence without the job and the name of the reason: for `2 is not considered: the cycle ended` it is
    /// `the cycle ended`.
    pub short_sentence: String,
    /// Whether the job was analysed; otherwise this is the first condition that the scheduler met.
    pub analysed: bool,
}

/// Two numbers of one unit: what there is, and what is requested; or what is used, and what is allowed.
#[derive(Clone, PartialEq, Debug)]
pub struct AmountComparison {
    pub available: f64,
    pub requested: f64,
    /// What a headline adds: what is short, `, 11 short`, or what a job requests beside the use of a limit, whose difference
    /// is not what it lacks, `, 7 requested`; empty if nothing.
    pub beside: String,
    /// Both with their unit: `5 of 16 whole nodes`.
    pub text: String,
}

impl AmountComparison {
    /// The comparison of what there is and what is requested, with the difference.
    fn short(available: f64, requested: f64, text: String) -> Self {
        let first = text.split(' ').next().unwrap_or_default();
        // Amounts with a unit are written as the batch system does; their difference would need a unit too.
        let is_count = first.bytes().all(|byte| byte.is_ascii_digit());
        let beside = match requested - available {
            short if short >= 1.0 && is_count => format!(", {short:.0} short"),
            _ => String::new(),
        };
        Self { available, requested, beside, text }
    }
}

impl WaitReason {
    /// Returns the reason of a job from its causes, deepest first.
    pub fn of(causes: &[Cause]) -> Option<Self> {
        let first = causes.first()?;
        // As long as one of these applies, further shortages do not matter.
        let alone = first.is_time_of_day()
            || matches!(
                first.tier,
                Tier::NotEligible | Tier::Never | Tier::Stopped | Tier::Calendar | Tier::NotConsidered
            );
        let measured = if alone { causes.get(..1).unwrap_or_default() } else { causes };
        // Nodes taken by others are counted one by one; a sum over nodes would not agree with that count.
        let is_counted = |cause: &&Cause| first.tier != Tier::Order || cause.kind == "not-exclusive";
        let counted = measured.iter().filter(is_counted).find_map(|cause| Some((measure(cause)?, cause)));
        let (measure, measured) = counted.unzip();
        Some(Self {
            tier: first.tier,
            name: first.name(),
            measure,
            explanation: measured.and_then(|cause| cause.because.clone()),
            sentence: first.brief.as_ref().unwrap_or(&first.sentence).clone(),
            short_sentence: first.brief.as_deref().unwrap_or_else(|| first.sentence_without_job()).to_owned(),
            analysed: true,
        })
    }

    /// Returns the name with its sentence: `held: Hold_Types=u`.
    pub fn named(&self) -> String {
        format!("{}: {}", self.name, self.short_sentence)
    }

    /// Whether a verdict already states the same.
    pub fn is_the_verdict(&self, verdict: Verdict) -> bool {
        verdict == Verdict::Never && self.tier == Tier::Never
    }

    /// Returns the name with the numbers and the difference: `fragmented: 5 of 16 whole nodes, 11 short`.
    pub fn headline(&self) -> String {
        match self.headline_parts() {
            (name, Some(numbers)) => format!("{name}: {numbers}"),
            (name, None) => name,
        }
    }

    /// The same with the cause where there are no numbers: `can never run: 0 of 8 nodes have color=red`.
    pub fn headline_of_cause(&self) -> String {
        match self.headline_parts() {
            (name, Some(numbers)) => format!("{name}: {numbers}"),
            (name, None) => format!("{name}: {}", self.short_sentence),
        }
    }

    /// Returns the two parts of the headline: `fragmented` and, if it has numbers, `5 of 16 whole nodes, 11 short`.
    pub fn headline_parts(&self) -> (String, Option<String>) {
        let Some(measure) = &self.measure else {
            let is_brief =
                matches!(self.tier, Tier::Order | Tier::Calendar) && self.short_sentence == self.sentence;
            // On their own, these words do not state what is never, or preempted when.
            let alone = match &*self.name {
                "never" => "can never run",
                FOR_NOW => "cannot run for now",
                "preempted" => "preempted in this cycle",
                name => name,
            };
            return match is_brief {
                true => (self.name.clone(), Some(self.short_sentence.clone())),
                false => (alone.to_owned(), None),
            };
        };
        (self.name.clone(), Some(format!("{}{}", measure.text, measure.beside)))
    }

    /// Returns the cause that decides about a job before its request does, or else the tier of the first condition that
    /// the scheduler met; `None` for a job that starts, or an array of which nothing waits.
    fn met(run: &Run, outcome: &Outcome) -> Option<Result<Cause, Tier>> {
        if run.plan.job(outcome.job).is_all_started() {
            return None;
        }
        if let Some(refused) = refused_with(run, outcome) {
            return Some(Ok(refused));
        }
        let state = state_cause(run, outcome.job);
        let tier = Tier::with_state(run, outcome, || state.as_ref().map(|cause| cause.tier))?;
        Some(state.filter(|cause| cause.tier.rank() <= tier.rank()).ok_or(tier))
    }

    /// Returns the tier of [`at_a_glance`](Self::at_a_glance) without making its words.
    pub fn tier_at_a_glance(run: &Run, outcome: &Outcome) -> Option<Tier> {
        Some(Self::met(run, outcome)?.map_or_else(|tier| tier, |cause| cause.tier))
    }

    /// Returns the reason by the first condition that the scheduler met; `None` for a job that starts, or an array of
    /// which nothing waits.
    pub fn at_a_glance(run: &Run, outcome: &Outcome) -> Option<Self> {
        let tier = match Self::met(run, outcome)? {
            Ok(cause) => return Self::of(&[cause]),
            Err(tier) => tier,
        };
        let snap = &run.plan.snap;
        let rejection = outcome.rejection.as_ref();
        let shortage = rejection.and_then(|rejection| match &rejection.reason {
            Reason::Resource(shortage)
            | Reason::QueueResource(shortage)
            | Reason::ServerResource(shortage) => Some(shortage),
            _ => None,
        });
        let name = match (tier, shortage) {
            (Tier::Short | Tier::Fragmented, Some(shortage)) => {
                format!("insufficient {}", snap.catalogue.name(shortage.resource))
            }
            (Tier::Short | Tier::Fragmented, None) => "insufficient nodes".to_owned(),
            (Tier::Never, _) if !run.impossible_jobs().contains(outcome.job) => FOR_NOW.to_owned(),
            _ => tier.title(),
        };
        let excluded = run.excluded(outcome.job);
        let sentence = excluded.or_else(|| Some(words::short_reason(&snap.catalogue, rejection?)));
        let sentence = sentence.unwrap_or_default();
        Some(Self {
            tier,
            name,
            measure: shortage.and_then(|shortage| of_shortage(snap, shortage)),
            explanation: None,
            short_sentence: sentence.clone(),
            sentence,
            analysed: false,
        })
    }
}

/// Name of the reason of a job that the scheduler reports to run never, or that lacks what is switched off, and that
/// runs once nodes are back or an operator changes a value.
const FOR_NOW: &str = "never for now";

impl Cause {
    /// Whether it keeps the job from running only as long as nodes are out of service or something is switched off.
    pub(crate) fn is_for_now(&self) -> bool {
        matches!(self.kind, "never-for-now" | "switched-off")
    }

    /// Returns its sentence without the job and the name of the reason.
    pub(crate) fn sentence_without_job(&self) -> &str {
        self.beside.as_ref().unwrap_or(&self.sentence)
    }

    /// Returns its name in tables and headings: `insufficient ncpus`, `fragmented`, `limit max_run`, `held`.
    pub fn name(&self) -> String {
        let about = self.objects.first().map(String::as_str).unwrap_or_default();
        match (self.tier, self.kind) {
            (Tier::NotEligible, kind @ ("held" | "dependency" | "suspended" | "subjob")) => kind.to_owned(),
            (Tier::NotEligible, "waiting") | (Tier::Stopped, "reservation-ahead") => {
                "starts later".to_owned()
            }
            (Tier::Never, _) if self.is_for_now() => FOR_NOW.to_owned(),
            // The cycle came to the job, so it is not one of those counted as not considered.
            (Tier::NotConsidered, "class") => "class failed".to_owned(),
            (Tier::Order, REFUSED_BY_SERVER) => "refused by server".to_owned(),
            (Tier::Order, "preempted") => "preempted".to_owned(),
            (Tier::Limit, _) if !about.is_empty() => format!("limit {about}"),
            (Tier::Short, "resource" | "server-resource") if !about.is_empty() => {
                format!("insufficient {about}")
            }
            (Tier::Short, _) => "insufficient nodes".to_owned(),
            (tier, _) => tier.title(),
        }
    }
}

/// Returns the numbers that a cause compares.
fn measure(cause: &Cause) -> Option<AmountComparison> {
    let number = |name: &str| cause.numbers.iter().find(|(known, _)| *known == name).map(|(_, text)| &**text);
    let about = cause.objects.first().map(String::as_str).unwrap_or_default();
    let (have, want, unit) = match (cause.tier, cause.kind) {
        (Tier::Short, "resource" | "server-resource") => (number("available")?, number("wanted")?, about),
        (Tier::Short, "scheduler") => (number("available")?, number("wanted")?, "chunks"),
        (Tier::Short, _) => (number("available")?, number("wanted")?, "nodes"),
        (Tier::Fragmented, "not-exclusive") => (number("available")?, number("wanted")?, "whole nodes"),
        (Tier::Fragmented, "sets") => (number("best")?, number("wanted")?, "chunks in one set"),
        (Tier::Fragmented, _) => (number("available")?, number("wanted")?, "chunks"),
        (Tier::Limit, "subjob-limit") => (number("used")?, number("limit")?, "subjobs"),
        (Tier::Limit, "run-limit") => (number("used")?, number("limit")?, "jobs"),
        // The resource in `max_run_res.ncpus`.
        (Tier::Limit, _) => (
            number("used")?,
            number("limit")?,
            about.split_once('.').map_or("used", |(_, resource)| resource),
        ),
        _ => return None,
    };
    let unit = cause.unit.as_deref().unwrap_or(unit);
    let text = format!("{have} of {want} {}", of_one(want, unit));
    let compared = AmountComparison::short(magnitude(have)?, magnitude(want)?, text);
    if cause.tier != Tier::Limit {
        return Some(compared);
    }
    let beside = match (cause.kind, number("wanted")) {
        ("resource-limit", Some(requested)) => format!(", {requested} requested"),
        _ => String::new(),
    };
    Some(AmountComparison { beside, ..compared })
}

/// Returns the unit in singular or plural, as it follows a number.
fn of_one<'a>(number: &str, unit: &'a str) -> &'a str {
    match (number, unit) {
        ("1", "nodes" | "whole nodes" | "chunks" | "subjobs" | "jobs") => unit.trim_end_matches('s'),
        _ => unit,
    }
}

/// Parses a number in the batch system's format, with or without a size unit.
fn magnitude(text: &str) -> Option<f64> {
    let kind = if text.ends_with(['b', 'B', 'w', 'W']) { ResourceType::Size } else { ResourceType::Float };
    Amount::parse(kind, text).ok().map(|amount| amount.0).filter(|value| value.is_finite())
}

fn of_shortage(snap: &Snapshot, shortage: &Shortage) -> Option<AmountComparison> {
    let kind = snap.catalogue.kind(shortage.resource);
    let ShortageDetail::Amounts { requested, available, .. } = &shortage.detail else { return None };
    let (have, want) = (available.0, requested.0);
    let unit = snap.catalogue.name(shortage.resource);
    let text = format!("{} of {} {unit}", available.show(kind), requested.show(kind));
    (have.is_finite() && want.is_finite()).then(|| AmountComparison::short(have, want, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(tier: Tier, kind: &'static str, about: &str, numbers: &[(&'static str, &str)]) -> Cause {
        let numbers = numbers.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
        let objects = vec![about.to_owned()];
        Cause { objects, numbers, ..Cause::new(tier, kind, "because".to_owned()) }
    }

    #[test]
    fn a_sentence_beside_its_job_and_reason_repeats_neither() {
        let held = Cause::of_job_that_is(Tier::NotEligible, "held", "2", "held by an operator".to_owned());
        assert_eq!(held.sentence, "2 is held by an operator");
        let reason = WaitReason::of(std::slice::from_ref(&held)).unwrap();
        assert_eq!(
            (reason.sentence.as_str(), reason.short_sentence.as_str()),
            ("2 is held by an operator", "held by an operator")
        );
        let brief = WaitReason::of(&[held.with_short_sentence("Hold_Types=o".to_owned())]).unwrap();
        assert_eq!((&*brief.name, &*brief.short_sentence), ("held", "Hold_Types=o"));
    }

    #[test]
    fn reasons_have_the_names_of_tables_and_two_numbers() {
        let shown = |causes: &[Cause]| {
            let reason = WaitReason::of(causes).unwrap();
            let measure = reason.measure.map(|measure| (measure.available, measure.requested, measure.text));
            (reason.name, measure)
        };
        let short = cause(Tier::Short, "resource", "mem", &[("available", "64gb"), ("wanted", "128gb")]);
        let kilo = 1024.0 * 1024.0;
        assert_eq!(
            shown(std::slice::from_ref(&short)),
            (
                "insufficient mem".to_owned(),
                Some((64.0 * kilo, 128.0 * kilo, "64gb of 128gb mem".to_owned()))
            )
        );
        let whole = cause(Tier::Fragmented, "not-exclusive", "", &[("available", "5"), ("wanted", "16")]);
        assert_eq!(
            shown(&[whole]),
            ("fragmented".to_owned(), Some((5.0, 16.0, "5 of 16 whole nodes".to_owned())))
        );
        // A held job has no numbers of a limit that it would hit.
        let (held, limit) = (
            cause(Tier::NotEligible, "held", "", &[]),
            cause(Tier::Limit, "run-limit", "max_run", &[("used", "3"), ("limit", "3")]),
        );
        assert_eq!(shown(&[held, limit.clone()]), ("held".to_owned(), None));
        let never = cause(Tier::Never, "node", "", &[]);
        assert_eq!(shown(&[never, limit]), ("never".to_owned(), None));
        // What an operator switches, and nodes that come back, are no reason to give a job up.
        for kind in ["switched-off", "never-for-now"] {
            let reason = WaitReason::of(&[cause(Tier::Never, kind, "fs", &[])]).unwrap();
            assert_eq!((&*reason.name, &*reason.headline()), ("never for now", "cannot run for now"));
        }
        // A job overtaken by others lacks what they took.
        let order = cause(Tier::Order, "overtaken", "", &[]);
        assert_eq!(shown(&[order, short]).0, "order");
        let limit = cause(Tier::Limit, "run-limit", "max_run", &[("used", "2"), ("limit", "2")]);
        assert_eq!(shown(&[limit]), ("limit max_run".to_owned(), Some((2.0, 2.0, "2 of 2 jobs".to_owned()))));
        let headline = |kind, about, numbers| {
            WaitReason::of(&[cause(Tier::Limit, kind, about, numbers)]).unwrap().headline()
        };
        // What the others leave under a limit is not what the job lacks.
        let numbers = [("limit", "64"), ("used", "3"), ("left", "61"), ("wanted", "62")];
        let resource = "max_run_res.ncpus";
        assert_eq!(
            headline("resource-limit", resource, &numbers),
            "limit max_run_res.ncpus: 3 of 64 ncpus, 62 requested"
        );
        let planned = [("limit", "2"), ("used", "1"), ("planned", "1")];
        assert_eq!(headline("run-limit", "max_run", &planned), "limit max_run: 1 of 2 jobs");
        assert_eq!(shown(&[cause(Tier::NotEligible, "held", "", &[])]), ("held".to_owned(), None));
        // Only jobs to which the cycle did not come are "not considered", as they are counted.
        assert_eq!(shown(&[cause(Tier::NotConsidered, "class", "1", &[])]).0, "class failed");
        assert_eq!(shown(&[cause(Tier::NotConsidered, "not-considered", "", &[])]).0, "not considered");
        assert!(WaitReason::of(&[]).is_none());
        let short =
            |numbers| WaitReason::of(&[cause(Tier::Short, "resource", "x", numbers)]).unwrap().headline();
        assert_eq!(short(&[("available", "5"), ("wanted", "16")]), "insufficient x: 5 of 16 x, 11 short");
        assert_eq!(short(&[("available", "5gb"), ("wanted", "16gb")]), "insufficient x: 5gb of 16gb x");
    }
}
