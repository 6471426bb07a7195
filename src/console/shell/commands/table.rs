//! Commands for tables: sort, choose columns, group and filter rows.

use super::super::Shell;
use super::CommandResult;
use crate::views::{Object, Update, ViewName};
use crate::widgets::prompt::Prompt;
use crate::widgets::table::Sort;
use qscope_engine::cluster::did_you_mean;

/// The column with that title, or the first one whose title begins with that word.
pub(in crate::shell) fn titled<'t, I: Iterator<Item = &'t str>>(
    titles: impl Fn() -> I,
    name: &str,
) -> Option<&'t str> {
    // Columns go by the name of their field, too; the waiting time of a job is its age since submission.
    let has = |title: &str| titles().any(|known| known.eq_ignore_ascii_case(title));
    let name = match name {
        "wait" => "age",
        "state" if !has("state") => "S",
        name => name,
    };
    let begins = |title: &&str| {
        title
            .split([',', ' '])
            .next()
            .is_some_and(|word| word.len() < title.len() && word.eq_ignore_ascii_case(name))
    };
    titles().find(|title| title.eq_ignore_ascii_case(name)).or_else(|| titles().find(begins))
}

/// The order by one column, or by several separated by commas: `state,-ncpus`.
fn order_of(columns: &[(String, bool, bool)], text: &str) -> Result<Sort, String> {
    let titles = || columns.iter().map(|(title, ..)| title.as_str());
    // A title may have a comma itself.
    let is_one = titled(titles, &Sort::parse(text).column).is_some();
    let mut order = None;
    for word in if is_one { vec![text] } else { text.split(',').map(str::trim).collect() }.into_iter().rev() {
        let Sort { column, descending, .. } = Sort::parse(word);
        let Some(title) = titled(titles, &column) else {
            return Err(format!("no column {column}{}", did_you_mean::question(&column, titles())));
        };
        order = Some(Sort { then: order.map(Box::new), ..Sort::by_column(title.to_owned(), descending) });
    }
    order.ok_or_else(|| "no column is named".to_owned())
}

fn is_on_request(columns: &[(String, bool, bool)], title: &str) -> bool {
    columns.iter().any(|(name, _, on_request)| name == title && *on_request)
}

/// The criteria that the rows of a view can be grouped by.
fn groupings(view: ViewName) -> &'static str {
    match view {
        ViewName::Calendar => "use, bucket, host, node or a resource",
        ViewName::Board | ViewName::Jobs => "reason, user or queue",
        _ => "bucket, set, host, name or a resource",
    }
}

impl Shell {
    pub(super) fn sort(&mut self, text: &str) -> Result<(), String> {
        let Some(shape) = self.with_view(|view, cx| view.table(cx)).flatten() else {
            return Err("no table here to sort".to_owned());
        };
        let mut chosen = shape.chosen;
        chosen.sort = None;
        if !text.is_empty() {
            let sort = order_of(&shape.columns, text)?;
            for one in sort.criteria() {
                chosen.show(&one.column, is_on_request(&shape.columns, &one.column), true);
            }
            chosen.sort = Some(sort);
        }
        self.with_view(|view, cx| view.set_table(&chosen, cx));
        self.remember_table(&chosen);
        Ok(())
    }

    /// Shows and hides columns, such as `+switch -mem`.
    pub(super) fn columns(&mut self, text: &str) -> Result<(), String> {
        let Some(shape) = self.with_view(|view, cx| view.table(cx)).flatten() else {
            return Err("no table here whose columns could be chosen".to_owned());
        };
        if text.is_empty() {
            self.choose_columns();
            return Ok(());
        }
        let mut chosen = shape.chosen;
        for word in text.split_whitespace() {
            let (shown, name) = match word.strip_prefix('-') {
                Some(name) => (false, name),
                None => (true, word.trim_start_matches('+')),
            };
            let titles = || shape.columns.iter().map(|(title, ..)| title.as_str());
            let Some(title) = titled(titles, name) else {
                return Err(format!("no column {name}{}", did_you_mean::question(name, titles())));
            };
            chosen.show(title, is_on_request(&shape.columns, title), shown);
        }
        self.with_view(|view, cx| view.set_table(&chosen, cx));
        self.remember_table(&chosen);
        Ok(())
    }

    /// Groups the rows of the view; for criteria it does not have, goes to the nodes or the board.
    pub(super) fn group(&mut self, by: &str) -> CommandResult {
        if self.with_view(|view, cx| view.group_by(by, cx)) == Some(true) {
            return Ok(Update::changed());
        }
        let asked = self.view();
        // Criteria for jobs only apply to the board.
        let by_jobs = matches!(by, "user" | "queue" | "reason");
        if !matches!(asked, ViewName::Nodes | ViewName::Calendar) || by_jobs {
            let view = if by_jobs { ViewName::Board } else { ViewName::Nodes };
            self.go_to_object(&Object::View(view));
        }
        match self.with_view(|view, cx| view.group_by(by, cx)) {
            Some(true) => Ok(Update::changed()),
            _ => Err(format!("cannot group by {by}; {}", groupings(asked))),
        }
    }

    pub(super) fn filter_by(&mut self, text: &str) -> Result<(), String> {
        if let Some(name) = text.strip_prefix("save ") {
            return self.save_filter(name.trim());
        }
        if let Some(saved) = self.saved_filter(text) {
            *self.prompt_mut() = Prompt::with(&saved);
        } else {
            *self.prompt_mut() = Prompt::with(text);
        }
        self.refilter();
        match self.prompt_error.take() {
            Some(error) => {
                *self.prompt_mut() = Prompt::default();
                self.refilter();
                Err(error.what)
            }
            None => {
                self.remember_search();
                Ok(())
            }
        }
    }
}
