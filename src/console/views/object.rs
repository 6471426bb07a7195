//! What views lead to one another by: names, which outlive snapshots.

use qscope_engine::cluster::{JobId, Snapshot};

use super::ViewName;

/// No line leads to more things than these: of a long list the rest is counted.
pub(crate) const MAX_NAMED: usize = 200;

/// Something that has a name in the batch system or in the scheduler's universe, and a view that shows it. Names
/// outlive snapshots; ids do not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Object {
    /// A job, by its full id.
    Job(String),
    Node(String),
    /// A bucket of the complex.
    Bucket(String),
    /// A placement set, as `switch=sw1`.
    Set(String),
    Queue(String),
    Reservation(String),
    /// An entity of the fair share tree.
    Entity(String),
    /// A place in a file that was read, as `sched_config:4`.
    File(String),
    /// A cause on the board, by its identity there.
    Cause(String),
    /// A whole view.
    View(ViewName),
}

impl Object {
    /// A job of a snapshot.
    pub(crate) fn of_job(job: JobId, snap: &Snapshot) -> Self {
        Self::Job(snap.jobs[job].name.to_string())
    }

    /// A subjob that waits and is in no dump by itself, by its full id; none where the id is another job's.
    pub(crate) fn of_subjob(id: &str, snap: &Snapshot) -> Option<Self> {
        let (array, index) = snap.job_named(id).is_none().then(|| snap.waiting_subjob(id)).flatten()?;
        snap.jobs[array].subjob_name(index).map(Self::Job)
    }

    /// What kind of thing it is, in one word.
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    /// Whether it has a page of its own.
    pub(crate) fn has_page(&self) -> bool {
        !matches!(self, Self::Cause(_) | Self::Entity(_) | Self::File(_) | Self::View(_))
    }

    /// Whether it can be explained.
    pub(crate) fn has_why(&self) -> bool {
        matches!(self, Self::Job(_) | Self::Node(_))
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Job(name)
            | Self::Node(name)
            | Self::Bucket(name)
            | Self::Set(name)
            | Self::Queue(name)
            | Self::Reservation(name)
            | Self::Entity(name)
            | Self::File(name)
            | Self::Cause(name) => name,
            Self::View(view) => view.word(),
        }
    }
}
