//! Sets options of `sched_config`, as on a line of that file.

use crate::sched_config::{Scope, accumulates, clear, pack_if_sorted_per_job, set};
use crate::setting::SettingError;
use crate::setting::key::ParsedSetting;
use qscope_engine::cluster::{Policy, Severity};

/// The options, as changed by settings.
#[derive(Default)]
pub(super) struct DraftOptions {
    policy: Option<Policy>,
    /// Options whose lines accumulate, and periods in which the file's lines were already removed.
    begun: Vec<(String, Scope)>,
    notes: Vec<String>,
}

impl DraftOptions {
    /// Sets one option; `file` holds the options without settings.
    ///
    /// # Errors
    /// If the option refuses the value.
    pub(super) fn set(&mut self, setting: &ParsedSetting<'_>, file: &Policy) -> Result<(), SettingError> {
        let policy = self.policy.get_or_insert_with(|| file.clone());
        let (value, scope) = scoped(setting.value);
        if accumulates(setting.name) {
            for period in [Scope::Prime, Scope::NonPrime].into_iter().filter(|period| scope.covers(*period)) {
                let begun = (setting.name.to_owned(), period);
                if !self.begun.contains(&begun) {
                    clear(policy, setting.name, period);
                    self.begun.push(begun);
                }
            }
        }
        let taken_away = value.is_empty() && accumulates(setting.name);
        let remark = if taken_away { None } else { set(policy, setting.name, value, scope) };
        match remark {
            Some(remark) if remark.severity == Severity::Error => {
                return Err(setting.error_at_part(value, remark.message));
            }
            // It is used here because it was requested here.
            Some(remark) if remark.code != "not-in-any-scheduler" => self.notes.push(remark.message),
            _ => {}
        }
        let keys = &policy.node_group_sort_key;
        policy.node_group_sort_requested |= setting.name == "node_group_sort_key";
        policy.node_group_sort_requested &= !(keys.prime.is_empty() && keys.non_prime.is_empty());
        Ok(())
    }

    /// Returns the options, if any was set, and the remarks.
    pub(super) fn finish(mut self) -> (Option<Policy>, Vec<String>) {
        let packed = self.policy.as_mut().and_then(pack_if_sorted_per_job);
        self.notes.extend(packed.map(|remark| remark.message));
        (self.policy, self.notes)
    }
}

/// Splits a value, without quotes, and the period after it.
fn scoped(text: &str) -> (&str, Scope) {
    let at_quote = || text.rfind(['"', '\'']).and_then(|quote| text.split_at_checked(quote + 1));
    let parts = [text.rsplit_once(char::is_whitespace), at_quote()];
    let period = parts.into_iter().flatten().find_map(|(value, word)| {
        let scope = Scope::from_word(word.trim())?;
        Some((value.trim(), scope)).filter(|(value, _)| !value.is_empty())
    });
    let (value, scope) = period.unwrap_or((text, Scope::Always));
    let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    (quoted('"').or_else(|| quoted('\'')).unwrap_or(value), scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_as_on_a_line_of_the_file() {
        assert_eq!(scoped("True"), ("True", Scope::Always));
        assert_eq!(scoped("ncpus HIGH unused"), ("ncpus HIGH unused", Scope::Always));
        assert_eq!(scoped("ncpus HIGH non_prime"), ("ncpus HIGH", Scope::NonPrime));
        assert_eq!(scoped("\"ncpus HIGH\" PRIME"), ("ncpus HIGH", Scope::Prime));
        assert_eq!(scoped("'ncpus HIGH'prime"), ("ncpus HIGH", Scope::Prime));
        assert_eq!(scoped("all"), ("all", Scope::Always));
        assert_eq!(scoped(""), ("", Scope::Always));
        assert_eq!(scoped("\""), ("\"", Scope::Always));
    }
}
