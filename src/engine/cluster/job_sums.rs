//! Job-wide totals, summed over the chunks of the select as the server does (rule 2.2).

use super::{Amount, Catalogue, Job, ResourceId, ResourceList, Select, Value};

impl Job {
    /// Returns the job with another select, and with the sums in `Resource_List` that follow from it.
    pub fn with_select(&self, select: Select, catalogue: &Catalogue) -> Self {
        let requested = summed(self, &select, catalogue);
        Self { select: Some(select), asked: None, requested: requested.into(), ..self.clone() }
    }
}

fn summed(job: &Job, select: &Select, catalogue: &Catalogue) -> ResourceList {
    let is_sum = |id: ResourceId| {
        let def = catalogue.def(id);
        def.flags.summed && def.kind.is_consumable() && job.requests_in_chunks(&def.name)
    };
    let mut list = ResourceList::default();
    for (id, value) in job.requested.iter().filter(|(id, _)| !is_sum(*id)) {
        list.set(id, value.clone());
    }
    for (id, sum) in select.sums(catalogue).iter() {
        list.set(id, sum.clone());
    }
    if job.requested.get(ResourceId::nodect()).is_some() {
        list.set(ResourceId::nodect(), Value::Amount(Amount(select.total_chunks() as f64)));
    }
    list
}
