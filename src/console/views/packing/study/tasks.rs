//! The simulations that workers run, and their answers.

use super::super::compute::{self, OpenedCase};
use super::{CRITERIA, PackingView};
use crate::task::{Computation, News, TaskNews};
use crate::views::{Effect, Update};
use qscope_exits::Lines;
use qscope_planning::farm::policy_file::PolicyFile;

impl PackingView {
    /// Requests the case and its first runs, if they are due; the old results stay until it is done.
    pub(in crate::views::packing) fn open_if_due(&mut self) -> Option<Effect> {
        std::mem::take(&mut self.is_due).then(|| self.open())
    }

    fn open(&mut self) -> Effect {
        let (snapshot, wanted) = (self.snapshot.clone(), self.case_input.clone());
        let opened = Computation::new("packing policies", move |progress| {
            let opened = compute::open(snapshot.as_deref(), &wanted, progress);
            (!progress.is_cancelled()).then(|| opened.map_err(|error| error.to_string()))
        });
        self.progress = Some((0, 1));
        self.pacer.begin();
        self.opening.start(opened.counted(self.pacer.effort()))
    }

    pub(in crate::views::packing) fn try_lifetime(&mut self) -> Option<Effect> {
        let case = self.case.clone()?;
        let (policy, options) = (compute::lifetime(self.ttl), self.case_input.options);
        let run = Computation::new("one lifetime", move |progress| {
            let run = compute::run_policy(&case, policy, options, progress).ok()?;
            (!progress.is_cancelled()).then_some(run)
        });
        Some(self.simulating.start(run.counted(self.pacer.effort())))
    }

    pub(in crate::views::packing) fn try_sweep(&mut self) -> Option<Effect> {
        let (case, options) = (self.case.clone()?, self.case_input.options);
        let sweep =
            Computation::new("lifetimes", move |progress| compute::sweep(&case, options, progress).ok());
        Some(self.sweeping.start(sweep.counted(self.pacer.effort())))
    }

    /// The policy of the slider's lifetime for the classes that pack, as `farm --write-policy` writes it.
    ///
    /// # Errors
    /// Nothing was computed yet, or no class packs.
    pub(in crate::views::packing) fn policy_file(&self) -> Result<Lines, String> {
        let case = self.case.as_ref().ok_or("the policies are still being computed")?;
        if case.packing.is_empty() {
            return Err("no class packs: there is no policy to export".to_owned());
        }
        let by = (!case.criterion.is_empty()).then(|| self.case_input.criterion.to_string());
        let file = PolicyFile::for_packing(case, by.as_deref(), compute::lifetime(self.ttl));
        Ok(file.map_err(|error| error.to_string())?.write().lines().collect())
    }

    /// Takes progress or the result of a task.
    pub(in crate::views::packing) fn take_news(&mut self, news: &TaskNews) -> Update {
        if let News::Progress(done, of) = news.news {
            let mine = self.opening.is_about(news);
            if mine {
                self.progress = Some((done, of));
            }
            return Update::changed_if(mine);
        }
        if let Some(opened) = self.opening.take(news) {
            self.progress = None;
            match &*opened {
                Ok(opened) => return self.take(opened),
                Err(error) => self.failed = Some(error.clone()),
            }
        } else if let Some(run) = self.simulating.take(news) {
            self.ttl_run = Some(run);
            self.make_grids();
        } else if let Some(points) = self.sweeping.take(news) {
            self.sweep.clone_from(&points);
        } else {
            return Update::unchanged();
        }
        Update::changed()
    }

    pub(in crate::views::packing) fn take(&mut self, opened: &OpenedCase) -> Update {
        let first = self.case.is_none();
        self.case = Some(opened.case.clone());
        self.runs.clone_from(&opened.runs);
        self.failed = None;
        self.ttl_run = None;
        self.sweep.clear();
        self.class = self.class.min(opened.case.packing.len().saturating_sub(1));
        let whole = self.full_window();
        if first || self.window.from < whole.from || self.window.to > whole.to {
            self.window = whole;
            self.cursor = self.moments().get(1).map_or(whole.from, |(_, t)| *t);
        }
        self.make_grids();
        let mut reply = Update::changed();
        reply.effects.extend(self.try_lifetime());
        reply.effects.extend(self.try_sweep());
        reply
    }

    /// Moves the slider, unless it is at its end; the old curve stays until the new one is computed.
    pub(in crate::views::packing) fn slide(&mut self, to: Option<&i64>) -> Update {
        let Some(to) = to else { return Update::unchanged() };
        self.ttl = *to;
        let mut reply = Update::changed();
        reply.effects.extend(self.try_lifetime());
        reply
    }

    pub(in crate::views::packing) fn next_criterion(&mut self) -> Update {
        if self.case.as_ref().is_some_and(|case| case.criterion.is_empty()) {
            return Update::status("the file names the classes itself");
        }
        let at = CRITERIA.iter().position(|criterion| *criterion == self.case_input.criterion);
        let next = at.map_or(0, |at| (at + 1) % CRITERIA.len());
        self.case_input.criterion = CRITERIA.get(next).cloned().unwrap_or_default();
        self.case_input.pack.clear();
        self.reopen_case(format!("classes by {}", self.case_input.criterion))
    }

    /// Lets the next class pack, in the order of most work.
    pub(in crate::views::packing) fn next_class(&mut self) -> Update {
        let Some(case) = &self.case else { return Update::unchanged() };
        let work = case.work_by_class();
        let mut classes: Vec<_> = case.workload.classes.enumerate().zip(work.iter()).collect();
        classes.sort_by_key(|(_, work)| std::cmp::Reverse(*work));
        let here = case.packing.first();
        let at = classes.iter().position(|((class, _), _)| Some(class) == here);
        let next = classes.get(at.map_or(0, |at| (at + 1) % classes.len().max(1)));
        let Some(((_, name), _)) = next else { return Update::status("there is only one class") };
        let name = name.to_string();
        self.case_input.pack = vec![name.clone()];
        self.reopen_case(format!("{name} packs"))
    }

    pub(in crate::views::packing) fn reopen_case(&mut self, status: String) -> Update {
        Update::status(status).and_changed().with(self.open())
    }
}
