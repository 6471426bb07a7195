//! The configured columns and orders of tables, by the titles of the columns that a table has. These are known once a
//! cluster is read, as resources make columns.

use super::Shell;
use super::commands::table::titled;
use crate::filter::Filter;
use crate::views::ViewName;
use crate::views::table_choices::{TableChoices, TableShape};
use crate::widgets::table::Sort;
use qscope_engine::cluster::did_you_mean::question;
use qscope_session::query::{QueryError, QueryFields};
use qscope_source::config::{Config, ConfigEntry};

/// An entry of `[columns]` or `[sort]`, for a view.
pub(super) type TableEntry = (ViewName, ConfigEntry);

/// Returns the entries of `[columns]` and `[sort]` for views that exist.
pub(super) fn table_entries(config: &Config) -> Vec<TableEntry> {
    let named = |(word, entry): (&str, &ConfigEntry)| {
        let view = ViewName::ALL.iter().find(|view| view.word() == word)?;
        Some((*view, entry.clone()))
    };
    ["columns", "sort"].iter().flat_map(|table| config.table(table)).filter_map(named).collect()
}

/// Returns the entries of `[filters]` by name.
pub(super) fn filter_entries(config: &Config) -> Vec<(String, ConfigEntry)> {
    config.table("filters").map(|(name, entry)| (name.to_owned(), entry.clone())).collect()
}

impl Shell {
    /// The configured filters with a field that no view has.
    fn unknown_fields(&self) -> Vec<String> {
        let Some(cx) = self.cx() else { return Vec::new() };
        let fields: Vec<QueryFields> = ViewName::ALL.iter().map(|view| view.make().fields(cx)).collect();
        let wrong = self.keeping.configured_filters.iter().filter_map(|(name, entry)| {
            let text = entry.values.concat();
            let errors: Option<Vec<QueryError>> =
                fields.iter().map(|fields| Filter::parse(&text, fields).err()).collect();
            let errors = errors.filter(|errors| errors.iter().all(|error| error.is_unknown_field))?;
            Some(format!("{}: filter {name}: {}", entry.source, errors.first()?))
        });
        wrong.collect()
    }

    /// Reports the configured columns, and fields of filters, that do not exist.
    pub(super) fn check_configured_tables(&mut self) {
        let Some(cx) = self.cx() else { return };
        let mut problems = Vec::new();
        for (view, entry) in &self.keeping.configured_tables {
            let Some(shape) = view.make().table(cx) else { continue };
            for text in &entry.values {
                let sort = Sort::parse(text.trim_start_matches('+'));
                let unknown = sort.criteria().filter(|one| title_in(&shape, &one.column).is_none());
                problems.extend(unknown.map(|one| {
                    let name = &one.column;
                    let hint = question(name, titles(&shape));
                    format!("{}: no column {name} in {}{hint}", entry.source, view.word())
                }));
            }
        }
        problems.extend(self.unknown_fields());
        if !problems.is_empty() {
            self.following.config_wrong.extend(problems);
            self.warn_of_configuration();
        }
    }
}

/// Returns configured choices with columns named by their titles; those that do not exist have no effect.
pub(super) fn with_titles(chosen: TableChoices, shape: &TableShape) -> TableChoices {
    let title = |name: String| title_in(shape, &name).map(ToOwned::to_owned);
    let sorted = chosen.sort.iter().flat_map(Sort::criteria).cloned().collect::<Vec<_>>();
    let known = sorted.into_iter().filter_map(|one| Some(Sort { column: title(one.column)?, ..one }));
    let order = |then: Option<Sort>, one| Some(Sort { then: then.map(Box::new), ..one });
    TableChoices {
        sort: known.rev().fold(None, order),
        on: chosen.on.into_iter().filter_map(title).collect(),
        off: chosen.off.into_iter().filter_map(title).collect(),
    }
}

fn titles(shape: &TableShape) -> impl Iterator<Item = &str> {
    shape.columns.iter().map(|(title, ..)| title.as_str())
}

fn title_in<'s>(shape: &'s TableShape, name: &str) -> Option<&'s str> {
    titled(|| titles(shape), name)
}
