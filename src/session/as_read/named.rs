//! Finds the settings named in an answer, and where each is made.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Name, deduplicated};
use qscope_explain::{AnswerSection, AnswerTopic, Cause, scheduling_off_at};
use qscope_source::as_read::{RecordKind, SettingLocation, record};

use super::{files, places_in};
use crate::Generation;

/// Where the settings of a snapshot are made in its files: read for the first answer that names one, then kept.
#[derive(Clone, Debug, Default)]
pub struct SettingPlaces {
    /// Options of the scheduler, attributes of the server and of the scheduler object.
    all: Vec<SettingLocation>,
    /// The attributes of each queue.
    queues: FxHashMap<Name, Vec<SettingLocation>>,
}

/// Settings that are also common words. They are taken for settings wherever they occur.
const PLAIN: [&str; 2] = [SWITCH, "started"];

impl SettingPlaces {
    /// Reads the places; there are none if the files cannot be read again.
    fn read(generation: &Generation) -> Self {
        let Ok(files) = files(generation) else { return Self::default() };
        let of_queue =
            |name: &Name| Some((name.clone(), record(&files, RecordKind::Queue, name)?.places().collect()));
        let queues = generation.snapshot.queues.iter().filter_map(|queue| of_queue(&queue.name)).collect();
        Self { all: places_in(&files, generation), queues }
    }
}

/// Returns the settings named in causes and banners, with the places where they are made, after the lines of the
/// scheduler's calendars that causes rest on. The settings are left out if the files cannot be read again, or are not
/// those of the snapshot; those that a what-if sets are in no file. `queue` is that of the job.
pub fn settings_named(
    generation: &Generation,
    queue: &str,
    causes: &[Cause],
    banners: &[String],
) -> Vec<SettingLocation> {
    let mut texts: Vec<(bool, &str)> = banners.iter().map(|text| (false, text.as_str())).collect();
    for cause in causes {
        let of_queue = cause.objects.iter().any(|object| object == queue);
        texts.extend(std::iter::once(&cause.sentence).chain(&cause.notes).map(|text| (of_queue, &**text)));
        texts.extend(cause.objects.iter().chain(&cause.settings).map(|object| (of_queue, &**object)));
    }
    let named: Vec<(bool, &str)> =
        texts.iter().flat_map(|(of_queue, text)| names(text).map(|name| (*of_queue, name))).collect();
    let mut found: Vec<SettingLocation> = causes.iter().flat_map(|cause| &cause.lines).cloned().collect();
    if named.is_empty() {
        return deduplicated(found);
    }
    let SettingPlaces { all, queues } = generation.set_at.get_or_init(|| SettingPlaces::read(generation));
    let attributes = queues.get(queue);
    for (of_queue, name) in named {
        let in_queue = attributes.into_iter().filter(|_| of_queue).flatten();
        let in_queue = in_queue.into_iter().find(|one| is_named(&one.name, name));
        let in_queue = in_queue.map(|one| if_read(&[&format!("queue.{queue}.")], one.clone(), generation));
        let within = |section: &str| {
            let of = |place: &&SettingLocation| place.name.strip_prefix(section).is_some_and(|is| is == name);
            let place = all.iter().find(of)?.clone();
            let place = if_read(&SECTIONS, place, generation);
            // The server and the scheduler have an attribute of this name each.
            let named = |place: SettingLocation| match name {
                SWITCH => place,
                name => SettingLocation { name: name.to_owned(), ..place },
            };
            Some(place.map(named))
        };
        match in_queue {
            Some(place) => found.extend(place),
            None if name == SWITCH => {
                found.extend(switches(generation).into_iter().filter_map(within).flatten());
            }
            None => found.extend(["", "server.", "scheduler."].into_iter().find_map(within).flatten()),
        }
    }
    deduplicated(found)
}

/// What can precede the name of a setting in the key of a what-if; some names begin with their section.
const SECTIONS: [&str; 4] = ["", "sched_config.", "server.", "scheduler."];

/// Returns a place if the setting has the value that was read there, and not one of a what-if; `sections` are what can
/// precede its name there.
fn if_read(sections: &[&str], location: SettingLocation, generation: &Generation) -> Option<SettingLocation> {
    let mut changed = generation.what_if.iter().flat_map(|what_if| &what_if.settings);
    let sets = |text: &String| {
        let key = text.split('=').next().unwrap_or_default().trim_end_matches('+').trim_end();
        sections.iter().any(|section| key.strip_prefix(section) == Some(&*location.name))
    };
    (!changed.any(sets)).then_some(location)
}

/// The attribute of the server and of the scheduler object that switches scheduling.
const SWITCH: &str = "scheduling";

/// Returns the sections of the switches that are off: those that have to be changed.
fn switches(generation: &Generation) -> Vec<&'static str> {
    let (server, scheduler) = scheduling_off_at(&generation.snapshot);
    let all = [(server, "server."), (scheduler, "scheduler.")];
    all.into_iter().filter(|(is_off, _)| *is_off).map(|(_, section)| section).collect()
}

/// Whether an attribute has that name; a limit on a resource may be part of one attribute for all resources.
fn is_named(attribute: &str, name: &str) -> bool {
    attribute == name || name.split_once('.').is_some_and(|(head, _)| attribute == head)
}

/// Returns the words of a text that can name a setting.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '.')));
    words.map(|word| word.trim_matches('.')).filter(|word| word.contains('_') || PLAIN.contains(word))
}

/// Adds to an answer the places of the settings that it names.
pub fn add_settings(sections: &mut [AnswerSection], settings: &[SettingLocation]) {
    let Some(answer) = sections.iter_mut().find(|section| section.topic == AnswerTopic::Verdict) else {
        return;
    };
    let mut at: Vec<String> = Vec::new();
    for one in settings {
        // The two switches have one name, which is written once.
        let name = match one.name.split_once('.') {
            Some((whose, SWITCH)) if at.is_empty() => format!("{SWITCH} of {whose}"),
            Some((whose, SWITCH)) => format!("of {whose}"),
            _ => one.name.clone(),
        };
        at.push(SettingLocation { name, ..one.clone() }.words());
    }
    if !at.is_empty() {
        answer.line(format!("set at: {}", at.join(" · ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_can_be_settings_are_found() {
        let text = "max_run_res.ncpus allows 4, and queue q is stopped (started=False). resources are short.";
        assert_eq!(names(text).collect::<Vec<_>>(), ["max_run_res.ncpus", "started"]);
    }
}
