//! The assumed run time of a queued job.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::Name;

/// Source of an assumed wall time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum RuntimeSource {
    /// It is a service: it runs until no job needs it.
    Service,
    Declared,
    /// The mean of this many jobs of its name.
    History(u32),
    /// The mean of this many jobs of any name.
    #[strum(to_string = "any history")]
    AnyHistory(u32),
    /// Nothing is known of the job.
    Guess,
}

impl RuntimeSource {
    /// Returns the word for it in answers.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Running means of the jobs that completed.
#[derive(Clone, Debug, Default)]
pub struct Runtimes {
    by_name: FxHashMap<Name, (u32, f64)>,
    all: (u32, f64),
}

impl Runtimes {
    /// Counts a job of this name that ran for `seconds`.
    pub fn completed(&mut self, name: &str, seconds: f64) {
        match self.by_name.get_mut(name) {
            // The two means are computed by different formulas, as in the original; in doubles the results
            // differ.
            Some((n, mean)) => {
                let before = f64::from(*n);
                *mean = (*mean * before + seconds) / (before + 1.0);
                *n += 1;
            }
            None => {
                self.by_name.insert(name.into(), (1, seconds));
            }
        }
        let (n, mean) = &mut self.all;
        *n += 1;
        let count = f64::from(*n);
        *mean = (*mean * (count - 1.0) + seconds) / count;
    }

    /// Returns the mean of the jobs of this name, else of all jobs; none if there are none.
    pub fn mean(&self, name: &str) -> Option<(f64, RuntimeSource)> {
        if let Some((n, mean)) = self.by_name.get(name) {
            return Some((*mean, RuntimeSource::History(*n)));
        }
        let (n, mean) = self.all;
        (mean > 0.0).then_some((mean, RuntimeSource::AnyHistory(n)))
    }

    /// Returns the assumed run time of a job in seconds and its source: a service outlasts everything that is
    /// planned; other jobs have the mean from history, else the guess.
    pub fn wall_time(
        &self,
        name: &str,
        service: bool,
        target: f64,
        guess: WallTimeGuess,
    ) -> (f64, RuntimeSource) {
        if service {
            return (service_wall_time(target), RuntimeSource::Service);
        }
        self.mean(name).unwrap_or_else(|| (guess.seconds(target), RuntimeSource::Guess))
    }
}

/// Returns the wall time of a service in seconds: long enough that services are not planned one after the
/// other.
pub fn service_wall_time(target: f64) -> f64 {
    24.0 * target + 3600.0
}

/// The wall time assumed for a job about which nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WallTimeGuess {
    /// One second, as in the original: everything packs on one node (defect 13.6).
    OneSecond,
    /// Longer than the target time, so that no job is planned to start after it.
    #[default]
    PastTarget,
}

impl WallTimeGuess {
    pub fn seconds(self, target: f64) -> f64 {
        match self {
            Self::OneSecond => 1.0,
            Self::PastTarget => target + 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_history_then_any_then_a_guess() {
        let mut runtimes = Runtimes::default();
        assert_eq!(
            runtimes.wall_time("a", false, 60.0, WallTimeGuess::OneSecond),
            (1.0, RuntimeSource::Guess)
        );
        assert_eq!(
            runtimes.wall_time("a", false, 60.0, WallTimeGuess::PastTarget),
            (61.0, RuntimeSource::Guess)
        );
        runtimes.completed("b", 10.0);
        runtimes.completed("b", 20.0);
        assert_eq!(
            runtimes.wall_time("b", false, 60.0, WallTimeGuess::OneSecond),
            (15.0, RuntimeSource::History(2))
        );
        assert_eq!(
            runtimes.wall_time("a", false, 60.0, WallTimeGuess::OneSecond),
            (15.0, RuntimeSource::AnyHistory(2))
        );
        assert_eq!(
            runtimes.wall_time("a", true, 60.0, WallTimeGuess::OneSecond),
            (5040.0, RuntimeSource::Service)
        );
    }
}
