//! The objects that views link to, by name.

use std::borrow::Cow;

use qscope_engine::cluster::{JobId, Snapshot, short_id};

use super::ViewName;

/// Maximum number of links in a line; further names are only counted.
pub(crate) const MAX_NAMED: usize = 200;

/// Maximum number of letters of a bucket's name on a border.
const MAX_BRIEF: usize = 20;

/// A named object of the batch system or of the scheduler's model, which some view shows. Names stay valid in the next
/// snapshot; ids do not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Object {
    /// A job, by its full id.
    Job(String),
    Node(String),
    /// A bucket of the complex.
    Bucket(String),
    /// A placement set, such as `switch=sw1`.
    Set(String),
    Queue(String),
    Reservation(String),
    /// An entity of the fair share tree.
    Entity(String),
    /// A line of a file that was read, such as `sched_config:4`.
    File(String),
    /// A cause on the board, by its key.
    Cause(String),
    /// A whole view.
    View(ViewName),
}

impl Object {
    /// A job of a snapshot.
    pub(crate) fn of_job(job: JobId, snap: &Snapshot) -> Self {
        Self::Job(snap.jobs[job].name.to_string())
    }

    /// A waiting subjob that is not in the dump, by its full id; `None` if the id is that of a job.
    pub(crate) fn of_subjob(id: &str, snap: &Snapshot) -> Option<Self> {
        let (array, index) = snap.job_named(id).is_none().then(|| snap.waiting_subjob(id)).flatten()?;
        snap.jobs[array].subjob_name(index).map(Self::Job)
    }

    /// Like [`of_subjob`](Self::of_subjob), also for a folded list of waiting subjobs, by that list.
    pub(crate) fn of_subjobs(id: &str, snap: &Snapshot) -> Option<Self> {
        let of_list = || {
            let (array, _) = snap.job_named(id).is_none().then(|| snap.waiting_subjobs(id)).flatten()?;
            let array = &snap.jobs[array];
            Some(Self::Job(array.name.replacen(array.short_name(), short_id(id), 1)))
        };
        Self::of_subjob(id, snap).or_else(of_list)
    }

    /// The kind of object, in one word.
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    /// Whether it has its own page.
    pub(crate) fn has_page(&self) -> bool {
        !matches!(self, Self::Cause(_) | Self::Entity(_) | Self::File(_) | Self::View(_))
    }

    /// Whether it can be explained.
    pub(crate) fn has_why(&self) -> bool {
        matches!(self, Self::Job(_) | Self::Node(_))
    }

    /// Its name on a border or in the breadcrumb: without the server, and that of a bucket in words, cut if it is long.
    pub(crate) fn brief_name(&self) -> Cow<'_, str> {
        match self {
            Self::Job(name) | Self::Reservation(name) => short_id(name).into(),
            Self::Bucket(name) if name.chars().count() > MAX_BRIEF => {
                let head: String = name.chars().take(MAX_BRIEF - 1).collect();
                format!("{}…", head.replace(':', " ")).into()
            }
            Self::Bucket(name) => name.replace(':', " ").into(),
            other => other.name().into(),
        }
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
