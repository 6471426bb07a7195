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
    pub(crate) fn object_words(self) -> &'static str {
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

    /// Whether the dump of a running system may be without objects.
    fn may_be_empty(self) -> bool {
        !matches!(self, Self::Nodes | Self::Queues | Self::Server | Self::Schedulers)
    }

    /// Returns the kind that the loader expects in a file of this name.
    pub(crate) fn of_file(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.files().contains(&name))
    }
}

/// What a file of a folder is read for: one of several forms of a dump, or a file of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileUse<'a> {
    kind: Option<DumpKind>,
    /// The name of a file without other forms.
    name: &'a str,
}

impl<'a> FileUse<'a> {
    /// Returns the use of a file by the loader's name for it.
    pub fn of(name: &'a str) -> Self {
        let kind = match name {
            "nodes.toml" => Some(DumpKind::Nodes),
            "queue.toml" => Some(DumpKind::Jobs),
            _ => DumpKind::of_file(name),
        };
        Self { kind, name: if kind.is_some() { "" } else { name } }
    }

    /// Whether the file may be without content: hand-written files and dumps of what a system may not have.
    pub fn may_be_empty(self) -> bool {
        self.kind.is_none_or(DumpKind::may_be_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::FileUse;

    #[test]
    fn the_forms_of_a_dump_have_one_use() {
        let alike = |one: &str, other: &str| FileUse::of(one) == FileUse::of(other);
        assert!(alike("server.json", "server.txt") && alike("jobs-t.json", "jobs.txt"));
        assert!(alike("nodes.toml", "nodes.json") && !alike("nodes.json", "jobs.json"));
        assert!(alike("usage", "usage") && !alike("usage", "holidays"));
        assert!(FileUse::of("resvs.txt").may_be_empty() && !FileUse::of("server.json").may_be_empty());
    }
}
