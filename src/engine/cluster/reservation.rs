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
    /// Confirmed, starts in the future.
    Confirmed,
    Wait,
    /// About to start.
    TimeToRun,
    Running,
    /// Over.
    Finished,
    BeingDeleted,
    Deleted,
    /// Its jobs are being deleted.
    DeletingJobs,
    /// Some of its nodes are unavailable.
    Degraded,
    /// Being changed.
    BeingAltered,
    /// In conflict with another reservation.
    InConflict,
}

impl ReservationState {
    /// All states in the order of their numbers, with long and short names.
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

    /// Returns the name for display: `unconfirmed`.
    pub fn word(self) -> String {
        let long = Self::ALL.iter().find(|(state, ..)| *state == self).map_or("", |(_, long, _)| *long);
        long.trim_start_matches("RESV_").to_lowercase().replace('_', " ")
    }

    /// Returns the state of a long name, a short name or a number.
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
    /// Full id, `R12.server`.
    pub name: Name,
    pub state: ReservationState,
    /// Substate, numbered like the states.
    pub substate: ReservationState,
    pub start: Option<Epoch>,
    pub end: Option<Epoch>,
    pub duration: Option<Seconds>,
    pub queue: Option<Name>,
    /// `Job_Owner` without the host.
    pub owner: Name,
    /// `Authorized_Users`, without hosts.
    pub users: Vec<Name>,
    /// Chunks that it requests.
    pub select: Option<Select>,
    /// Placement that it requests.
    pub place: Option<Place>,
    /// `Resource_List`, without select and place.
    pub requested: ResourceList,
    /// Allocation, once confirmed.
    pub nodes: Option<ExecVnode>,
    /// `reserve_rrule` of a standing reservation.
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
    /// Whether its state is one that reserves its nodes for the future (rule 10.2); one in conflict reserves none.
    pub fn keeps_nodes(&self) -> bool {
        use ReservationState as S;
        !self.is_running() && matches!(self.state, S::Confirmed | S::Degraded | S::BeingAltered)
    }

    /// Whether it owns its nodes now (rule 10.2): running, or deleting its jobs, even when degraded.
    pub fn is_running(&self) -> bool {
        let running = |state| matches!(state, ReservationState::Running | ReservationState::DeletingJobs);
        running(self.state) || (self.state == ReservationState::Degraded && running(self.substate))
    }
}
