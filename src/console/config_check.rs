//! The check of a configuration: everything in it that cannot be used.

use super::action::{Action, Context};
use super::filter::Filter;
use super::keymap::Keymap;
use super::open::{DisplayOptions, theme, theme_name};
use super::theme::ThemeOptions;
use super::views::ViewName;
use qscope_engine::cluster::Catalogue;
use qscope_engine::cluster::did_you_mean::question;
use qscope_session::query::QueryError;
use qscope_session::records::{job_fields, node_fields};
use qscope_source::config::Config;

/// Returns everything that is wrong in a configuration: unreadable parts of its files, invalid or conflicting keys, an
/// unknown theme, invalid filters, and columns of views without a table.
pub fn config_problems(config: &Config) -> Vec<String> {
    let looks = DisplayOptions::of(config.clone());
    let (_, keys) = Keymap::configured(config);
    let (_, theme) = theme(theme_name(config), ThemeOptions::from_env(looks.color, looks.ascii));
    let place = config.get("theme").map(|entry| entry.source.to_string()).unwrap_or_default();
    let in_files = config.problems.iter().map(ToString::to_string);
    in_files
        .chain(keys)
        .chain(theme.map(|theme| format!("{place}: {theme}")))
        .chain(wrong_filters(config))
        .chain(wrong_tables(config))
        .collect()
}

/// Returns the entries of `[columns]` and `[sort]` for what is no view with a table. Their columns are checked when a
/// cluster is read, as resources make columns.
fn wrong_tables(config: &Config) -> Vec<String> {
    let contexts = Action::Columns.entry().keys;
    let has_table = |view: &ViewName| {
        let context = if *view == ViewName::Cycle { Context::List } else { Context::View(*view) };
        contexts.iter().any(|(contexts, _)| contexts.has(context))
    };
    let views = || ViewName::ALL.iter().filter(|view| has_table(view)).map(|view| view.word());
    let entries = ["columns", "sort"].iter().flat_map(|table| config.table(table));
    let wrong = entries.filter(|(name, _)| views().all(|view| view != *name));
    wrong
        .map(|(name, entry)| {
            format!("{}: no view {name} has a table{}", entry.source, question(name, views()))
        })
        .collect()
}

/// Returns the filters that are valid for neither the list of jobs nor that of nodes. Resources and sets are not known
/// yet, so an unknown name is not an error here.
fn wrong_filters(config: &Config) -> Vec<String> {
    let catalogue = Catalogue::default();
    let lists = [job_fields(&catalogue), node_fields(&catalogue)];
    let wrong = config.table("filters").filter_map(|(name, entry)| {
        let text = entry.values.concat();
        let errors: Result<Vec<QueryError>, ()> =
            lists.iter().map(|fields| Filter::parse(&text, fields).err().ok_or(())).collect();
        let error = errors.ok()?.into_iter().find(|error| !error.is_unknown_field)?;
        Some(format!("{}: filter {name}: {error}", entry.source))
    });
    wrong.collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use qscope_source::config::ConfigSource;

    #[test]
    fn all_that_is_wrong_is_listed_with_its_place() {
        let mut config = Config::default();
        config.set("theme", vec!["light".to_owned()], ConfigSource::Flag("--theme"));
        assert_eq!(config_problems(&config), Vec::<String>::new());
        config.add_text(
            Path::new("c.toml"),
            "[filters]\nbig = \"ncpus>>64\"\nopen = \"(user=ann\"\nours = \"gpu_type=v100\"\nwide = \"ncpus>=64\"\n",
        );
        let wrong = config_problems(&config);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].starts_with("c.toml:2: filter big: "), "{wrong:?}");
        assert_eq!(wrong[1], "c.toml:3: filter open: this bracket is never closed");
        config.add_text(
            Path::new("d.toml"),
            "[columns]\njbs = [\"+x\"]\njobs = [\"+x\"]\n[sort]\ncycle = \"user\"\n",
        );
        let wrong = config_problems(&config);
        assert_eq!(wrong[2], "d.toml:2: no view jbs has a table, did you mean `jobs`?");
        assert_eq!(wrong.len(), 3, "{wrong:?}");
    }
}
