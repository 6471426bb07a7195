//! Measures the time of packing: three queues on four node types, target time 30 minutes.
//!
//!     cargo bench --bench capacity
//!
//! `compat` packs in doubles as the original does; `exact` is the default without the use of room on later
//! types; `default` is the default. The last but one column is the time for one job in microseconds, which
//! shows the growth.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

use std::io::Write;
use std::time::Instant;

use qscope::capacity::measure::{Milli, PackingNumber};
use qscope::capacity::packer::{Packer, PackingRules};
use qscope::capacity::shape::CapacityShape;

const GIB: i64 = 1 << 30;

/// Pseudo-random numbers that are the same on every machine.
struct Numbers(u64);

impl Numbers {
    /// Returns a number from 0 to below 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn jobs(queue: &str, count: usize) -> Vec<CapacityShape> {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let job = |n: &mut Numbers| match queue {
        "short" => CapacityShape {
            wall_time: (1.0 + n.next() * 599.0).round(),
            memory: ((0.5 + n.next() * 7.5) * GIB as f64) as i64,
            cores: 1.0 + (n.next() * 4.0).floor(),
            disk: (n.next() * 10.0 * GIB as f64) as i64,
            ..CapacityShape::default()
        },
        "mixed" => CapacityShape {
            wall_time: (60.0 * 1020_f64.powf(n.next())).round(),
            memory: (128_f64.powf(n.next()) * GIB as f64) as i64,
            cores: 2_f64.powf((n.next() * 6.0).floor()),
            disk: GIB,
            ..CapacityShape::default()
        },
        _ => {
            CapacityShape { wall_time: 300.0, memory: GIB, cores: 1.0, disk: GIB, ..CapacityShape::default() }
        }
    };
    (0..count).map(|_| job(&mut numbers)).collect()
}

fn types() -> Vec<CapacityShape> {
    [(4, 1.0), (16, 4.0), (64, 16.0), (256, 32.0)]
        .map(|(gib, cores)| CapacityShape {
            wall_time: 3600.0,
            memory: gib * GIB,
            cores,
            disk: 500 * GIB,
            ..CapacityShape::default()
        })
        .to_vec()
}

fn main() {
    say("queue         jobs  mode        seconds  us/job  nodes by type, slices");
    for queue in ["short", "mixed", "identical"] {
        for count in [1_000, 10_000, 100_000] {
            measure::<f64>(queue, count, "compat", false);
            measure::<Milli>(queue, count, "exact", false);
            measure::<Milli>(queue, count, "default", true);
        }
    }
}

/// Prints the median of three runs.
fn measure<N: PackingNumber>(queue: &str, count: usize, mode: &str, overflow: bool) {
    let all = jobs(queue, count);
    let mut times = Vec::new();
    let mut packed = String::new();
    for _ in 0..3 {
        let mut jobs = all.clone();
        let started = Instant::now();
        let mut packer =
            Packer::<N>::new(types(), PackingRules { target: 1800.0, overflow, merge_equal: false });
        packer.pack(&mut jobs).unwrap();
        times.push(started.elapsed().as_secs_f64());
        packed = format!("{:?}", packer.counts());
    }
    times.sort_by(f64::total_cmp);
    let each = times[1] * 1e6 / count as f64;
    say(&format!("{queue:<10} {count:>7}  {mode:<8} {:>10.4} {each:>7.2}  {packed}", times[1]));
}

fn say(line: &str) {
    writeln!(std::io::stdout().lock(), "{line}").unwrap();
}
