//! Reservations as `pbs_rstat -F` shows them.

use super::{Epoch, ExecVnode, Name, Place, ResourceList, Seconds, Select};

/// The state of a reservation (rule 1.9).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum ReservationState {
    #[default]
    None,
    /// Not yet confirmed.
    Unconfirmed,
    /// Confirmed, in the future.
    Confirmed,
    Wait,
    /// About to run.
    TimeToRun,
    Running,
    /// Over.
    Finished,
    BeingDeleted,
    Deleted,
    /// Its jobs are being deleted.
    DeletingJobs,
    /// Some of its nodes are gone.
    Degraded,
    /// Being changed.
    BeingAltered,
    /// In conflict with another.
    InConflict,
}

impl ReservationState {
    /// All states by their number.
    pub const ALL: [(Self, &'static str, &'static str); 13] = [
        (Self::None, "RESV_NONE", "NO"),
        (Self::Unconfirmed, "RESV_UNCONFIRMED", "UN"),
        (Self::Confirmed, "RESV_CONFIRMED", "CO"),
        (Self::Wait, "RESV_WAIT", "WT"),
        (Self::TimeToRun, "RESV_TIME_TO_RUN", "TR"),
        (Self::Running, "RESV_RUNNING", "RN"),
        (Self::Finished, "RESV_FINISHED", "FN"),
        (Self::BeingDeleted, "RESV_BEING_DELETED", "BD"),
        (Self::Deleted, "RESV_DELETED", "DE"),
        (Self::DeletingJobs, "RESV_DELETING_JOBS", "DJ"),
        (Self::Degraded, "RESV_DEGRADED", "DG"),
        (Self::BeingAltered, "RESV_BEING_ALTERED", "AL"),
        (Self::InConflict, "RESV_IN_CONFLICT", "IC"),
    ];

    /// Its name in words: `unconfirmed`.
    pub fn word(self) -> String {
        let long = Self::ALL.iter().find(|(state, ..)| *state == self).map_or("", |(_, long, _)| *long);
        long.trim_start_matches("RESV_").to_lowercase().replace('_', " ")
    }

    /// The state of a long name, a short name or a number.
    pub fn from_word(word: &str) -> Option<Self> {
        let number = word.parse::<usize>().ok();
        Self::ALL
            .into_iter()
            .enumerate()
            .find(|(ix, (_, long, short))| word == *long || word == *short || number == Some(*ix))
            .map(|(_, (state, _, _))| state)
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reservation {
    /// Its id, `R12.server`.
    pub name: Name,
    pub state: ReservationState,
    /// Substate, numbered like the states.
    pub substate: ReservationState,
    pub start: Option<Epoch>,
    /// End.
    pub end: Option<Epoch>,
    /// Length.
    pub duration: Option<Seconds>,
    pub queue: Option<Name>,
    /// Owner without the host.
    pub owner: Name,
    /// `Authorized_Users`, without hosts.
    pub users: Vec<Name>,
    /// What it requests.
    pub select: Option<Select>,
    /// How.
    pub place: Option<Place>,
    /// `Resource_List`, without select and place.
    pub requested: ResourceList,
    /// The nodes it has, once confirmed.
    pub nodes: Option<ExecVnode>,
    /// `reserve_rrule` of a standing one.
    pub rrule: Option<Name>,
    /// `reserve_index`.
    pub index: Option<u32>,
    /// `reserve_count`.
    pub count: Option<u32>,
    /// `reserve_retry`.
    pub retry: Option<Epoch>,
    pub partition: Option<Name>,
}

impl Reservation {
    /// Whether it is in a state in which it keeps its nodes for the time to come (rule 10.2); one in conflict keeps none.
    pub fn keeps_nodes(&self) -> bool {
        use ReservationState as S;
        !self.is_running() && matches!(self.state, S::Confirmed | S::Degraded | S::BeingAltered)
    }

    /// Whether it owns its nodes now (rule 10.2): running, or deleting its jobs, also when degraded.
    pub fn is_running(&self) -> bool {
        let running = |state| matches!(state, ReservationState::Running | ReservationState::DeletingJobs);
        running(self.state) || (self.state == ReservationState::Degraded && running(self.substate))
    }
}
