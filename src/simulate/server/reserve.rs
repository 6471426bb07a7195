//! Confirmation, start and end of reservations (days rule 8).

use qscope_engine::cluster::{Column, ExecVnode, Id, Name, Place, Reservation, ReservationState};

use super::SimulatedServer;
use crate::clock::ClockEvent;
use crate::track::{JobOrigin, SimulatedJobId};

impl SimulatedServer {
    /// Plans the starts and ends of confirmed reservations, and puts running ones on their vnodes.
    pub(crate) fn plan_reservations(&mut self) {
        let all: Vec<Reservation> = self.snap.reservations.iter().cloned().collect();
        for resv in all {
            if resv.is_running() {
                self.put_reserved_on_nodes(&resv);
                self.plan_end(&resv);
            } else if resv.nodes.is_some() && resv.state != ReservationState::Unconfirmed {
                self.plan_reservation(&resv);
            }
        }
    }

    fn plan_reservation(&mut self, resv: &Reservation) {
        let now = self.now();
        if let Some(start) = resv.start {
            self.clock.plan(start.max(now), ClockEvent::ReservationStarts(resv.name.clone()));
        }
        self.plan_end(resv);
    }

    fn plan_end(&mut self, resv: &Reservation) {
        let now = self.now();
        let by_length = || Some(resv.start? + resv.duration?);
        if let Some(end) = resv.end.or_else(by_length) {
            self.clock.plan(end.max(now), ClockEvent::ReservationEnds(resv.name.clone()));
        }
    }

    pub(crate) fn confirm(&mut self, name: &Name, nodes: ExecVnode) {
        let on = self.floor.nodes_of(&nodes);
        let Some(resv) = self.snap_mut().reservations.iter_mut().find(|resv| resv.name == *name) else {
            return;
        };
        resv.nodes = Some(nodes);
        (resv.state, resv.substate) = (ReservationState::Confirmed, ReservationState::Confirmed);
        let resv = resv.clone();
        for node in on {
            if let Some(node) = self.snap_mut().nodes.checked_mut(node) {
                node.reservations.push(resv.name.clone());
            }
        }
        self.plan_reservation(&resv);
    }

    /// Starts a reservation: it takes its nodes, and its queue is started.
    pub(crate) fn start_reservation(&mut self, name: &Name) {
        let Some(resv) = self.snap_mut().reservations.iter_mut().find(|resv| resv.name == *name) else {
            return;
        };
        (resv.state, resv.substate) = (ReservationState::Running, ReservationState::Running);
        let resv = resv.clone();
        self.asked = true;
        self.put_reserved_on_nodes(&resv);
        if let Some(queue) = &resv.queue
            && let Some(queue) = self.snap_mut().queues.iter_mut().find(|have| have.name == *queue)
        {
            queue.started = true;
        }
    }

    fn put_reserved_on_nodes(&mut self, resv: &Reservation) {
        let is_excl = resv.place.as_ref().is_some_and(Place::is_excl);
        if let Some(nodes) = &resv.nodes {
            let mut floor = std::mem::take(&mut self.floor);
            floor.reserve(self.snap_mut(), &resv.name, nodes, is_excl);
            self.floor = floor;
        }
        self.add_reserved(&resv.requested, 1.0);
    }

    /// Ends or removes a reservation: its jobs end, then its queue is removed.
    pub(crate) fn end_reservation(&mut self, name: &Name) {
        let Some(resv) = self.snap.reservations.iter().find(|resv| resv.name == *name).cloned() else {
            return;
        };
        self.asked = true;
        self.end_jobs_of(resv.queue.as_ref());
        if resv.is_running() {
            if let Some(nodes) = &resv.nodes {
                let mut floor = std::mem::take(&mut self.floor);
                floor.unreserve(self.snap_mut(), name, nodes);
                self.floor = floor;
            }
            self.add_reserved(&resv.requested, -1.0);
        }
        let snap = self.snap_mut();
        snap.nodes.change_where(
            |_, node| node.reservations.contains(name),
            |_, node| node.reservations.retain(|have| have != name),
        );
        keep(&mut snap.reservations, |have: &Reservation| have.name != *name);
        keep(&mut snap.queues, |queue| Some(&queue.name) != resv.queue.as_ref());
    }

    /// Kills the running jobs of a queue, then deletes the others, both in server order.
    fn end_jobs_of(&mut self, queue: Option<&Name>) {
        let Some(queue) = queue else { return };
        let all = self.order.iter().zip(self.snap.jobs.iter()).filter(|(_, job)| job.queue == *queue);
        let all: Vec<SimulatedJobId> = all.map(|(id, _)| *id).collect();
        let (running, others): (Vec<SimulatedJobId>, Vec<SimulatedJobId>) =
            all.into_iter().partition(|id| self.tracks[*id].run.running_since.is_some());
        for id in running {
            self.kill(id);
        }
        // Subjobs before their arrays, which end with their last subjob.
        let is_subjob =
            |server: &Self, id: SimulatedJobId| matches!(server.tracks[id].origin, JobOrigin::Subjob(..));
        let (subjobs, others): (Vec<SimulatedJobId>, Vec<SimulatedJobId>) =
            others.into_iter().partition(|id| is_subjob(self, *id));
        for id in subjobs.into_iter().chain(others) {
            if self.tracks[id].is_at_server {
                self.delete(id);
            }
        }
    }
}

fn keep<I: Id, T>(column: &mut Column<I, T>, keep: impl Fn(&T) -> bool) {
    *column = std::mem::take(column).into_iter().filter(|one| keep(one)).collect();
}
