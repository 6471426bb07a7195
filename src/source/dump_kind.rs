//! The kinds of dumps: their names, the marks of their records, the commands that print them, and their files.

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
    /// All kinds, nodes first: they determine the types of what jobs request.
    pub(crate) const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the objects in words, the section in JSON, the header of a record in text, its first attribute, and
    /// the command.
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

    /// Returns its objects in words.
    pub(crate) fn things(self) -> &'static str {
        self.words()[0]
    }

    /// Returns the key of its section in JSON.
    pub(crate) fn section(self) -> &'static str {
        self.words()[1]
    }

    /// Returns what starts a record in text; `qmgr` omits the colon, and vnodes have only their name.
    pub(crate) fn header(self) -> &'static str {
        self.words()[2]
    }

    /// Returns the first attribute of every record.
    pub(crate) fn first_attribute(self) -> &'static str {
        self.words()[3]
    }

    /// Returns the command that prints it.
    pub(crate) fn command(self) -> &'static str {
        self.words()[4]
    }

    /// Returns the file names known to the loader, in order of preference.
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

    /// Returns the kind that the loader expects in a file of this name.
    pub(crate) fn of_file(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.files().contains(&name))
    }
}
