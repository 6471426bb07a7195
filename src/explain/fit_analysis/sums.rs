//! Totals requested of each consumable, and what the nodes that could serve have left.

use rustc_hash::FxHashSet;

use qscope_engine::cluster::ResourceId;
use qscope_engine::universe::{Bit, ConsIx};

use super::{FitAnalysis, need};

/// The total requested of one resource, and what there is of it.
#[derive(Clone, Debug)]
pub(crate) struct ResourceSum {
    pub resource: ResourceId,
    /// Requested by all chunks together.
    pub requested: f64,
    /// Left on nodes that are up.
    pub left: f64,
    /// The total of these nodes, including those that are down.
    pub total: f64,
    /// The only chunk spec that it concerns; `None` for all of them.
    pub part: Option<usize>,
}

impl FitAnalysis<'_> {
    /// Returns, for every consumable, what all chunks request and what the nodes that could serve have left, the
    /// scarcest first. Each chunk spec is also summed up on its own, because it may have its own conditions.
    pub(crate) fn sums(&self) -> Vec<ResourceSum> {
        let mut sums: Vec<ResourceSum> = Vec::new();
        let mut groups: Vec<Option<usize>> = vec![None];
        if self.request.specs.len() > 1 {
            groups.extend((0..self.request.specs.len()).map(Some));
        }
        for part in groups {
            let group = self.parts(part);
            for ix in self.plan().consumables.ids() {
                let requested: f64 =
                    group.iter().map(|spec| f64::from(spec.count) * need(self.plan(), spec, ix)).sum();
                if requested <= 0.0 {
                    continue;
                }
                let sum = self.sum(part, ix, requested);
                match sums.iter_mut().find(|have| have.resource == sum.resource) {
                    Some(have) if have.left >= have.requested && sum.left < sum.requested => *have = sum,
                    Some(_) => {}
                    None => sums.push(sum),
                }
            }
        }
        // Of equally scarce resources, cpus explain the least, because every node has some.
        let plain = |sum: &ResourceSum| sum.resource == ResourceId::ncpus();
        sums.sort_by(|a, b| {
            (a.left / a.requested).total_cmp(&(b.left / b.requested)).then(plain(a).cmp(&plain(b)))
        });
        sums
    }

    fn sum(&self, part: Option<usize>, ix: ConsIx, requested: f64) -> ResourceSum {
        let plan = self.plan();
        // An amount that nodes share by reference counts once.
        let shared = plan.capacity.is_shared(ix);
        let bits = || {
            let mut homes = FxHashSet::default();
            let counts = move |bit: &&Bit| !shared || homes.insert(plan.capacity.keeper(ix, **bit));
            self.could_serve_part(part).iter().filter(counts)
        };
        let total =
            |bit: &Bit| Some(plan.capacity.available(ix, *bit)).filter(|x| !x.is_nan()).unwrap_or(0.0);
        ResourceSum {
            resource: plan.consumables.resource(ix),
            requested,
            left: bits().map(|bit| self.offer(ix, *bit)).sum(),
            total: bits().map(total).sum(),
            part,
        }
    }
}
