//! A lower bound on the number of nodes, from volumes alone: no packing needs fewer.

use super::shape::CapacityShape;

/// Number of run times `s` for which a bound is computed.
const MOMENTS: usize = 24;

/// Returns a lower bound on the number of nodes of one type on which all these jobs begin by the target time.
///
/// By `s` seconds after the target time each job has run for at least `min(s, its wall time)`, so the amounts
/// it took for that long must fit into what the nodes offer until then; every `s` gives a bound. In addition,
/// all jobs longer than the target time run together at that moment.
pub fn lower_bound(jobs: &[(CapacityShape, u64)], node: &CapacityShape, target: f64) -> u64 {
    let amounts = |shape: &CapacityShape| {
        let whole = shape.exclusive;
        let share = |part: f64, of: f64| {
            if whole {
                1.0
            } else if of > 0.0 {
                part / of
            } else {
                0.0
            }
        };
        [
            share(shape.memory as f64, node.memory as f64),
            share(shape.cores, node.cores),
            share(shape.disk as f64, node.disk as f64),
            share(shape.gpus as f64, node.gpus as f64),
        ]
    };
    let mut walls: Vec<f64> = jobs.iter().map(|(shape, _)| shape.wall_time).collect();
    walls.sort_by(f64::total_cmp);
    let mut most: f64 = if jobs.is_empty() { 0.0 } else { 1.0 };
    for moment in 0..=MOMENTS {
        let at = (walls.len().saturating_sub(1)) * moment / MOMENTS;
        let Some(s) = walls.get(at).copied().filter(|s| *s > 0.0) else { continue };
        let sum = total(jobs, &amounts, |wall| wall.min(s));
        most = sum.iter().map(|volume| volume / (target + s)).fold(most, f64::max);
    }
    let together = total(jobs, &amounts, |wall| if wall > target { 1.0 } else { 0.0 });
    most = together.into_iter().fold(most, f64::max);
    // A sum of many doubles may be slightly above a whole number.
    (most - 1e-6).ceil().max(0.0) as u64
}

fn total(
    jobs: &[(CapacityShape, u64)],
    amounts: &impl Fn(&CapacityShape) -> [f64; 4],
    weight: impl Fn(f64) -> f64,
) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for (shape, count) in jobs {
        let factor = weight(shape.wall_time) * *count as f64;
        for (sum, amount) in sum.iter_mut().zip(amounts(shape)) {
            *sum += amount * factor;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_fill_a_node_need_one_for_each_that_cannot_wait() {
        let node = CapacityShape { wall_time: 3600.0, memory: 10, cores: 4.0, ..CapacityShape::default() };
        let job = |wall_time| CapacityShape { wall_time, memory: 10, cores: 4.0, ..CapacityShape::default() };
        assert_eq!(lower_bound(&[(job(3600.0), 7)], &node, 1800.0), 7);
        // Seven jobs of 300 s in a row begin by 1800 s.
        assert_eq!(lower_bound(&[(job(300.0), 14)], &node, 1800.0), 2);
        assert_eq!(lower_bound(&[], &node, 1800.0), 0);
    }
}
