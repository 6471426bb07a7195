//! Synthetic work: classes of jobs with random arrivals, from settings and a seed.
//!
//! Each class draws from a stream of its own: stream `n` is seeded with the `n`th number drawn from the seed.
//! A burst comes after an exponential gap; times are summed and then rounded down to seconds. The size of a
//! burst is geometric, the run time of each of its jobs lognormal. A profile thins bursts: each is kept with
//! the probability of its hour's rate divided by the largest rate.

mod arrivals;

use std::num::NonZeroU32;

use serde::Deserialize;

use super::nodes::NodesSpec;
use super::policy::whole_seconds;
use super::random::SplitMix64;
use super::{ClassNo, FarmError, Workload};
use arrivals::BurstStream;
pub use arrivals::SyntheticArrivals;

/// Settings of synthetic work.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SyntheticSettings {
    /// The seed of all random numbers.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// The nodes: `800x8`, several kinds separated by commas.
    pub nodes: String,
    /// Duration of the arrivals: `6d`.
    pub span: String,
    /// The work that arrives, as a fraction of the farm's capacity.
    pub load: f64,
    /// The classes that pack.
    #[serde(default)]
    pub pack: Vec<String>,
    /// Figures that others published about such work, each with its source: printed next to the computed
    /// ones.
    #[serde(default)]
    pub published: Vec<String>,
    #[serde(rename = "class")]
    pub classes: Vec<ClassSettings>,
}

/// One class of synthetic jobs.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassSettings {
    pub name: String,
    /// Its fraction of the load.
    pub share: f64,
    /// The mean run time: `5h`.
    pub run: String,
    /// Deviation of the run time's logarithm; with 0 every job has the mean.
    #[serde(default)]
    pub sigma: f64,
    /// The mean number of jobs in a burst; with 1 there are no bursts.
    #[serde(default = "one")]
    pub burst: f64,
    #[serde(default = "one_slot")]
    pub slots: u32,
    /// Relative rate of arrivals in each hour of the day (24) or of the week (168), in any unit.
    #[serde(default)]
    pub profile: Vec<f64>,
    /// Number of the seed's stream it draws from, counted from 1; by default its position in the file. A
    /// class that keeps its stream draws the same numbers, whatever other classes there are.
    pub stream: Option<NonZeroU32>,
}

fn default_seed() -> u64 {
    42
}
fn one() -> f64 {
    1.0
}
fn one_slot() -> u32 {
    1
}

impl SyntheticSettings {
    /// Reads settings.
    ///
    /// # Errors
    /// The text is not TOML, a key is unknown, or a number is out of range; with the file and line.
    pub fn parse(file: &str, text: &str) -> Result<Self, FarmError> {
        let settings: Self = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = text.get(..at).unwrap_or_default().matches('\n').count() as u64 + 1;
            FarmError::Line { file: file.to_owned(), line, what: error.message().to_owned() }
        })?;
        settings.checked(file)
    }

    /// Returns the settings after a check of all numbers.
    ///
    /// # Errors
    /// The number that is out of range.
    pub fn checked(self, file: &str) -> Result<Self, FarmError> {
        self.check().map_err(|what| FarmError::File { file: file.to_owned(), what })?;
        Ok(self)
    }

    fn check(&self) -> Result<(), String> {
        NodesSpec::parse(&self.nodes).map_err(|error| error.to_string())?;
        whole_seconds(&self.span).filter(|span| *span > 0).ok_or("span: expected a time as 6d")?;
        let positive = |what: &str, number: f64| {
            if number > 0.0 && number.is_finite() {
                Ok(())
            } else {
                Err(format!("{what}: expected more than 0"))
            }
        };
        positive("load", self.load)?;
        if self.classes.is_empty() {
            return Err("expected at least one [[class]]".to_owned());
        }
        for class in &self.classes {
            let name = &class.name;
            positive(&format!("{name}: share"), class.share)?;
            positive(&format!("{name}: burst"), class.burst)?;
            whole_seconds(&class.run)
                .filter(|run| *run > 0)
                .ok_or_else(|| format!("{name}: run: expected a time"))?;
            if !(0.0..=5.0).contains(&class.sigma) {
                return Err(format!("{name}: sigma: expected 0 to 5"));
            }
            if class.slots == 0 || !matches!(class.profile.len(), 0 | 24 | 168) {
                return Err(format!("{name}: expected a slot or more, and 24 or 168 hours in a profile"));
            }
            if class.profile.iter().any(|rate| !(0.0..1e12).contains(rate)) {
                return Err(format!("{name}: profile: expected numbers from 0"));
            }
            // Estimated number of arriving jobs: more can neither run nor wait.
            let jobs = self.load * class.share * self.total_slots() as f64 * self.seconds() as f64
                / whole_seconds(&class.run).unwrap_or(1) as f64;
            if jobs > 5e7 {
                let about = if jobs < 1e15 { format!("{jobs:.0}") } else { format!("{jobs:.1e}") };
                return Err(format!("{name}: about {about} jobs are more than can be simulated"));
            }
        }
        self.check_streams()
    }

    /// Checks that no two classes draw the same numbers.
    fn check_streams(&self) -> Result<(), String> {
        let mut drawn: Vec<(u32, &str)> = Vec::new();
        for (place, class) in (1..).zip(&self.classes) {
            let stream = class.stream_at(place);
            if let Some((_, other)) = drawn.iter().find(|(taken, _)| *taken == stream) {
                return Err(format!("{}: stream {stream} is drawn from by {other} too", class.name));
            }
            drawn.push((stream, &class.name));
        }
        Ok(())
    }

    fn total_slots(&self) -> u64 {
        NodesSpec::parse(&self.nodes).map_or(0, |nodes| nodes.total_slots())
    }

    fn seconds(&self) -> i64 {
        whole_seconds(&self.span).unwrap_or(0)
    }

    /// Returns the farm without jobs.
    pub fn farm(&self) -> Workload {
        let mut names: Vec<&str> = self.classes.iter().map(|class| class.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let nodes = NodesSpec::parse(&self.nodes).map(|nodes| nodes.nodes()).unwrap_or_default();
        Workload {
            nodes: nodes.into(),
            classes: names.into_iter().map(Into::into).collect(),
            ..Workload::default()
        }
    }

    /// Returns the jobs in order of arrival.
    pub fn arrivals(&self) -> SyntheticArrivals {
        let farm = self.farm();
        let total = self.total_slots() as f64;
        let streams = (1..).zip(&self.classes).map(|(place, class)| {
            let run = whole_seconds(&class.run).unwrap_or(1) as f64;
            let peak = class.profile.iter().copied().fold(0.0, f64::max);
            let mean = class.profile.iter().sum::<f64>() / class.profile.len().max(1) as f64;
            // With a profile, bursts are drawn at the rate of the busiest hour and then thinned.
            let thinning = if peak > 0.0 { mean / peak } else { 1.0 };
            let work = run * f64::from(class.slots) * class.burst;
            BurstStream {
                class: farm.class_named(&class.name).unwrap_or(ClassNo(0)),
                random: SplitMix64::stream(self.seed, class.stream_at(place)),
                at: 0.0,
                gap: work / (self.load * class.share * total) * thinning,
                run,
                sigma: class.sigma,
                burst: class.burst,
                slots: class.slots,
                profile: class.profile.clone(),
                peak,
            }
        });
        SyntheticArrivals::of(streams.collect(), self.seconds())
    }

    /// Returns the farm with all its jobs.
    pub fn workload(&self) -> Workload {
        let mut farm = self.farm();
        farm.jobs = self.arrivals().map(|(_, job)| job).collect();
        farm
    }

    pub fn packing(&self, farm: &Workload) -> Vec<ClassNo> {
        self.pack.iter().filter_map(|name| farm.class_named(name)).collect()
    }
}

impl ClassSettings {
    /// Returns the stream of a class at this position in the file, both counted from 1.
    fn stream_at(&self, place: u32) -> u32 {
        self.stream.map_or(place, NonZeroU32::get)
    }
}
