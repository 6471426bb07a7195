//! Parses a job's request, `nodes=2:ppn=4:fast+1:big#ib` and its relatives, into a select (sites 4.3).

use qscope_engine::cluster::count;

use super::TorqueNodeMatch;
use super::memory::kilobytes;

/// A part of `nodes=`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TorqueSpec<'a> {
    pub(super) count: u32,
    pub(super) host: Option<&'a str>,
    pub(super) slots: u32,
    pub(super) gpus: u32,
    pub(super) mics: u32,
    /// Memory of a chunk, in kb.
    pub(super) memory: u64,
    pub(super) properties: Vec<&'a str>,
}

/// Maximum number of parts of a request; `MAX_COMMON` is that of properties added to each. No cluster has more nodes.
const MAX_PARTS: usize = 100_000;
const MAX_COMMON: usize = 64;

/// Words after `gpus=` that state how GPUs are used.
const MODES: [&str; 6] =
    ["shared", "exclusive", "exclusive_thread", "exclusive_process", "default", "reseterr"];

/// Parses `nodes=`; properties after `#` are added to every part.
///
/// # Errors
/// The part that is invalid.
pub(super) fn specs<'a>(
    text: &'a str,
    is_host: &dyn Fn(&str) -> bool,
) -> Result<Vec<TorqueSpec<'a>>, &'a str> {
    let (text, common) = text.split_once('#').unwrap_or((text, ""));
    let common: Vec<&str> =
        common.split(':').map(str::trim).filter(|property| !property.is_empty()).collect();
    let mut all = Vec::new();
    for part in text.split('+').map(str::trim).filter(|part| !part.is_empty()) {
        if all.len() >= MAX_PARTS || common.len() > MAX_COMMON {
            return Err(part);
        }
        let mut spec = spec(part, is_host).ok_or(part)?;
        spec.properties.extend(&common);
        all.push(spec);
    }
    Ok(all)
}

fn spec<'a>(part: &'a str, is_host: &dyn Fn(&str) -> bool) -> Option<TorqueSpec<'a>> {
    let mut spec = TorqueSpec { count: 1, slots: 1, ..TorqueSpec::default() };
    for (at, word) in part.split(':').map(str::trim).filter(|word| !word.is_empty()).enumerate() {
        let value_of = |key: &str| word.strip_prefix(key).and_then(|rest| rest.strip_prefix('='));
        if let Some(slots) = value_of("ppn") {
            spec.slots = slots.parse().ok()?;
        } else if let Some(gpus) = value_of("gpus") {
            spec.gpus = gpus.parse().ok()?;
        } else if let Some(mics) = value_of("mics") {
            spec.mics = mics.parse().ok()?;
        } else if word.contains('=') {
            return None;
        } else if at == 0 && word.bytes().all(|byte| byte.is_ascii_digit()) {
            spec.count = word.parse().ok()?;
        } else if at == 0 && is_host(word) {
            spec.host = Some(word);
        } else if !(spec.gpus > 0 && MODES.contains(&word)) {
            spec.properties.push(word);
        }
    }
    Some(spec)
}

/// The complete request of a job.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TorqueRequest<'a> {
    pub(super) specs: Vec<TorqueSpec<'a>>,
    /// Whether each chunk needs its own node.
    pub(super) distinct: bool,
    pub(super) exclusive: bool,
}

impl<'a> TorqueRequest<'a> {
    /// Returns a request for `count` chunks of `slots` slots each.
    pub(super) fn of(count: u32, slots: u32) -> Self {
        Self { specs: vec![TorqueSpec { count, slots, ..TorqueSpec::default() }], ..Self::default() }
    }

    /// Adds properties to every part.
    pub(super) fn require(&mut self, properties: &[&'a str]) {
        for spec in &mut self.specs {
            let new = properties.iter().filter(|property| !spec.properties.contains(property));
            let new: Vec<&str> = new.copied().collect();
            spec.properties.extend(new);
        }
    }

    /// Sets the memory of each chunk: the larger of the memory per task times its tasks, and its share of the job's
    /// memory.
    pub(super) fn remember(&mut self, of_job: Option<&str>, of_task: Option<&str>) {
        let of_job = of_job.and_then(kilobytes).unwrap_or(0);
        let of_task = of_task.and_then(kilobytes).unwrap_or(0);
        let tasks: u64 = self.specs.iter().map(|spec| u64::from(spec.count) * u64::from(spec.slots)).sum();
        for spec in &mut self.specs {
            let slots = u64::from(spec.slots);
            let share = u128::from(of_job) * u128::from(slots);
            let share = share.div_ceil(u128::from(tasks.max(1)));
            let share = u64::try_from(share).unwrap_or(u64::MAX);
            spec.memory = spec.memory.max(share).max(of_task.saturating_mul(slots));
        }
    }

    /// Returns the select as PBS writes it.
    pub(super) fn select(&self) -> String {
        let parts: Vec<String> = self.specs.iter().map(TorqueSpec::chunk).collect();
        parts.join("+")
    }

    /// Returns the place as PBS writes it.
    pub(super) fn place(&self) -> String {
        let arrangement = if self.distinct { "scatter" } else { "free" };
        if self.exclusive { format!("{arrangement}:excl") } else { arrangement.to_owned() }
    }
}

impl TorqueSpec<'_> {
    fn chunk(&self) -> String {
        let mut text = format!("{}:ncpus={}", self.count, self.slots);
        for (name, amount) in [("ngpus", self.gpus), ("nmics", self.mics)] {
            if amount > 0 {
                text.push_str(&format!(":{name}={amount}"));
            }
        }
        if self.memory > 0 {
            text.push_str(&format!(":mem={}kb", self.memory));
        }
        if let Some(host) = self.host {
            text.push_str(&format!(":vnode={host}"));
        }
        for property in &self.properties {
            text.push_str(&format!(":{property}=True"));
        }
        text
    }
}

/// Whether a job's nodes are distinct; if that is not stated, they are tasks if the job has options of Maui or Moab.
pub(super) fn is_distinct(node_match: TorqueNodeMatch, has_words_of_maui: bool) -> bool {
    match node_match {
        TorqueNodeMatch::Distinct => true,
        TorqueNodeMatch::Tasks => false,
        TorqueNodeMatch::Unknown => !has_words_of_maui,
    }
}

/// Number of jobs matched in each way, to be reported once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct NodeMatchCounts {
    pub(super) distinct: usize,
    pub(super) tasks: usize,
}

impl NodeMatchCounts {
    /// Returns a sentence, if any job requested several nodes.
    pub(super) fn sentence(self) -> Option<String> {
        let Self { distinct, tasks } = self;
        let jobs = |number| count(number, "job");
        match (distinct, tasks) {
            (0, 0) => None,
            (_, 0) => Some(format!("nodes= of {} taken as distinct nodes, as Torque does", jobs(distinct))),
            (0, _) => Some(format!("nodes= of {} taken as tasks, as Maui does", jobs(tasks))),
            _ => Some(format!(
                "nodes= of {} taken as distinct nodes, as Torque does, and of {} as tasks, as Maui does",
                jobs(distinct),
                jobs(tasks)
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_a_request() {
        let text = "2:ppn=4:fast+n7:ppn=8:gpus=1:exclusive_process+1:big#ib";
        let specs = specs(text, &|word| word == "n7").unwrap();
        let request = TorqueRequest { specs, distinct: true, exclusive: false };
        assert_eq!(
            request.select(),
            "2:ncpus=4:fast=True:ib=True+1:ncpus=8:ngpus=1:vnode=n7:ib=True+1:ncpus=1:big=True:ib=True"
        );
        assert_eq!(request.place(), "scatter");
    }

    #[test]
    fn a_first_word_that_is_no_host_is_a_property() {
        let specs = specs("fast:ppn=2", &|_| false).unwrap();
        assert_eq!((specs[0].count, specs[0].slots, &*specs[0].properties), (1, 2, &["fast"][..]));
        assert_eq!(super::specs("2:ppn=x", &|_| false), Err("2:ppn=x"));
        assert_eq!(super::specs("2:foo=1", &|_| false), Err("2:foo=1"));
    }

    #[test]
    fn memory_of_a_chunk_is_the_larger_of_two() {
        let mut request = TorqueRequest {
            specs: specs("2:ppn=4+1:ppn=2", &|_| false).unwrap(),
            ..TorqueRequest::default()
        };
        request.remember(Some("10gb"), Some("512mb"));
        let memory: Vec<u64> = request.specs.iter().map(|spec| spec.memory).collect();
        // A tenth of 10 GB for each of ten tasks, against 512 MB per task.
        assert_eq!(memory, [4 << 20, 2 << 20]);
        request.remember(None, Some("2gb"));
        assert_eq!(request.specs[0].memory, 8 << 20);
    }

    proptest::proptest! {
        #[test]
        fn any_request_is_read(text in "[0-9a-z:=+#]{0,60}") {
            let _read = specs(&text, &|word| word == "a");
        }
    }
}
