//! Ranks the files that can be used for an input.

use super::Assigner;
use crate::archive::{SUBJOBS, TreeFileRole};
use crate::intake::arrays::{has_subjobs_by_name, lists_subjobs, names_array};
use crate::intake::entry::InputEntry;
use crate::intake::kind::{ClientTable, DumpNotation, IntakeKind, NativeFileKind};
use crate::intake::slot::{hint, is_history};
use crate::record::DumpKind;

/// Rank of an empty file: it is used only if there is nothing else.
const EMPTY: u32 = 50;
/// Rank of job dumps that include finished jobs.
const HISTORY: u32 = 20;
/// Maximum difference in seconds between the modification times of files made at one time.
const ONE_MOMENT: i64 = 60;

impl Assigner<'_> {
    /// Returns the rank of a file for an input, lower is better; `None` if it cannot be used.
    pub(super) fn rank(&mut self, of: DumpKind, at: usize) -> Option<u32> {
        let bounds = self.bounds;
        let has_tree = self.tree.is_some();
        let entry = self.entries.get_mut(at)?;
        let own = match entry.kind {
            IntakeKind::Dump { of: found, form, .. } if found == of => match form {
                DumpNotation::Json => 0,
                DumpNotation::Text | DumpNotation::Xml => 1,
                DumpNotation::Dsv => 2,
            },
            // A script is small, and only its whole text shows what it is about.
            IntakeKind::Script => {
                let bytes = entry.bytes(bounds).ok()?;
                if crate::qmgr::shows_of(of, bytes) { 3 } else { return None }
            }
            IntakeKind::Native(NativeFileKind::ResourceDef) if of == DumpKind::Resources => 4,
            IntakeKind::Native(NativeFileKind::TorqueNodes) if of == DumpKind::Nodes => 5,
            IntakeKind::Table(ClientTable::NodesJobs) if of == DumpKind::Nodes => 6,
            IntakeKind::Empty | IntakeKind::EmptyAnswer if has_tree || hint(entry.base()) == Some(of) => {
                EMPTY
            }
            _ => return None,
        };
        let is_history = of == DumpKind::Jobs && is_history(entry.base());
        let Some(tree) = self.tree else {
            return Some(own + if is_history { HISTORY } else { 0 });
        };
        let place = entry.places(tree).into_iter().find_map(|place| match place {
            TreeFileRole::Input(kind, rank) if kind == of => Some(u32::from(rank)),
            _ => None,
        });
        place.map(|rank| rank + if own == EMPTY { EMPTY } else { 0 })
    }

    /// Returns the best file; for jobs with arrays, the one that lists subjobs, if it was made at the same time.
    pub(super) fn with_subjobs(
        &mut self,
        kind: DumpKind,
        ranked: &[(u32, std::cmp::Reverse<i64>, usize)],
    ) -> Option<usize> {
        let (rank, _, best) = *ranked.first()?;
        if kind != DumpKind::Jobs || rank >= HISTORY {
            return Some(best);
        }
        let bounds = self.bounds;
        let moment = self.entries.get(best)?.modified;
        let has_arrays = self.entries.get_mut(best)?.bytes(bounds).is_ok_and(names_array);
        let lists = |entry: &InputEntry| lists_subjobs(&entry.head) || has_subjobs_by_name(entry.base());
        if !has_arrays || self.entries.get(best).is_some_and(lists) && self.tree.is_none() {
            return Some(best);
        }
        let is_near = |entry: &InputEntry| {
            let apart = entry.modified.zip(moment).map(|(one, other)| (one.0 - other.0).abs());
            apart.is_none_or(|apart| apart <= ONE_MOMENT)
        };
        let other = ranked.iter().skip(1).find(|(rank, _, at)| {
            let entry = self.entries.get(*at);
            let wanted = if self.tree.is_some() { *rank == u32::from(SUBJOBS) } else { *rank < HISTORY };
            wanted && entry.is_some_and(|entry| self.tree.is_some() || lists(entry) && is_near(entry))
        });
        Some(other.map_or(best, |(_, _, at)| *at))
    }
}
