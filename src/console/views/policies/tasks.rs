//! The policies' answers, computed at once; what takes long or runs a program is left to a worker.

use super::PoliciesView;
use crate::task::{Computation, TaskNews};
use crate::views::{Pending, Update, ViewContext};
use crate::wording;
use qscope_engine::cluster::JobId;
use qscope_planning::policies::{LocalHook, MauiOptions, MeasureBasis, PolicyName, compare_policies};

/// Maximum number of following jobs that are measured.
const BEHIND: usize = 48;

/// Maximum columns of the nodes that the cycle places the job on.
const NODE_COLUMNS: usize = 16;

/// Where the cycle on the screen places a job, which no policy of Maui decides.
fn placed_by_cycle(cx: ViewContext<'_>, job: JobId) -> String {
    let placed = qscope_explain::decided(cx.run(), job).and_then(|outcome| outcome.placed.as_ref());
    let Some(placed) = placed else { return "the cycle: not now".to_owned() };
    let nodes = wording::node_list_within(cx.plan(), &placed.allocation.nodes(), NODE_COLUMNS);
    format!("the cycle: {nodes}")
}

impl PoliciesView {
    /// Compares the policies; the user's own program, if there is one, runs on a worker and answers later.
    pub(super) fn compare(&mut self, cx: ViewContext<'_>) {
        self.compared = None;
        self.measures = Vec::new();
        (self.measuring, self.program) = (Pending::default(), Pending::default());
        self.compared_run = Some(cx.run().clone());
        self.pacer.begin();
        let Some((job, name)) = self.job.clone() else { return };
        self.cycle = placed_by_cycle(cx, job);
        let options = MauiOptions::read(cx.snapshot());
        let work = self.pacer.effort().order();
        match work.measure(|| compare_policies(cx.found(), &options, job, None)) {
            Ok(compared) => self.compared = Some(compared),
            Err(why) => self.why_not = why.to_string(),
        }
        let (Some(hook), Some(compared)) = (&cx.generation().local_hook, &mut self.compared) else {
            return;
        };
        for answer in compared.answers.iter_mut().filter(|answer| answer.policy == PolicyName::Local) {
            answer.note = "running the program…".to_owned();
        }
        let (state, hook) = (cx.found().clone(), hook.clone());
        let answer = Computation::new(format!("the answer of LOCAL's program for {name}"), move |_| {
            let options = MauiOptions::read(&state.plan.snap);
            compare_policies(&state, &options, job, Some(&hook as &dyn LocalHook)).ok()
        });
        self.program.begin(answer.counted(self.pacer.effort()));
    }

    /// Requests from a worker what each placement costs the following jobs.
    pub(super) fn ask_for_measures(&mut self, cx: ViewContext<'_>) -> Update {
        // The measures are for the cycle on the screen.
        if self.pacer.is_behind() {
            self.put_subject(cx);
        }
        let (Some((job, name)), Some(compared)) = (&self.job, &self.compared) else {
            return Update::status("no job to measure");
        };
        if compared.answers.iter().all(|answer| answer.now.is_none()) {
            return Update::status(format!(
                "{name} starts now under no policy, so that there is no placement to measure"
            ));
        }
        let (state, compared, job) = (cx.found().clone(), compared.clone(), *job);
        let steps = cx.run().steps.iter().map(|step| step.outcome.job);
        let behind: Vec<JobId> = steps.skip_while(|other| *other != job).skip(1).take(BEHIND).collect();
        let measures = Computation::new(format!("what each placement of {name} costs"), move |progress| {
            let options = MauiOptions::read(&state.plan.snap);
            let yardstick = MeasureBasis::new(&state, &options, &compared.request, &behind);
            let all = compared.answers.len() as u64;
            let mut measures = Vec::new();
            for (done, answer) in (0..).zip(&compared.answers) {
                if !progress.at(done, all) {
                    return None;
                }
                measures.push(answer.now.as_ref().map(|placed| yardstick.measure(placed)));
            }
            Some(measures)
        });
        Update::request(self.measuring.start(measures))
    }

    /// Takes the answer of a worker.
    pub(super) fn take_answer(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        if let Some(measures) = self.measuring.take(news) {
            self.measures.clone_from(&measures);
        } else if let Some(compared) = self.program.take(news) {
            self.compared = Some((*compared).clone());
            self.measures = Vec::new();
        } else {
            return Update::unchanged();
        }
        self.refresh(cx);
        Update::changed()
    }
}
