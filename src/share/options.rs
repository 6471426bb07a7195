//! The options of the command line under which a cycle was run.

use qscope_engine::universe::{Quirk, Quirks, Semantics};

/// Returns the shortest options that turn these quirks on and off, `--semantics fixed --quirk spill-swapped=off`; empty
/// for the behaviour that is modelled by default.
pub fn option_words(quirks: Quirks) -> String {
    let differing = |semantics| {
        let usual = Quirks::of(semantics);
        Quirk::ALL.iter().copied().filter(move |quirk| usual.has(*quirk) != quirks.has(*quirk))
    };
    let all = [Semantics::Observed, Semantics::Fixed, Semantics::Design];
    let Some(nearest) = all.into_iter().min_by_key(|semantics| differing(*semantics).count()) else {
        return String::new();
    };
    let named = (nearest != Semantics::default()).then(|| format!("--semantics {}", nearest.name()));
    let each = differing(nearest)
        .map(|quirk| format!("--quirk {}={}", quirk.name(), if quirks.has(quirk) { "on" } else { "off" }));
    named.into_iter().chain(each).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quirks_are_named_by_the_nearest_behaviour() {
        assert_eq!(option_words(Quirks::default()), "");
        assert_eq!(option_words(Quirks::of(Semantics::Fixed)), "--semantics fixed");
        let mut quirks = Quirks::default();
        quirks.set(Quirk::SpanWhenFull, false);
        assert_eq!(option_words(quirks), "--quirk span-when-full=off");
        let mut quirks = Quirks::of(Semantics::Design);
        quirks.set(Quirk::OneSidedMatch, true);
        assert_eq!(option_words(quirks), "--semantics design --quirk one-sided-match=on");
    }
}
