//! Findings about all files together.

use super::Assigner;
use crate::record::DumpKind;
use qscope_engine::cluster::Flavour;

impl Assigner<'_> {
    /// Reports findings about all files together.
    pub(super) fn judge(&mut self) {
        if self.files.gathered().flavour == Flavour::Torque {
            self.reported.warn(
                "torque",
                "",
                "dumps of Torque: who runs where and what is free is known; in which order jobs are considered is not, since Maui, Moab or pbs_sched decides it".to_owned(),
            );
        }
        let Some(tree) = self.tree else { return };
        let has_dump = |of: DumpKind| self.files.names().any(|name| of.files().contains(&name));
        if !has_dump(DumpKind::Nodes) && !has_dump(DumpKind::Jobs) && !has_dump(DumpKind::Server) {
            self.reported.error(
                "server-down",
                "",
                "no dumps in it: taken while the server was down".to_owned(),
            );
        }
        if tree.is_obfuscated {
            self.reported.note(
                "obfuscated",
                "",
                "names in it were replaced: names of vnodes may differ between files".to_owned(),
            );
        }
    }
}
