//! Lists every setting in effect: its value, its origin, and whether it differs from the shipped one (console.md 2.1,
//! Settings).

mod calendars;

use qscope_engine::cluster::{Epoch, Policy, Snapshot, deduplicated};
use qscope_engine::universe::{Quirk, Quirks};
use qscope_source::as_read::SettingLocation;
use qscope_source::attributes::{Setting, described, option_settings, scheduler_settings, server_settings};

pub use calendars::time_settings;

/// Origin of the value of a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SettingSource {
    /// Set in a file on these lines.
    Line(String, Vec<usize>),
    /// Read from a form without line numbers.
    Read,
    /// Set in no file.
    Default,
    /// Its file was not read: the shipped value is assumed.
    Assumed,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EffectiveSetting {
    /// `sched_config`, `server`, `scheduler`, `quirks`, `holidays` or `dedicated_time`.
    pub section: &'static str,
    pub name: String,
    /// The value; `None` if it is not set.
    pub value: Option<String>,
    /// The shipped value.
    pub default: Option<String>,
    pub source: SettingSource,
    /// Meaning in one line.
    pub doc: &'static str,
}

impl EffectiveSetting {
    /// Whether its value is another than the shipped one, or set where none is shipped. What is not set has the shipped
    /// value; an option of the scheduler always has one. The version is a fact, and no choice of the site.
    pub fn differs(&self) -> bool {
        let is_set = self.value.is_some() || self.section == "sched_config";
        self.value != self.default && is_set && self.name != "pbs_version"
    }

    /// Whether `--set` and `=` accept it; a line of the scheduler's calendars they do not.
    pub fn is_settable(&self) -> bool {
        !matches!(self.section, "holidays" | "dedicated_time")
    }

    /// Returns the setting as `--set` and `=` accept it.
    pub fn text(&self) -> String {
        format!("{}.{}={}", self.section, self.name, self.value.as_deref().unwrap_or_default())
    }

    /// Returns its origin in words: `sched_config:4`, `default`.
    pub fn from_words(&self) -> String {
        match &self.source {
            SettingSource::Line(file, lines) => {
                let (first, last) = (lines.first().copied().unwrap_or(0), lines.last().copied().unwrap_or(0));
                match lines.len() {
                    1 => format!("{file}:{first}"),
                    n if last + 1 == first + n => format!("{file}:{first}-{last}"),
                    _ => format!("{file}:{first} +{}", lines.len() - 1),
                }
            }
            SettingSource::Read => "as read".to_owned(),
            SettingSource::Default => "default".to_owned(),
            SettingSource::Assumed => "assumed".to_owned(),
        }
    }
}

/// `backfill_depth` of a new server: one top job in each queue.
const BACKFILL_DEPTH: u32 = 1;

/// `max_array_size` of a new server.
const MAX_ARRAY_SIZE: u32 = 10_000;

/// Other values of a new server.
const NEW_SERVER: [(&str, &str); 4] = [
    ("default_queue", "workq"),
    ("scheduler_iteration", "00:10:00"),
    ("default_chunk.ncpus", "1"),
    ("resources_default.ncpus", "1"),
];

/// Returns all settings of the scheduler's options, the server and the scheduler object; `places` are where they are
/// set, as far as known.
pub fn settings(snap: &Snapshot, places: &[SettingLocation]) -> Vec<EffectiveSetting> {
    let mut shipped = Snapshot::empty("", Epoch(0));
    shipped.server.max_array_size = Some(MAX_ARRAY_SIZE);
    (shipped.server.scheduling, shipped.scheduler.scheduling) = (Some(true), Some(true));
    shipped.server.backfill_depth = Some(BACKFILL_DEPTH);
    let mut new_server = server_settings(&shipped);
    new_server.extend(NEW_SERVER.map(|(name, value)| (name.to_owned(), Some(value.to_owned()))));
    let mut all = Vec::new();
    let groups: [(&'static str, bool, Vec<Setting>, Vec<Setting>); 3] = [
        ("sched_config", snap.policy.assumed, options(&snap.policy), options(&Policy::as_shipped())),
        ("server", snap.server.assumed, server_settings(snap), new_server),
        ("scheduler", snap.scheduler.assumed, scheduler_settings(snap), scheduler_settings(&shipped)),
    ];
    for (section, assumed, now, default) in groups {
        let rows = names(&now).map(|name| {
            let (now, default) = (value(&now, name), value(&default, name));
            let source = from(section, name, places, assumed, now.is_some() && now != default);
            EffectiveSetting {
                section,
                name: name.to_owned(),
                value: now,
                default,
                source,
                doc: doc(section, name),
            }
        });
        all.extend(rows);
    }
    all
}

/// Returns the options of `sched_config` with `True` and `False`, as attributes have them: the file uses `true` and
/// `false`, and next to each other these would look different.
pub(crate) fn options(policy: &Policy) -> Vec<Setting> {
    let word = |word: &str| match word {
        "true" => "True".to_owned(),
        "false" => "False".to_owned(),
        other => other.to_owned(),
    };
    let shown = |text: String| text.split(' ').map(word).collect::<Vec<_>>().join(" ");
    option_settings(policy).into_iter().map(|(name, value)| (name, value.map(shown))).collect()
}

/// Returns the quirks of the scheduler that the model follows, as settings: each on or off, with its sentence.
pub fn quirk_settings(quirks: Quirks) -> Vec<EffectiveSetting> {
    let word = |on: bool| Some(if on { "on" } else { "off" }.to_owned());
    let row = |quirk: Quirk| EffectiveSetting {
        section: QUIRKS,
        name: quirk.name().to_owned(),
        value: word(quirks.has(quirk)),
        default: word(Quirks::default().has(quirk)),
        source: SettingSource::Default,
        doc: quirk.sentence(),
    };
    Quirk::ALL.iter().copied().map(row).collect()
}

/// The section of [`quirk_settings`].
pub const QUIRKS: &str = "quirks";

/// Returns the names of settings, each once.
fn names(settings: &[Setting]) -> impl Iterator<Item = &str> {
    deduplicated(settings.iter().map(|(name, _)| name.as_str())).into_iter()
}

/// Returns the value of a setting; entries with one name are joined, such as those of a limit.
fn value(settings: &[Setting], name: &str) -> Option<String> {
    let all = settings.iter().filter(|(have, _)| have == name).filter_map(|(_, value)| value.clone());
    let all: Vec<String> = all.collect();
    (!all.is_empty()).then(|| all.join(","))
}

fn from(
    section: &str,
    name: &str,
    places: &[SettingLocation],
    assumed: bool,
    differs: bool,
) -> SettingSource {
    let full = format!("{section}.{name}");
    let known = if section == "sched_config" { name } else { &full };
    let found: Vec<&SettingLocation> = places.iter().filter(|place| place.name == known).collect();
    match found.first() {
        Some(first) => {
            SettingSource::Line(first.file.clone(), found.iter().map(|place| place.line).collect())
        }
        // A hand-written cluster sets the server and the scheduler in the same file, by names without a section.
        None if let Some(place) =
            places.iter().find(|place| place.name == name && place.file == "policy.toml") =>
        {
            SettingSource::Line(place.file.clone(), vec![place.line])
        }
        None if differs => SettingSource::Read,
        None if assumed => SettingSource::Assumed,
        None => SettingSource::Default,
    }
}

/// Returns the meaning of a setting; for one with a resource, that of the whole attribute.
fn doc(section: &str, name: &str) -> &'static str {
    let base = name.split_once('.').map_or(name, |(base, _)| base);
    let group = match section {
        "server" => "Server",
        "scheduler" => "Scheduler",
        other => other,
    };
    let all = described();
    let rows = all.iter().find(|(object, _)| *object == group).map(|(_, rows)| rows);
    rows.and_then(|rows| rows.iter().find(|row| row.name == base)).map_or("", |row| row.doc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_its_value_its_place_and_whether_it_differs() {
        let mut snap = Snapshot::empty("t", Epoch(0));
        snap.policy = Policy::as_shipped();
        snap.policy.assumed = false;
        snap.policy.strict_ordering = qscope_engine::cluster::ByPeriod::both(true);
        let place = |name: &str, line| SettingLocation {
            name: name.to_owned(),
            file: "sched_config".to_owned(),
            line,
        };
        let all = settings(&snap, &[place("strict_ordering", 4), place("by_queue", 2), place("by_queue", 3)]);
        let named = |name: &str| all.iter().find(|one| one.name == name).unwrap();
        let strict = named("strict_ordering");
        assert_eq!((strict.from_words(), strict.differs()), ("sched_config:4".to_owned(), true));
        assert_eq!(strict.text(), "sched_config.strict_ordering=True");
        assert!(!strict.doc.is_empty());
        assert_eq!(
            (named("by_queue").from_words(), named("by_queue").differs()),
            ("sched_config:2-3".to_owned(), false)
        );
        assert_eq!(named("fair_share").from_words(), "default");
    }

    #[test]
    fn what_no_new_server_sets_differs_and_what_it_sets_does_not() {
        let mut snap = Snapshot::empty("t", Epoch(0));
        snap.scheduler.formula_threshold = Some(20.0);
        snap.server.default_queue = Some("workq".into());
        let differs = |snap: &Snapshot, name: &str| {
            settings(snap, &[]).iter().any(|one| one.name == name && one.differs())
        };
        assert!(differs(&snap, "job_sort_formula_threshold") && !differs(&snap, "default_queue"));
        assert!(!differs(&snap, "job_sort_formula") && !differs(&snap, "scheduler_iteration"));
        snap.server.default_queue = Some("batch".into());
        assert!(differs(&snap, "default_queue"));
    }
}
