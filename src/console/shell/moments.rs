//! Moments other than the one on the screen: kept snapshots, or moments of a recording or simulation.

use std::sync::Arc;

use super::Shell;
use crate::following::FreezeReason;
use crate::palette::Verb;
use crate::task::{Computation, TaskNews};
use crate::views::{MomentPurpose, Object, Pending, Update, View, ViewName};
use crate::wording;
use qscope_engine::cluster::{Epoch, Seconds};
use qscope_engine::cycle::Run;
use qscope_session::dump_times::{last_of, moment_of};
use qscope_session::{Generation, TapeTarget};

/// Another moment that is being read or recomputed.
pub(super) type PendingMoment = Pending<MomentResult, AskedMoment>;

/// What is asked of another moment.
#[derive(Debug)]
pub(super) struct AskedMoment {
    then: MomentPurpose,
    /// The time that was asked for, if it was one.
    asked: Option<Epoch>,
    /// The number of the kept snapshot to freeze at, if it is one.
    kept: Option<u64>,
}

pub(super) type MomentResult = Result<Arc<Generation>, String>;

/// The message while a moment is read.
const READING: &str = "reading the recording";

/// Parses a snapshot of a recording other than by its time: `first`, or its number as `#12`.
fn snapshot_named(text: &str) -> Option<TapeTarget> {
    match text.strip_prefix('#') {
        Some(number) => number.parse().ok().map(TapeTarget::Number),
        None => (text == "first").then_some(TapeTarget::Index(0)),
    }
}

impl Shell {
    /// Shows the snapshot that was current at a time, from the kept snapshots, or from the recording or simulation.
    pub(super) fn show_snapshot(&mut self, verb: Verb, text: &str) -> Result<Update, String> {
        let Some(screen) = &self.screen else { return Err("nothing was read yet".to_owned()) };
        let then = if verb == Verb::LeftSide { MomentPurpose::Compare } else { MomentPurpose::ShowInView };
        if let Some(to) = snapshot_named(text).filter(|_| self.following.has_tape()) {
            return Ok(self.read_moment(to, then));
        }
        let newest = || Some(self.following.history.newest()?.snapshot.now);
        let moment = if text == "now" { newest() } else { moment_of(&screen.generation.snapshot, text) };
        let moment = moment.ok_or("a time is 02:03, 02:03:31, 11-21 02:03, 2026-11-21 02:03 or now")?;
        if self.following.has_tape() {
            return Ok(self.read_moment(TapeTarget::At(moment), then));
        }
        let Some(found) = self.kept_snapshot_at(moment) else { return Err(self.no_snapshot_message(text)) };
        if then == MomentPurpose::Compare {
            self.compare_with(&found);
            return Ok(Update::changed());
        }
        Ok(self.show_kept(found))
    }

    /// The kept snapshot of that second, or else the last one of that minute.
    fn kept_snapshot_at(&self, moment: Epoch) -> Option<Arc<Generation>> {
        let now = |generation: &&Arc<Generation>| generation.snapshot.now;
        let kept = || self.following.history.iter();
        let exact = kept().rev().find(|one| now(one) == moment);
        let minute = |one: &&Arc<Generation>| (0..60).contains(&(now(one) - moment).0) && moment.0 % 60 == 0;
        exact.or_else(|| kept().rev().find(minute)).cloned()
    }

    /// The message that no snapshot of that time is kept, with the times that are.
    fn no_snapshot_message(&self, text: &str) -> String {
        let kept: Vec<_> = self.following.history.iter().collect();
        let time = |one: &&Arc<Generation>| wording::clock(&one.snapshot, one.snapshot.now);
        match (kept.as_slice(), kept.first(), kept.last()) {
            ([_], Some(only), _) => {
                format!("no snapshot of {text}; the only one so far is of {}", time(only))
            }
            (all, Some(first), Some(last)) => {
                let (all, first, last) = (all.len(), time(first), time(last));
                format!("no snapshot of {text}; {all} are kept, {first} to {last}: < and > walk them")
            }
            _ => format!("no snapshot of {text}; none is kept yet"),
        }
    }

    /// Requests another moment of the recording or simulation from a worker, replacing an earlier request that is under
    /// way.
    pub(super) fn read_moment(&mut self, target: TapeTarget, then: MomentPurpose) -> Update {
        let Some((opening, screen)) = self.following.opening.clone().zip(self.screen.as_ref()) else {
            return Update::unchanged();
        };
        let shown = screen.generation.clone();
        let moment = Computation::new(READING, move |_| {
            let loaded = opening.load_moment(target, &shown).map(Arc::new);
            Some(loaded.map_err(|error| error.to_string()))
        });
        let asked = if let TapeTarget::At(at) = target { Some(at) } else { None };
        let request = self.moment.start_for(AskedMoment { then, asked, kept: None }, moment);
        if !self.play.on {
            self.set_status(READING);
        }
        Update::changed().with(request)
    }

    /// Whether the snapshot before the one shown is in a recording and has not been read.
    pub(super) fn has_older_to_read(&self) -> bool {
        let Some(screen) = self.screen.as_ref().filter(|_| self.following.has_tape()) else { return false };
        let shown = &screen.generation;
        let has_kept = || self.following.history.iter().any(|one| one.number < shown.number);
        self.view() != ViewName::Compare && shown.what_if.is_none() && shown.number > 1 && !has_kept()
    }

    /// Shows a kept snapshot, frozen. If its cycle was dropped from memory, a worker runs it again first, together with
    /// that of the snapshot it is compared with.
    pub(super) fn show_kept(&mut self, kept: Arc<Generation>) -> Update {
        let base = self.following.history.last_consistent_before(kept.number).cloned();
        let is_held = |generation: &Arc<Generation>| generation.run.is_held();
        if is_held(&kept) && base.as_ref().is_none_or(is_held) {
            // A moment still being read would replace it.
            self.moment = PendingMoment::default();
            self.show_older(kept);
            return Update::changed();
        }
        let number = kept.number;
        let what = format!("running the cycle of snapshot {number} again");
        let rerun = Computation::new(what.clone(), move |_| {
            for one in base.iter().chain([&kept]) {
                // Dereferencing runs the cycle.
                let _: &Arc<Run> = &one.run;
            }
            kept.compare_jobs();
            Some(MomentResult::Ok(kept.clone()))
        });
        self.set_status(what);
        let asked = AskedMoment { then: MomentPurpose::ShowInView, asked: None, kept: Some(number) };
        Update::changed().with(self.moment.start_for(asked, rerun))
    }

    /// The number of the kept snapshot that is being recomputed: further steps start from there.
    pub(super) fn moving_to(&self) -> Option<u64> {
        self.moment.key()?.kept
    }

    /// Cancels going to a kept snapshot; returns whether there was one.
    pub(super) fn stop_moving(&mut self) -> bool {
        let stopped = self.moving_to().is_some();
        if stopped {
            self.moment = PendingMoment::default();
            self.set_status(String::new());
        }
        stopped
    }

    /// Whether another moment is being read.
    pub(super) fn is_moving(&self) -> bool {
        self.moment.is_waiting()
    }

    /// Takes another moment; returns whether the news was for this.
    pub(super) fn on_moment(&mut self, news: &TaskNews) -> bool {
        let Some((moving, moment)) = self.moment.take_with_key(news) else { return false };
        match &*moment {
            Ok(generation) => self.take_moment(generation, &moving),
            Err(why) => {
                self.play.on = false;
                self.set_failure(why.clone());
            }
        }
        true
    }

    fn take_moment(&mut self, generation: &Arc<Generation>, moving: &AskedMoment) {
        self.following.history.add(generation.clone());
        match moving.kept {
            // The status shows the number of newer snapshots again.
            Some(_) => self.set_status(String::new()),
            // The difference names both of its sides.
            None if moving.then == MomentPurpose::Compare => self.set_status(String::new()),
            None if !self.play.on => {
                let time = wording::clock(&generation.snapshot, generation.snapshot.now);
                let is_first = generation.position.is_some_and(|(nth, _)| nth == 1);
                let is_last = generation.position.is_some_and(|(nth, all)| nth == all);
                let (shown, minute) = (generation.snapshot.now, Seconds(60));
                match moving.asked {
                    Some(asked) if is_first && last_of(asked) < shown => {
                        self.set_failure(format!("nothing was recorded before {time}, the first snapshot"));
                    }
                    // The data may be a little older than its recording.
                    Some(asked) if is_last && asked > shown + minute => {
                        self.set_failure(format!("nothing was recorded after {time}, the last snapshot"));
                    }
                    _ => self.set_status(format!("snapshot of {time}")),
                }
            }
            None => {}
        }
        if moving.then == MomentPurpose::Compare {
            return self.compare_with(generation);
        }
        self.following.freeze = moving.kept.map(|_| FreezeReason::OlderSnapshot);
        self.show(generation.clone());
        self.following.history.give_up_cycles(generation.number);
        if moving.then == MomentPurpose::StepCycle {
            self.go_to_object(&Object::View(ViewName::Cycle));
        }
    }

    /// Opens the difference between a snapshot and the one shown.
    fn compare_with(&mut self, left: &Arc<Generation>) {
        let shown = self.screen.as_ref().map(|screen| screen.generation.number);
        // The one before is no choice: it goes along with the snapshot shown.
        self.following.left = Some(left.number).filter(|left| Some(left + 1) != shown);
        self.go_to_object(&Object::View(ViewName::Compare));
        // The view may be open, and the snapshot before new to it.
        self.with_view(View::refresh);
    }
}
