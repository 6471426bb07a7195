//! Drawing of unknown run times from those of finished jobs (days rule 14).
//!
//! The draw of a job depends only on the seed, the replication and its id, so it is the same under every setting and
//! whatever else arrives.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Epoch, Job, JobState, Name};

use super::{Arrival, JobBehaviour, SimulationInput};
use crate::arrivals::used_walltime;
use crate::server::arrays::subjob_name;
use crate::track::walltime;

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum RuntimeModel {
    /// As given by the arrivals.
    #[default]
    Exact,
    /// Every job runs for its whole walltime.
    Walltime,
    /// Drawn: the fraction of its walltime that another job of the same user, of the same queue, or any job ran.
    History,
    /// As given by the arrivals, multiplied by a factor.
    Factor(f64),
}

/// Number of finished jobs of a user or queue that suffice to draw from.
const ENOUGH: usize = 20;

/// SplitMix64, a generator whose state is one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// Returns the stream of a job.
    pub fn of_job(seed: u64, replication: u64, id: &str) -> Self {
        Self(mix(mix(mix(seed) ^ replication) ^ fnv1a(id)))
    }

    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix_bits(self.0)
    }

    /// Returns a number in the range from 0 to below 1.
    // An `f64` holds 53 bits exactly.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }
}

/// Increment of the generator's state.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(value: u64) -> u64 {
    mix_bits(value.wrapping_add(GOLDEN))
}

fn mix_bits(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Returns the 64-bit FNV-1a hash of a text.
pub fn fnv1a(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Ratios of run time to walltime of finished jobs, sorted.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RuntimeRatios {
    by_user: FxHashMap<Name, Vec<f64>>,
    by_queue: FxHashMap<Name, Vec<f64>>,
    all: Vec<f64>,
    /// Run times of jobs without a walltime, in seconds.
    lengths: Vec<i64>,
}

impl RuntimeRatios {
    /// Collects the ratios of the jobs of a history whose run time is known.
    pub fn of<'a>(history: impl IntoIterator<Item = &'a Arrival>) -> Self {
        let mut ratios = Self::default();
        let known = history.into_iter().filter_map(|one| Some((one.job.as_deref()?, one.fate.runtime?)));
        for (job, runtime) in known {
            ratios.add(job, runtime);
        }
        let sort = |list: &mut Vec<f64>| list.sort_unstable_by(f64::total_cmp);
        ratios.by_user.values_mut().chain(ratios.by_queue.values_mut()).for_each(sort);
        sort(&mut ratios.all);
        ratios.lengths.sort_unstable();
        ratios
    }

    fn add(&mut self, job: &Job, runtime: i64) {
        match walltime(job).filter(|walltime| walltime.0 > 0) {
            Some(walltime) => {
                let ratio = runtime.min(walltime.0) as f64 / walltime.0 as f64;
                self.by_user.entry(job.owner.clone()).or_default().push(ratio);
                self.by_queue.entry(job.queue.clone()).or_default().push(ratio);
                self.all.push(ratio);
            }
            None => self.lengths.push(runtime),
        }
    }

    /// Returns the number of jobs collected.
    pub fn len(&self) -> usize {
        self.all.len() + self.lengths.len()
    }

    /// Whether there is nothing to draw from.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Draws a run time in seconds for a job that has already run for `elapsed_seconds` seconds; `None` if there is nothing to
    /// draw from.
    pub fn draw(&self, job: &Job, ran: i64, stream: &mut SplitMix) -> Option<i64> {
        if self.is_empty() {
            return None;
        }
        let Some(walltime) = walltime(job) else {
            let first = self.lengths.partition_point(|length| *length < ran);
            return pick(self.lengths.get(first..).unwrap_or_default(), stream);
        };
        let enough = |list: Option<&'_ Vec<f64>>| list.is_some_and(|list| list.len() >= ENOUGH);
        let (of_user, of_queue) = (self.by_user.get(&job.owner), self.by_queue.get(&job.queue));
        let ratios = match (of_user, of_queue) {
            (Some(ratios), _) if enough(of_user) => ratios,
            (_, Some(ratios)) if enough(of_queue) => ratios,
            _ => &self.all,
        };
        let (whole, ran) = (walltime.0 as f64, ran as f64);
        let first = if ran > 0.0 { ratios.partition_point(|ratio| ratio * whole <= ran) } else { 0 };
        let later = ratios.get(first..).unwrap_or_default();
        let length = |ratio: f64| ((ratio * whole).floor() as i64).max(0);
        Some(pick(later, stream).map_or(walltime.0, length))
    }
}

fn pick<T: Copy>(sorted: &[T], stream: &mut SplitMix) -> Option<T> {
    let index = (stream.unit() * sorted.len() as f64) as usize;
    sorted.get(index).copied()
}

/// One set of run times: their source, and the seed and replication of the draw.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeDraw<'a> {
    /// Ratios of finished jobs.
    pub ratios: &'a RuntimeRatios,
    pub times: RuntimeModel,
    pub seed: u64,
    pub replication: u64,
}

impl RuntimeDraw<'_> {
    /// Returns the input with other run times, for arrivals and for jobs of the start state; the latter are drawn
    /// conditional on the time they have already run.
    pub fn of(&self, input: &SimulationInput) -> SimulationInput {
        let mut drawn = input.clone();
        for one in &mut drawn.arrivals.jobs {
            let Some(job) = one.job.as_deref() else { continue };
            self.change(&mut one.fate, job, 0);
        }
        if self.times != RuntimeModel::Exact {
            for job in &input.start.jobs {
                let fate = drawn.arrivals.start.entry(job.name.clone()).or_default();
                let ran = seconds_run(job, fate, input.start.now);
                self.change(fate, job, ran);
                self.draw_indices(fate, job);
            }
        }
        drawn
    }

    fn change(&self, fate: &mut JobBehaviour, job: &Job, ran: i64) {
        match self.times {
            RuntimeModel::Exact => {}
            RuntimeModel::Walltime => {
                fate.runtime = None;
                fate.runtimes.clear();
            }
            RuntimeModel::Factor(factor) => {
                fate.runtime = fate.runtime.map(|runtime| scaled(runtime, factor));
                fate.runtimes.values_mut().for_each(|runtime| *runtime = scaled(*runtime, factor));
            }
            RuntimeModel::History => {
                let mut stream = SplitMix::of_job(self.seed, self.replication, &job.name);
                fate.runtime = self.ratios.draw(job, ran, &mut stream);
                for runtime in fate.runtimes.values_mut() {
                    *runtime = self.ratios.draw(job, 0, &mut stream).unwrap_or(*runtime);
                }
            }
        }
    }

    /// Draws a run time for each remaining index of an array in the start state.
    fn draw_indices(&self, fate: &mut JobBehaviour, job: &Job) {
        let Some(array) = job.array.as_deref().filter(|array| array.is_parent) else { return };
        if self.times != RuntimeModel::History {
            return;
        }
        for index in &array.remaining {
            let Some(name) = subjob_name(&job.name, *index) else { continue };
            let mut stream = SplitMix::of_job(self.seed, self.replication, &name);
            if let Some(runtime) = self.ratios.draw(job, 0, &mut stream) {
                fate.runtimes.insert(*index, runtime);
            }
        }
    }
}

/// Returns the seconds that a job of the start state has run.
fn seconds_run(job: &Job, behaviour: &JobBehaviour, now: Epoch) -> i64 {
    if job.state == JobState::Running {
        return crate::server::admit::elapsed_seconds(job, behaviour, now);
    }
    if job.previous_placement().is_none() {
        return 0;
    }
    used_walltime(job).or(job.started.map(|started| (now - started).0)).unwrap_or(0).max(0)
}

fn scaled(runtime: i64, factor: f64) -> i64 {
    (runtime as f64 * factor).floor().max(0.0) as i64
}

#[cfg(test)]
mod tests {
    use qscope_engine::cluster::{Amount, ResourceId, Value};

    use super::*;

    #[test]
    fn the_generator_gives_its_published_numbers() {
        let mut stream = SplitMix(1_234_567);
        assert_eq!(stream.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(stream.next_u64(), 3_203_168_211_198_807_973);
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn without_a_past_no_run_time_is_drawn() {
        let mut job = Job::default();
        job.requested.set(ResourceId::walltime(), Value::Amount(Amount(600.0)));
        let draw = |ratios: &RuntimeRatios| ratios.draw(&job, 0, &mut SplitMix::of_job(1, 0, "1.svr"));
        assert_eq!(draw(&RuntimeRatios::default()), None, "a cycle may set its walltime");
        let mut some = RuntimeRatios::default();
        some.add(&job, 300);
        assert_eq!(draw(&some), Some(300));
    }

    #[test]
    fn the_draw_of_a_job_depends_on_nothing_but_its_id() {
        let first = |replication, id| SplitMix::of_job(1, replication, id).next_u64();
        assert_eq!(first(0, "1.svr"), first(0, "1.svr"));
        assert_ne!(first(0, "1.svr"), first(0, "2.svr"));
        assert_ne!(first(0, "1.svr"), first(1, "1.svr"));
    }
}
