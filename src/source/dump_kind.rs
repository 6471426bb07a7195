//! The kinds of dumps: what each is called, what marks its records, the command that prints it, the files that it
//! lies in.

/// What a dump is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::VariantArray)]
pub(crate) enum DumpKind {
    Nodes,
    Jobs,
    Queues,
    Server,
    Schedulers,
    Resources,
    Reservations,
}

impl DumpKind {
    /// All, nodes first: what jobs ask for is typed by them.
    pub(crate) const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// What it lists, its section in JSON, the header of a record in text, the first attribute of a record, its command.
    fn words(self) -> &'static [&'static str; 5] {
        match self {
            Self::Nodes => &["nodes", "nodes", "Node", "Mom", "pbsnodes -av"],
            Self::Jobs => &["jobs", "Jobs", "Job Id", "Job_Name", "qstat -f"],
            Self::Queues => &["queues", "Queue", "Queue", "queue_type", "qstat -Qf"],
            Self::Server => &["the server", "Server", "Server", "server_state", "qstat -Bf"],
            Self::Schedulers => &["schedulers", "Sched", "Sched", "sched_host", "qmgr -c \"list sched\""],
            Self::Resources => &["resources", "Resource", "Resource", "type", "qmgr -c \"list resource\""],
            Self::Reservations => &["reservations", "Reservation", "Resv ID", "Reserve_Name", "pbs_rstat -F"],
        }
    }

    /// What it lists, in words.
    pub(crate) fn things(self) -> &'static str {
        self.words()[0]
    }

    /// The key of the section in JSON.
    pub(crate) fn section(self) -> &'static str {
        self.words()[1]
    }

    /// What starts a record in text; `qmgr` leaves the colon out. Vnodes have nothing but their name.
    pub(crate) fn header(self) -> &'static str {
        self.words()[2]
    }

    /// The attribute that every record has first.
    pub(crate) fn first_attribute(self) -> &'static str {
        self.words()[3]
    }

    /// The command that prints it.
    pub(crate) fn command(self) -> &'static str {
        self.words()[4]
    }

    /// The files that the loader knows, the better one first.
    pub(crate) fn files(self) -> &'static [&'static str] {
        match self {
            Self::Nodes => &["nodes.json", "nodes.txt"],
            Self::Jobs => &["jobs-t.json", "jobs-t.txt", "jobs.json", "jobs.txt"],
            Self::Queues => &["queues.json", "queues.txt"],
            Self::Server => &["server.json", "server.txt"],
            Self::Schedulers => &["sched.txt", "sched.json"],
            Self::Resources => &["resources.txt", "resources.json"],
            Self::Reservations => &["resvs.txt", "resvs.json"],
        }
    }

    /// The kind that the loader expects in a file of this name.
    pub(crate) fn of_file(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.files().contains(&name))
    }
}
