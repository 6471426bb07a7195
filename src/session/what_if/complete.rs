//! What a setting that is being typed may become: besides what the readers know, the words of the allocation policies.

use qscope_engine::cluster::{Edit, Snapshot, begins_with};
use qscope_planning::policies::{NodeChoice, option_words};
use qscope_source::Settings;

/// Keys that what is typed may become, best first; behind a whole key, the settings with the values that it takes. None
/// where any text is a value.
pub fn complete(typed: &str, snap: &Snapshot) -> Vec<String> {
    let of_policy = typed.split_once('=').map(|(key, value)| of_policy(key, value, snap));
    of_policy.filter(|found| !found.is_empty()).unwrap_or_else(|| qscope_source::complete(typed, snap))
}

/// A value that the reader of no allocation policy refuses.
const ANY: &str = "?";

/// The settings that `key=typed` may become, where the key is about an allocation policy; the readers leave its words to the
/// policies.
fn of_policy(key: &str, typed: &str, snap: &Snapshot) -> Vec<String> {
    let Ok(read) = Settings::read(&[format!("{key}={ANY}")], snap) else { return Vec::new() };
    let is_choice = !read.policies().is_empty();
    let is_option = read.edits().iter().any(|edit| matches!(edit, Edit::Maui(_)));
    let words = match key.rsplit('.').next() {
        _ if is_choice => NodeChoice::words(typed),
        Some(option) if is_option => option_words(option).into_iter().map(ToOwned::to_owned).collect(),
        _ => Vec::new(),
    };
    words.into_iter().filter(|word| begins_with(word, typed)).map(|word| format!("{key}={word}")).collect()
}
