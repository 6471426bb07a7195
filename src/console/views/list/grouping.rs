//! Rows in groups, each below a heading with the number of its rows: `3 jobs · user alice`. Sorting by a column then
//! applies within the groups.

use super::ListView;
use super::model::ListModel;
use crate::views::{Update, ViewContext};
use qscope_engine::cluster::{InsertionOrderMap, Name};

impl<M: ListModel> ListView<M> {
    /// Puts the rows below headings, the largest group first; no effect without grouping, or while rows are still being
    /// filtered.
    pub(super) fn put_in_groups(&mut self, cx: ViewContext<'_>) {
        let Some(by) = self.group.clone().filter(|_| self.list.is_whole()) else { return };
        let name_of = self.model.group_names(&by, cx);
        let mut groups: InsertionOrderMap<String, (String, Vec<usize>)> = InsertionOrderMap::default();
        let rows = self.list.matching_rows().iter().enumerate().filter(|(_, line)| M::is_live(line));
        for (at, line) in rows {
            let name = name_of(line);
            groups.of(name.clone(), || (name, Vec::new())).1.push(at);
        }
        drop(name_of);
        let mut groups: Vec<(String, Vec<usize>)> = groups.into_all();
        // Groups of equal size keep the order of the rows.
        groups.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
        let kept = self.list.matching_rows();
        let headed = groups.into_iter().map(|(name, rows)| {
            let lines: Vec<&M::Line> =
                rows.iter().filter_map(|at| kept.get(*at)).map(|line| &**line).collect();
            (M::group_heading(&name, &lines, cx), rows)
        });
        let headed = headed.collect();
        self.list.group(headed);
    }

    /// Groups by the next criterion, after the last one by none; `None` if the list has no criteria.
    pub(super) fn next_grouping(&mut self, cx: ViewContext<'_>) -> Option<Update> {
        let all = M::groups(cx);
        if all.is_empty() {
            return None;
        }
        let here = self.group.as_ref().and_then(|group| all.iter().position(|by| by == group));
        Some(self.set_group(all.get(here.map_or(0, |at| at + 1)).cloned(), cx))
    }

    /// Groups by a criterion, or by none.
    pub(super) fn set_group(&mut self, group: Option<Name>, cx: ViewContext<'_>) -> Update {
        self.group.clone_from(&group);
        self.keep_matching(cx);
        let words = group.map_or_else(|| "in no groups".to_owned(), |by| format!("grouped by {by}"));
        Update::status(words).and_changed()
    }
}
