//! Requests in accounting logs of Torque, translated into those of PBS (sites 4.8).

use std::sync::Arc;

use qscope_engine::cluster::{FilePosition, Snapshot};

use super::job::{TorqueSubject, WORDS};
use super::memory::length;
use super::request::{NodeMatchCounts, TorqueRequest, TorqueSpec};
use super::{TorqueContext, extension};
use crate::log::DiagnosticLog;
use crate::record::{Attribute, Record};

/// Translates the requests of a log's jobs one by one, and counts how `nodes=` was taken.
#[derive(Debug, Default)]
pub struct TorqueRequests {
    context: TorqueContext,
    matched: NodeMatchCounts,
}

impl TorqueRequests {
    /// Creates a translation for a cluster, whose names of vnodes are hosts in requests; other words are properties.
    pub fn of(snapshot: &Snapshot) -> Self {
        let hosts = snapshot.nodes.iter().map(|node| node.name.clone()).collect();
        let context = TorqueContext { hosts: Arc::new(hosts), ..TorqueContext::default() };
        Self { context, matched: NodeMatchCounts::default() }
    }

    /// Returns the resource list of PBS for one of Torque and the job's options for Maui (`x`): a select, a place, and
    /// sums over the chunks. `None` if the request cannot be read.
    pub fn resource_list(
        &mut self,
        resources: &[(String, String)],
        options: Option<&str>,
    ) -> Option<Vec<(String, String)>> {
        let asked = resources.iter().map(|(name, value)| {
            Attribute::on_line("Resource_List".into(), Some(name.as_str().into()), value.as_str().into(), 1)
        });
        let options = options.map(|value| Attribute::on_line("x".into(), None, value.into(), 1));
        let record = Record {
            name: "job".into(),
            position: FilePosition::Line(1),
            attributes: asked.chain(options).collect(),
        };
        let extensions = record.value("x").map(extension::pairs).unwrap_or_default();
        let subject = TorqueSubject { record: &record, extensions: &extensions, context: &self.context };
        let request = subject.request(&mut self.matched, &mut DiagnosticLog::default())?;
        let kept = resources.iter().filter(|(name, _)| !WORDS.contains(&&**name));
        let kept = kept.map(|(name, value)| (name.clone(), length(value).unwrap_or_else(|| value.clone())));
        let named = |name: &str, value| (name.to_owned(), value);
        let asked = [named("select", request.select()), named("place", request.place())];
        Some(kept.chain(asked).chain(sums(&request)).collect())
    }

    /// Returns a sentence about how `nodes=` was taken, if any job requested several nodes.
    pub fn sentence(&self) -> Option<String> {
        self.matched.sentence()
    }
}

/// Returns the sums over the chunks of a request, as the server of PBS writes them.
fn sums(request: &TorqueRequest<'_>) -> Vec<(String, String)> {
    let sum = |of_chunk: fn(&TorqueSpec<'_>) -> u64| -> u64 {
        request.specs.iter().map(|spec| u64::from(spec.count).saturating_mul(of_chunk(spec))).sum()
    };
    let named = |name: &str, value: String| (name.to_owned(), value);
    let mut sums = vec![
        named("ncpus", sum(|spec| spec.slots.into()).to_string()),
        named("nodect", sum(|_| 1).to_string()),
    ];
    for (name, amount) in [("ngpus", sum(|spec| spec.gpus.into())), ("nmics", sum(|spec| spec.mics.into()))] {
        if amount > 0 {
            sums.push(named(name, amount.to_string()));
        }
    }
    let memory = sum(|spec| spec.memory);
    if memory > 0 {
        sums.push(named("mem", format!("{memory}kb")));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::Epoch;

    fn list(resources: &[(&str, &str)], options: Option<&str>) -> Option<String> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let resources: Vec<_> = resources.iter().map(owned).collect();
        let mut requests = TorqueRequests::of(&Snapshot::empty("c", Epoch(0)));
        let mut made = requests.resource_list(&resources, options)?;
        made.sort();
        Some(made.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn requests_are_chunks_with_sums() {
        let nodes = [("nodes", "2:ppn=4"), ("neednodes", "2:ppn=4"), ("nodect", "2"), ("walltime", "3600")];
        assert_eq!(
            list(&nodes, None).as_deref(),
            Some("ncpus=8 nodect=2 place=scatter select=2:ncpus=4 walltime=3600")
        );
        assert_eq!(
            list(&[("procs", "6"), ("mem", "6gb"), ("walltime", "1:00:00:00")], None).as_deref(),
            Some("mem=6291456kb ncpus=6 nodect=6 place=free select=6:ncpus=1:mem=1048576kb walltime=86400")
        );
        let of_maui = list(&[("nodes", "2:ppn=4")], Some("FLAGS:x"));
        assert_eq!(of_maui.as_deref(), Some("ncpus=8 nodect=2 place=free select=2:ncpus=4"));
        assert_eq!(list(&[("nodes", "2:ppn=x")], None), None);
    }
}
