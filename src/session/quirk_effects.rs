//! What each quirk does to one cycle, found by running it again with that quirk the other way round.

use std::sync::Arc;

use qscope_engine::cycle::{Run, Witness, run_cycle};
use qscope_engine::universe::Quirk;

use super::compare::{Comparison, JobChange};

/// One quirk, and what would have been.
#[derive(Clone, Debug)]
pub struct QuirkEffect {
    /// Which.
    pub quirk: Quirk,
    /// Whether the cycle follows it.
    pub on: bool,
    /// What it was seen to do.
    pub witnesses: Vec<Witness>,
    /// Jobs that the other way round would get another verdict, place or reason: before is the cycle as it is,
    /// after is the other one.
    pub otherwise: Vec<JobChange>,
}

/// All quirks, bugs first. As long as twelve cycles, and the causes of what waits where they differ.
pub fn quirk_effects(run: &Arc<Run>) -> Vec<QuirkEffect> {
    let effect = |quirk: Quirk| {
        let mut quirks = run.plan.quirks;
        let on = quirks.has(quirk);
        quirks.set(quirk, !on);
        let other = Arc::new(run_cycle(run.plan.snap.clone(), quirks));
        let seen = run.witnesses.iter().filter(|witness| witness.quirk == quirk);
        QuirkEffect {
            quirk,
            on,
            witnesses: seen.cloned().collect(),
            otherwise: Comparison::explained(run, &other).jobs,
        }
    };
    Quirk::ALL.iter().copied().map(effect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::universe::Quirks;
    use qscope_source::toml_form;

    /// D4: an exclhost job takes buckets as observed; the other way round it takes the node path. Nothing else
    /// matters to it.
    #[test]
    fn what_would_have_been_is_found_for_the_quirk_that_matters() {
        let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n";
        let queue =
            "now = 1763700000\n[[job]]\nid = 1\nselect = \"2:ncpus=4\"\nplace = \"scatter:exclhost\"\n";
        let snap = toml_form::read(Some(nodes), Some(queue), None, None, "test").unwrap();
        let run = Arc::new(run_cycle(Arc::new(snap), Quirks::default()));
        let matters: Vec<Quirk> = quirk_effects(&run)
            .into_iter()
            .filter(|effect| !effect.otherwise.is_empty())
            .map(|effect| effect.quirk)
            .collect();
        assert_eq!(matters, [Quirk::ExclhostIsExcl]);
    }
}
