//! What the user chose for a table: which columns, and the order of the rows (console.md 4).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::action::Action;
use crate::theme::{GlyphSet, Theme};
use crate::views::Update;
use crate::widgets::table::{Sort, SortKey, TableColumn, sorted_indices};

/// The columns and the order of a table, as far as they differ from the defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableChoices {
    /// The sorted column; `None` for the order of the view.
    pub(crate) sort: Option<Sort>,
    /// Optional columns that are shown.
    pub(crate) on: BTreeSet<String>,
    /// Default columns that are hidden.
    pub(crate) off: BTreeSet<String>,
}

/// The columns of a view's table, and the user's choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableShape {
    /// Title, whether it is shown, and whether it is shown on request only.
    pub(crate) columns: Vec<(String, bool, bool)>,
    pub(crate) chosen: TableChoices,
}

impl TableChoices {
    fn shows<T>(&self, column: &TableColumn<'_, T>) -> bool {
        let title = &*column.title;
        self.on.contains(title) || (!column.on_request && !self.off.contains(title))
    }

    /// Removes hidden columns; chosen ones are the last to be dropped where there is little room.
    pub(crate) fn apply<T>(&self, columns: &mut Vec<TableColumn<'_, T>>) {
        columns.retain(|column| self.shows(column));
        for column in columns.iter_mut().filter(|column| self.on.contains(&*column.title)) {
            column.keep = column.keep.max(99);
        }
    }

    /// Applies what the user changed. A sort without a column is the order of the view.
    pub(crate) fn change(&mut self, changes: &Self) {
        if let Some(sort) = &changes.sort {
            self.sort = Some(sort.clone()).filter(|sort| !sort.column.is_empty());
        }
        self.on.retain(|title| !changes.off.contains(title));
        self.off.retain(|title| !changes.on.contains(title));
        self.on.extend(changes.on.iter().cloned());
        self.off.extend(changes.off.iter().cloned());
    }

    /// Returns the changes that make these choices of `before`; the inverse of [`Self::change`].
    pub(crate) fn changes_of(&self, before: &Self) -> Self {
        let own_order = || Sort::by_column(String::new(), false);
        let more = |now: &BTreeSet<String>, before: &BTreeSet<String>| -> BTreeSet<String> {
            now.difference(before).cloned().collect()
        };
        Self {
            sort: (self.sort != before.sort).then(|| self.sort.clone().unwrap_or_else(own_order)),
            on: &more(&self.on, &before.on) | &more(&before.off, &self.off),
            off: &more(&self.off, &before.off) | &more(&before.on, &self.on),
        }
    }

    /// All columns, and whether each is shown.
    pub(crate) fn shape<T>(&self, columns: &[TableColumn<'_, T>]) -> TableShape {
        let of =
            |column: &TableColumn<'_, T>| (column.title.to_string(), self.shows(column), column.on_request);
        TableShape { columns: columns.iter().map(of).collect(), chosen: self.clone() }
    }

    /// Shows or hides a column.
    pub(crate) fn show(&mut self, title: &str, on_request: bool, shown: bool) {
        let (add, remove) = if shown { (&mut self.on, &mut self.off) } else { (&mut self.off, &mut self.on) };
        remove.remove(title);
        // Rows are not sorted by a hidden column.
        self.sort.take_if(|sort| !shown && sort.criteria().any(|sort| sort.column == title));
        // A default needs no entry.
        if shown == on_request {
            add.insert(title.to_owned());
        }
    }

    /// The next order: column by column, then the order of the view again.
    fn next_sort(&self, titles: &[String]) -> Option<Sort> {
        let here = self.sort.as_ref().and_then(|sort| titles.iter().position(|title| *title == sort.column));
        let next = here.map_or(0, |at| at + 1);
        titles.get(next).map(|column| Sort::by_column(column.clone(), false))
    }

    /// The reversed order; `None` where the rows are in the order of the view.
    fn reversed(&self) -> Option<Sort> {
        self.sort.clone().map(|sort| Sort { descending: !sort.descending, ..sort })
    }

    /// The order that a key for sorting requests of columns with these titles.
    ///
    /// # Errors
    /// Rows in the order of the view cannot be reversed; with a message about that.
    pub(crate) fn sort_by_key(&self, action: Action, titles: &[String]) -> Result<Option<Sort>, Update> {
        match action {
            Action::Sort => Ok(self.next_sort(titles)),
            _ => self.reversed().map(Some).ok_or_else(|| Update::status(NOT_SORTED)),
        }
    }

    /// The sorted columns for the end of a pane's title: ` · sort user ▴`.
    pub(crate) fn sort_note(&self, theme: &Theme) -> String {
        let Some(sort) = &self.sort else { return String::new() };
        let mark =
            |one: &Sort| if one.descending { theme.by_set("▾", "v") } else { theme.by_set("▴", "^") };
        let named: Vec<String> = sort.criteria().map(|one| format!("{} {}", one.column, mark(one))).collect();
        format!("{}sort {}", theme.dot(), named.join(", "))
    }

    /// The order after a click on a heading: by that column, reversed by a second click.
    pub(crate) fn sort_by_click(&self, column: String) -> Sort {
        let again = self.sort.as_ref().filter(|sort| sort.column == column);
        Sort::by_column(column, again.is_some_and(|sort| !sort.descending))
    }
}

/// The current indices of the rows in sorted order, section by section; the sort is stable. `None` if there is no such
/// column.
pub(crate) fn places<'a, T>(
    rows: &'a [T],
    columns: &[TableColumn<'a, T>],
    sort: &Sort,
    is_heading: impl Fn(&T) -> bool,
) -> Option<Vec<usize>> {
    let column = columns.iter().find(|column| column.title == sort.column)?;
    let keys: Vec<SortKey> = rows.iter().map(|row| column.key_unless(row, &is_heading)).collect();
    places_with(rows, columns, sort, &keys, is_heading)
}

/// The same as [`places`] with the keys of the first column, which exist already.
pub(crate) fn places_with<'a, T>(
    rows: &'a [T],
    columns: &[TableColumn<'a, T>],
    sort: &Sort,
    keys: &[SortKey],
    is_heading: impl Fn(&T) -> bool,
) -> Option<Vec<usize>> {
    let Some(then) = &sort.then else { return Some(places_by(rows, keys, sort.descending, is_heading)) };
    // The sort is stable, so the rows are first put in the order of the column that follows.
    let heading: &dyn Fn(&T) -> bool = &is_heading;
    let before = places(rows, columns, then, heading)?;
    let keys: Vec<SortKey> = before.iter().filter_map(|at| keys.get(*at).cloned()).collect();
    let is_heading = |at: &usize| rows.get(*at).is_some_and(heading);
    let found = places_by(&before, &keys, sort.descending, is_heading);
    Some(found.into_iter().filter_map(|at| before.get(at).copied()).collect())
}

/// The same for one column, by its keys.
fn places_by<T>(
    rows: &[T],
    keys: &[SortKey],
    descending: bool,
    is_heading: impl Fn(&T) -> bool,
) -> Vec<usize> {
    let mut places = Vec::with_capacity(rows.len());
    for section in rows.chunk_by(|_, next| !is_heading(next)) {
        let (first, end) = (places.len(), places.len() + section.len());
        let headings = usize::from(section.first().is_some_and(&is_heading));
        places.extend(first..first + headings);
        let keys = keys.get(first + headings..end).unwrap_or_default();
        places.extend(sorted_indices(keys, descending).into_iter().map(|at| first + headings + at));
    }
    places
}

/// Status when rows in the order of the view cannot be reversed.
const NOT_SORTED: &str = "not sorted by a column; s sorts";

/// A theme for uses of a table that are not drawn.
pub(crate) fn plain_theme() -> &'static Theme {
    static PLAIN: LazyLock<Theme> = LazyLock::new(|| Theme::mono(GlyphSet::Unicode));
    &PLAIN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::table::{Cell, Width};

    #[test]
    fn sorting_goes_through_the_columns_and_back_to_the_order_of_the_view() {
        let titles = ["a".to_owned(), "b".to_owned()];
        let mut chosen = TableChoices::default();
        let mut seen = Vec::new();
        for _ in 0..4 {
            chosen.sort = chosen.next_sort(&titles);
            seen.push(chosen.sort.as_ref().map_or(String::new(), Sort::text));
        }
        assert_eq!(seen, ["a", "b", "", "a"]);
        chosen.sort = Some(chosen.sort_by_click("a".to_owned()));
        assert_eq!(chosen.sort.as_ref().map(Sort::text).as_deref(), Some("-a"));
        assert_eq!(chosen.sort_by_click("b".to_owned()).text(), "b");
    }

    #[test]
    fn only_what_differs_from_the_configuration_is_a_change() {
        let configured = TableChoices {
            sort: Some(Sort::parse("-ncpus")),
            on: ["mem".to_owned()].into(),
            off: ["user".to_owned()].into(),
        };
        assert_eq!(configured.changes_of(&configured), TableChoices::default());
        let mut chosen = configured.clone();
        chosen.sort = None;
        chosen.show("mem", true, false);
        chosen.show("user", false, true);
        chosen.show("queue", false, false);
        let changes = chosen.changes_of(&configured);
        let mut again = configured.clone();
        again.change(&changes);
        assert_eq!(again.sort, None);
        for (title, shown) in [("mem", false), ("user", true), ("queue", false)] {
            let column = TableColumn::words(title, Width::Fill(1), 1, |row: &&str| Cell::new(*row));
            let column = if title == "mem" { column.on_request() } else { column };
            assert_eq!(again.shows(&column), shown, "{title}");
        }
        assert_eq!(again.changes_of(&configured), changes);
        // The rest of a changed configuration has effect.
        let mut other = TableChoices { on: ["walltime".to_owned()].into(), ..configured };
        other.change(&TableChoices { sort: None, ..changes });
        assert!(other.on.contains("walltime") && other.sort == Some(Sort::parse("-ncpus")));
    }

    #[test]
    fn rows_equal_in_the_first_column_are_ordered_by_the_next_one() {
        let rows = [("q", 8), ("r", 1), ("q", 200), ("q", 8), ("r", 64)];
        let columns = [
            TableColumn::words("state", Width::Fill(1), 1, |row: &(&str, i32)| Cell::new(row.0)),
            TableColumn::words("ncpus", Width::Fill(1), 1, |row: &(&str, i32)| Cell::new(row.1.to_string())),
        ];
        let order = |text: &str| places(&rows, &columns, &Sort::parse(text), |_| false);
        assert_eq!(order("state; -ncpus"), Some(vec![2, 0, 3, 4, 1]));
        assert_eq!(order("-state; ncpus"), Some(vec![1, 4, 0, 3, 2]));
        assert_eq!(order("state; mem"), None);
        let chosen = TableChoices { sort: Some(Sort::parse("state; -ncpus")), ..TableChoices::default() };
        assert_eq!(chosen.sort_note(plain_theme()), " · sort state ▴, ncpus ▾");
        assert_eq!(chosen.reversed().map(|sort| sort.text()).as_deref(), Some("-state; -ncpus"));
    }

    #[test]
    fn a_usual_column_that_is_shown_again_leaves_no_entry() {
        let mut chosen = TableChoices::default();
        chosen.show("user", false, false);
        assert!(chosen.off.contains("user"));
        chosen.show("user", false, true);
        chosen.show("mem", true, true);
        assert_eq!((chosen.off.len(), chosen.on.len()), (0, 1));
        chosen.show("mem", true, false);
        assert_eq!(chosen, TableChoices::default());
    }
}
