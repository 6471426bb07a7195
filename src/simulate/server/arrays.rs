//! Arrays: subjobs are created when they start, and follow their parent in server order (days rule 4).

use qscope_engine::cluster::{ArrayAttributes, Epoch, Id, Job, JobId, JobState, Name};

use super::SimulatedServer;
use crate::arrivals::JobBehaviour;
use crate::job_result::{JobEnd, JobResult};
use crate::track::{JobOrigin, SimulatedJob, SimulatedJobId};

/// Returns the id of a subjob.
pub(crate) fn subjob_name(parent: &str, index: u32) -> Option<Name> {
    let (head, tail) = parent.split_once("[]")?;
    Some(format!("{head}[{index}]{tail}").into())
}

impl SimulatedServer {
    /// Creates the subjob of an index and removes the index from the remaining ones.
    pub(crate) fn make_subjob(&mut self, parent: SimulatedJobId, index: u32) -> Option<SimulatedJobId> {
        let array = self.job(parent)?;
        let name = subjob_name(&array.name, index)?;
        let info = ArrayAttributes {
            parent: Some(array.name.clone()),
            index: Some(index),
            ..ArrayAttributes::default()
        };
        let job = Job {
            name: name.clone(),
            array: Some(Box::new(info)),
            state: JobState::Queued,
            depend: None,
            ..array.clone()
        };
        let at = self.tracks[parent].result.at;
        let id = self.tracks.find(&name).unwrap_or_else(|| {
            let fate = &self.tracks[parent].fate;
            let runtime = fate.runtimes.get(&index).copied().or(fate.runtime);
            let fate = JobBehaviour { runtime, exit: fate.exit, ..JobBehaviour::default() };
            let mut track = SimulatedJob::new(&job, at, JobOrigin::Subjob(parent, index), fate);
            let of = &self.tracks[parent].result;
            track.result.was_present = of.was_present;
            (track.result.user, track.result.queue) = (of.user.clone(), of.queue.clone());
            track.result.walltime = of.walltime;
            track.result.last_reason = of.last_reason.clone();
            self.tracks.add(track)
        });
        self.tracks[id].is_at_server = true;
        let place = self.place_of_subjob(parent, index);
        self.insert(place, id, job);
        self.change_remaining(parent, |remaining| remaining.retain(|left| *left != index));
        Some(id)
    }

    /// Returns the results of the subjobs of an array that have never started, while it is at the server.
    pub(crate) fn unstarted_subjobs(&self, parent: SimulatedJobId) -> Vec<JobResult> {
        let Some(job) = self.job(parent).filter(|job| job.is_array()) else { return Vec::new() };
        let state = if job.state == JobState::Begun { JobState::Queued } else { job.state };
        let of = &self.tracks[parent].result;
        let names = job.array.iter().flat_map(|array| &array.remaining);
        let names = names.filter_map(|index| subjob_name(&job.name, *index));
        let result = |name: Name| JobResult {
            was_present: of.was_present,
            requested: of.requested,
            walltime: of.walltime,
            user: of.user.clone(),
            queue: of.queue.clone(),
            last_reason: of.last_reason.clone(),
            state: JobEnd::Unfinished(state.letter()),
            ..JobResult::new(name, of.at, false)
        };
        // One that was requeued has a result.
        names.filter(|name| self.tracks.find(name).is_none()).map(result).collect()
    }

    /// Returns a subjob's index to the remaining ones of its parent.
    pub(crate) fn give_index_back(&mut self, id: SimulatedJobId) {
        let JobOrigin::Subjob(parent, index) = self.tracks[id].origin else { return };
        self.remove(id);
        self.tracks[id].is_at_server = false;
        self.change_remaining(parent, |remaining| {
            if let Err(at) = remaining.binary_search(&index) {
                remaining.insert(at, index);
            }
        });
    }

    /// Marks the parent as begun at the first start of a subjob.
    pub(crate) fn mark_array_begun(&mut self, id: SimulatedJobId, at: Epoch) {
        let JobOrigin::Subjob(parent, _) = self.tracks[id].origin else { return };
        let result = &mut self.tracks[parent].result;
        result.start = Some(result.start.map_or(at, |start| start.min(at)));
        if let Some(job) = self.job_mut(parent).filter(|job| job.state == JobState::Queued) {
            job.state = JobState::Begun;
        }
    }

    /// Changes the count of running subjobs of the parent.
    pub(crate) fn count_running(&mut self, id: SimulatedJobId, change: i64) {
        let JobOrigin::Subjob(parent, _) = self.tracks[id].origin else { return };
        let Some(array) = self.job_mut(parent).and_then(|job| job.array.as_mut()) else { return };
        let running = i64::from(array.running.unwrap_or(0)) + change;
        array.running = u32::try_from(running.max(0)).ok();
    }

    /// Returns the parent of a subjob that ended, if it has no index left and no other subjob.
    pub(crate) fn ended_parent(&self, id: SimulatedJobId) -> Option<SimulatedJobId> {
        let JobOrigin::Subjob(parent, _) = self.tracks[id].origin else { return None };
        let at = self.position(parent)?;
        let array = self.snap.jobs.checked(JobId::at(at))?.array.as_ref()?;
        let next = self.order.get(at + 1).map(|next| self.tracks[*next].origin);
        let has_more = matches!(next, Some(JobOrigin::Subjob(of, _)) if of == parent);
        (array.remaining.is_empty() && !has_more).then_some(parent)
    }

    /// Returns the number of arrays that started their last index in the last cycle; they count as waiting until the
    /// next one.
    pub(crate) fn arrays_just_emptied(&self) -> usize {
        let is_emptied = |id: &&SimulatedJobId| self.tracks[**id].emptied == Some(self.cycle);
        self.order.iter().filter(is_emptied).count()
    }

    /// Returns the position of a subjob: after its parent and the subjobs of lower index.
    fn place_of_subjob(&self, parent: SimulatedJobId, index: u32) -> Option<usize> {
        let at = self.position(parent)? + 1;
        let is_before = |id: &&SimulatedJobId| matches!(self.tracks[**id].origin, JobOrigin::Subjob(of, before) if of == parent && before < index);
        Some(at + self.order.iter().skip(at).take_while(is_before).count())
    }

    fn change_remaining(&mut self, parent: SimulatedJobId, change: impl FnOnce(&mut Vec<u32>)) {
        let cycle = self.cycle;
        let Some(array) = self.job_mut(parent).and_then(|job| job.array.as_mut()) else { return };
        change(&mut array.remaining);
        let is_empty = array.remaining.is_empty();
        self.tracks[parent].emptied = is_empty.then_some(cycle);
    }
}
