//! Finds the effect of each quirk on a cycle, by running it again with that quirk toggled.

use std::sync::Arc;

use qscope_engine::cycle::{QuirkOccurrence, Run, run_cycle};
use qscope_engine::universe::Quirk;

use super::compare::{Comparison, JobChange};

#[derive(Clone, Debug)]
pub struct QuirkEffect {
    pub quirk: Quirk,
    /// Whether the cycle follows it.
    pub is_followed: bool,
    /// Its observed effects.
    pub witnesses: Vec<QuirkOccurrence>,
    /// Jobs that would get a different verdict, placement or reason with the quirk toggled: "before" is the actual
    /// cycle, "after" the other one.
    pub changes: Vec<JobChange>,
}

/// Returns the effects of all quirks, bugs first. Takes as long as twelve cycles, plus the analysis of waiting jobs
/// where they differ.
pub fn quirk_effects(run: &Arc<Run>) -> Vec<QuirkEffect> {
    let effect = |quirk: Quirk| {
        let mut quirks = run.plan.quirks;
        let is_followed = quirks.has(quirk);
        quirks.set(quirk, !is_followed);
        let other = Arc::new(run_cycle(run.plan.snap.clone(), quirks));
        let seen = run.witnesses.iter().filter(|witness| witness.quirk == quirk);
        QuirkEffect {
            quirk,
            is_followed,
            witnesses: seen.cloned().collect(),
            changes: Comparison::explained(run, &other).jobs,
        }
    };
    Quirk::ALL.iter().copied().map(effect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::universe::Quirks;
    use qscope_source::toml_form;

    /// D4: an exclhost job takes buckets as observed; with the quirk toggled it takes the node path. No other quirk
    /// affects it.
    #[test]
    fn what_would_have_been_is_found_for_the_quirk_that_matters() {
        let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n";
        let queue =
            "now = 1763700000\n[[job]]\nid = 1\nselect = \"2:ncpus=4\"\nplace = \"scatter:exclhost\"\n";
        let snap = toml_form::read(Some(nodes), Some(queue), None, None, "test").unwrap();
        let run = Arc::new(run_cycle(Arc::new(snap), Quirks::default()));
        let matters: Vec<Quirk> = quirk_effects(&run)
            .into_iter()
            .filter(|effect| !effect.changes.is_empty())
            .map(|effect| effect.quirk)
            .collect();
        assert_eq!(matters, [Quirk::ExclhostIsExcl]);
    }
}
