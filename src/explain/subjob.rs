//! An answer about an array, narrowed to the subjob that was asked for.

use qscope_engine::cluster::short_id;
use qscope_engine::cycle::Run;

use super::Why;
use super::words::count;

impl Why {
    /// Makes the answer about an array one about the subjob of it that was asked for and is in no dump by itself: one that
    /// starts in this cycle, or one that waits with the others. Returns whether it starts.
    pub fn narrow_to_subjob(&mut self, run: &Run, name: &str) -> bool {
        let snap = &run.plan.snap;
        let meant = snap.job_named(name).is_none().then(|| snap.waiting_subjob(name)).flatten();
        let Some((array, index)) = meant else { return false };
        let Some(subjob) = snap.jobs[array].subjob_name(index) else { return false };
        let (short, of) = (short_id(&subjob), snap.jobs[array].short_name());
        let started = run.starts().find(|outcome| outcome.job == array && outcome.subjob == Some(index));
        let Some((outcome, placed)) = started.and_then(|outcome| Some((outcome, outcome.placed.as_ref()?)))
        else {
            self.banners.push(format!("{short} waits as one of its array: this is about {of}"));
            return false;
        };
        let nodes = count(placed.allocation.nodes().len(), "node");
        let path = outcome.entered().map_or("", |path| path.word());
        self.headline = format!("{short} of the array {of} starts in this cycle on {nodes} ({path} path)");
        self.outcome = Some(outcome.clone());
        self.causes.clear();
        self.decision.clear();
        self.chunks.clear();
        true
    }
}
