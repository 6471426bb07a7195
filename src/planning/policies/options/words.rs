//! The words of the options that choose between a few.

use strum::VariantArray;

use super::{
    AvailabilityPolicy, ContiguousFit, LoadPolicy, MinResourceKey, NodeAccessPolicy, NodeMatchPolicy,
    NodeSetAttribute, PrefMode, split_index,
};
use crate::policies::{NodeSetChoice, NodeSetPriority, PolicyName};

/// Returns the words that an option takes, by its name in any case and with an index; empty if it takes
/// anything else.
pub fn option_words(name: &str) -> Vec<&'static str> {
    match split_index(name).0.to_ascii_uppercase().as_str() {
        "NODEALLOCATIONPOLICY" => words::<PolicyName>(),
        "NODEAVAILABILITYPOLICY" | "RESOURCEAVAILABILITYPOLICY" => words::<AvailabilityPolicy>(),
        "JOBNODEMATCHPOLICY" => words::<NodeMatchPolicy>(),
        "NODEACCESSPOLICY" => words::<NodeAccessPolicy>(),
        "NODELOADPOLICY" => words::<LoadPolicy>(),
        "MINRESOURCE_KEY" => words::<MinResourceKey>(),
        "CONTIGUOUS_FIT" => words::<ContiguousFit>(),
        "PREF_MODE" => words::<PrefMode>(),
        "NODESETPOLICY" => words::<NodeSetChoice>(),
        "NODESETPRIORITYTYPE" => words::<NodeSetPriority>(),
        "NODESETATTRIBUTE" => words::<NodeSetAttribute>(),
        _ => Vec::new(),
    }
}

fn words<T: Copy + Into<&'static str> + VariantArray>() -> Vec<&'static str> {
    T::VARIANTS.iter().map(|word| (*word).into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policies::MauiOptions;

    #[test]
    fn every_word_is_taken_and_where_a_word_is_refused_the_others_are_known() {
        let mistakes = |name: &str, value: &str| {
            let mut options = MauiOptions::default();
            options.set(name, value);
            options.mistakes
        };
        let closed = [
            "NODEALLOCATIONPOLICY",
            "NODEAVAILABILITYPOLICY",
            "RESOURCEAVAILABILITYPOLICY",
            "JOBNODEMATCHPOLICY",
            "NODEACCESSPOLICY",
            "NODELOADPOLICY",
            "MINRESOURCE_KEY",
            "CONTIGUOUS_FIT",
            "PREF_MODE",
            "NODESETPOLICY",
            "NODESETPRIORITYTYPE",
            "NODESETATTRIBUTE",
        ];
        for name in closed {
            let refused = mistakes(name, "?").concat();
            let words = option_words(name);
            assert!(
                !words.is_empty() && words.iter().all(|word| refused.contains(word)),
                "{name}: {refused}"
            );
            assert!(words.iter().all(|word| mistakes(name, word).is_empty()), "{name}: {words:?}");
        }
        assert_eq!(option_words("nodeallocationpolicy[big]").first(), Some(&"FIRSTAVAILABLE"));
        assert!(option_words("DISK_RESOURCE").is_empty() && option_words("NODESETLIST").is_empty());
    }
}
