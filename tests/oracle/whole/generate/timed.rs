//! Adds times of day to a generated cluster: prime and dedicated time near the time of the cycle, queues for
//! them, and options that differ between them.

use qscope_engine::cluster::{
    ByPeriod, DayKind, DaySchedule, DedicatedSlot, Epoch, Holidays, Name, PeriodStart, Queue, Seconds,
    Snapshot,
};

use super::dice::Dice;

const HOUR: i64 = 3600;

/// Returns the cluster of a seed with prime and dedicated time.
pub fn timed_cluster(seed: u64) -> Snapshot {
    let mut snap = super::cluster(seed);
    let mut dice = Dice::new(seed ^ 0x7157);
    let policy = &mut snap.policy;
    policy.primetime_prefix = "p_".into();
    policy.nonprimetime_prefix = "np_".into();
    policy.dedicated_prefix = "ded".into();
    policy.backfill_prime = dice.of(&[
        ByPeriod::both(false),
        ByPeriod::both(true),
        ByPeriod { prime: true, non_prime: false },
        ByPeriod { prime: false, non_prime: true },
    ]);
    policy.prime_exempt_anytime_queues = dice.percent(40);
    let mut spill = || Seconds(dice.of(&[0, 0, 0, 1800, 2 * HOUR]));
    policy.prime_spill = ByPeriod { prime: spill(), non_prime: spill() };
    if dice.percent(20) {
        policy.strict_ordering.prime = !policy.strict_ordering.non_prime;
    }
    let mut queues: Vec<Name> = Vec::new();
    if dice.percent(75) {
        // The cycle runs on a Friday at 04:40.
        let (from, to) = dice.of(&[(360, 1050), (300, 420), (120, 330), (270, 285), (540, 60)]);
        let weekend = |day| DaySchedule {
            days: DayKind::Day(day),
            prime: PeriodStart::None,
            non_prime: PeriodStart::All,
        };
        let week = DaySchedule {
            days: DayKind::Weekday,
            prime: PeriodStart::At(from),
            non_prime: PeriodStart::At(to),
        };
        let days = vec![week, weekend(6), weekend(0)];
        snap.holidays = Some(Holidays { year: Some(2025), days, holidays: Vec::new() });
        queues.extend(["p_q".into(), "np_q".into()]);
    }
    if dice.percent(60) {
        let from = snap.now.0 + dice.of(&[-HOUR, -600, 600, HOUR, 2 * HOUR, 3 * HOUR]);
        let second = from + dice.of(&[6, 12]) * HOUR;
        for from in [from, second] {
            let to = from + dice.of(&[1800, HOUR, 3 * HOUR]);
            snap.dedicated_time.push(DedicatedSlot { from: Epoch(from), to: Epoch(to) });
        }
        queues.push("ded1".into());
    }
    for name in &queues {
        let queue = Queue { priority: dice.range(0, 120), ..Queue::named(name) };
        snap.queues.push(queue);
    }
    for id in snap.jobs.ids().collect::<Vec<_>>() {
        let job = &mut snap.jobs[id];
        if job.exec_vnode.is_none() && job.reservation.is_none() && !queues.is_empty() && dice.percent(35) {
            job.queue = dice.of(&queues);
        }
    }
    snap
}
