//! Prefixes of queue names that mean something to the scheduler, and their replacements.

use std::collections::BTreeMap;

use qscope_engine::cluster::{Name, Policy};

use super::names::{NameRole, is_fixed};

/// The first part of replacements.
const WORD: &str = "window";

/// The prefixes of a cluster's options, and their replacements. A queue's new name begins with the replacements of the
/// prefixes that its old name begins with, and with no other.
#[derive(Clone, Debug, Default)]
pub(super) struct QueuePrefixes(BTreeMap<Name, Name>);

impl QueuePrefixes {
    /// Collects the prefixes that the options set.
    pub(super) fn of(policy: &Policy) -> Self {
        let set = options(policy).into_iter().filter(|prefix| !prefix.is_empty());
        Self(set.map(|prefix| (prefix.clone(), prefix.clone())).collect())
    }

    /// Assigns every prefix its replacement. A prefix that begins with another one is replaced by the replacement of that,
    /// and a word.
    pub(super) fn replace(&mut self, queues: &mut dyn Iterator<Item = &Name>) {
        let shipped = Policy::as_shipped();
        // Such names stay, so a part of one identifies nothing.
        let fixed: Vec<&Name> = queues.filter(|name| is_fixed(NameRole::Queue, name)).collect();
        let is_kept = |prefix: &Name| {
            options(&shipped).contains(&prefix) || fixed.iter().any(|name| name.starts_with(&**prefix))
        };
        // In the order of names, a prefix comes before what begins with it.
        let old: Vec<Name> = self.0.keys().cloned().collect();
        let mut replaced = 0;
        for prefix in &old {
            let shorter = old.iter().filter(|other| *other != prefix && prefix.starts_with(&***other));
            let base = shorter.max_by_key(|other| other.len()).and_then(|other| self.0.get_key_value(other));
            let stays = is_kept(prefix) && base.is_none_or(|(other, stands)| other == stands);
            let stands = if stays {
                prefix.clone()
            } else {
                replaced += 1;
                format!("{}{WORD}{replaced}", base.map_or("", |(_, stands)| stands)).into()
            };
            self.0.insert(prefix.clone(), stands);
        }
    }

    /// Returns the replacement of a prefix.
    pub(super) fn replacement(&self, prefix: &Name) -> Name {
        self.0.get(prefix).cloned().unwrap_or_default()
    }

    /// Returns what the replacement of a queue's name begins with.
    pub(super) fn start_of(&self, queue: &str) -> &str {
        let longest = self.0.iter().filter(|(prefix, _)| queue.starts_with(&***prefix));
        longest.max_by_key(|(prefix, _)| prefix.len()).map_or("", |(_, stands)| stands)
    }
}

fn options(policy: &Policy) -> [&Name; 3] {
    [&policy.primetime_prefix, &policy.nonprimetime_prefix, &policy.dedicated_prefix]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(prefixes: [&str; 3], queues: &[&str]) -> QueuePrefixes {
        let [primetime_prefix, nonprimetime_prefix, dedicated_prefix] = prefixes.map(Name::from);
        let policy = Policy { primetime_prefix, nonprimetime_prefix, dedicated_prefix, ..Policy::default() };
        let queues: Vec<Name> = queues.iter().map(|name| Name::from(*name)).collect();
        let mut prefixes = QueuePrefixes::of(&policy);
        prefixes.replace(&mut queues.iter());
        prefixes
    }

    #[test]
    fn prefixes_of_the_site_are_replaced_and_the_shipped_ones_stay() {
        let prefixes = replaced(["p_", "", "secretq"], &["secretq"]);
        let new = ["p_", "", "secretq"].map(|old| prefixes.replacement(&old.into()).to_string());
        assert_eq!(new, ["p_", "", "window1"]);
        assert_eq!(["secretq2", "p_a", "other"].map(|queue| prefixes.start_of(queue)), ["window1", "p_", ""]);
        assert_eq!(replaced(["d", "x", "x"], &["default"]).replacement(&"d".into()), "d".into());
    }

    /// A queue is served at the same times under its new name.
    #[test]
    fn new_names_begin_with_the_prefixes_that_the_old_ones_begin_with() {
        let texts = ["", "p", "p_", "np_", "ded", "dedi", "q", "p_ded", "p_q"];
        let queues = ["p", "p_a", "p_dedx", "p_quick", "np_b", "ded", "dedicated", "q", "workq", "x"];
        for (a, b, c) in triples(&texts) {
            let prefixes = replaced([a, b, c], &[]);
            for queue in queues {
                let new = format!("{}queue1", prefixes.start_of(queue));
                for old in [a, b, c] {
                    let stands = prefixes.replacement(&old.into());
                    assert_eq!(
                        queue.starts_with(old),
                        new.starts_with(&*stands),
                        "{queue}, {old}: {new}, {stands}"
                    );
                }
            }
        }
    }

    fn triples<'a>(texts: &'a [&'a str]) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
        let pairs = texts.iter().flat_map(|a| texts.iter().map(move |b| (*a, *b)));
        pairs.flat_map(|(a, b)| texts.iter().map(move |c| (a, b, *c)))
    }
}
