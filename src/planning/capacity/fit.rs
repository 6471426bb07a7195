//! The amounts a job lacks on a node type, and the type that comes closest.

use serde::Serialize;

use super::shape::CapacityShape;

/// What a node type can lack for a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum LackKind {
    /// Bytes of memory.
    Memory,
    Cores,
    /// Bytes of scratch space.
    Disk,
    /// Accelerators; not known to the original.
    Gpus,
    /// The type is preemptible and the job must not be placed on such a type.
    Preemptible,
    /// Queue, partition or a resource that is not an amount; not known to the original.
    Site,
}

impl LackKind {
    /// Returns the word for it in answers.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// An amount of which a job requests more than a type has.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Lack {
    pub what: LackKind,
    /// The amount that the job requests.
    pub asked: f64,
    /// The amount of an empty node of the type.
    pub limit: f64,
}

impl Lack {
    /// Returns the missing share of the requested amount, from 0 to 1; 1 for what is not an amount.
    pub fn share(&self) -> f64 {
        match self.what {
            LackKind::Preemptible | LackKind::Site => 1.0,
            _ if self.asked > 0.0 => ((self.asked - self.limit) / self.asked).clamp(0.0, 1.0),
            _ => 1.0,
        }
    }
}

/// Returns everything a job lacks on an empty node of a type; empty if it fits.
pub fn lacks(job: &CapacityShape, node: &CapacityShape) -> Vec<Lack> {
    let mut found = Vec::new();
    let amounts = [
        (LackKind::Memory, job.memory as f64, node.memory as f64),
        (LackKind::Cores, job.cores, node.cores),
        (LackKind::Disk, job.disk as f64, node.disk as f64),
        (LackKind::Gpus, job.gpus as f64, node.gpus as f64),
    ];
    for (what, asked, limit) in amounts {
        if asked > limit {
            found.push(Lack { what, asked, limit });
        }
    }
    if node.preemptible && !job.preemptible {
        found.push(Lack { what: LackKind::Preemptible, asked: 0.0, limit: 1.0 });
    }
    found
}

/// Returns the type that comes closest to holding a job, with what is missing there: fewest shortfalls, then
/// the smallest sum of their shares; the first of equals. The original intends to report this and does not
/// (defect 13.2).
pub fn closest_type<'a>(
    job: &CapacityShape,
    types: impl IntoIterator<Item = &'a CapacityShape>,
) -> Option<(usize, Vec<Lack>)> {
    let mut best: Option<(usize, Vec<Lack>, f64)> = None;
    for (ix, node) in types.into_iter().enumerate() {
        let found = lacks(job, node);
        let short: f64 = found.iter().map(Lack::share).sum();
        let better = best.as_ref().is_none_or(|(_, have, have_short)| {
            found.len() < have.len() || (found.len() == have.len() && short < *have_short)
        });
        if better {
            best = Some((ix, found, short));
        }
    }
    best.map(|(ix, found, _)| (ix, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_type_has_the_fewest_and_then_the_smallest_shortfalls() {
        let node = |memory, cores, disk| CapacityShape {
            wall_time: 3600.0,
            memory,
            cores,
            disk,
            ..CapacityShape::default()
        };
        let types = [node(100, 1.0, 100), node(200, 40.0, 50), node(300, 2.0, 10)];
        let job =
            CapacityShape { wall_time: 10.0, memory: 150, cores: 30.0, disk: 60, ..CapacityShape::default() };
        let (ix, found) = closest_type(&job, &types).unwrap();
        assert_eq!(ix, 1, "one shortfall against two");
        assert_eq!((found.len(), found[0].what, found[0].limit), (1, LackKind::Disk, 50.0));
        assert_eq!(lacks(&job, &types[2]).len(), 2);
    }
}
