//! Writing files: exports on request, and what is kept for the next session. Workers write, so that the interface never
//! waits for a disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::configured_tables::{TableEntry, filter_entries, table_entries, with_titles};
use super::{HINTS, Shell};
use crate::app::App;
use crate::breakpoints::Breakpoint;
use crate::config_check::config_problems;
use crate::export::{self, ExportForm};
use crate::keymap::Keymap;
use crate::stored::{self, SessionState};
use crate::task::{Computation, TaskNews};
use crate::views::table_choices::TableChoices;
use crate::views::{Object, Pending, Update, ViewName};
use qscope_exits::{Exit, file_name};
use qscope_source::config::{Config, ConfigEntry};
use qscope_system::folder::Folder;

/// What is kept between sessions, and the file.
#[derive(Debug, Default)]
pub(crate) struct SessionStore {
    pub(super) path: Option<PathBuf>,
    /// What the user chose in the console. It has precedence over the configuration.
    pub(super) stored: SessionState,
    /// What the configuration sets. It is not written, so that a changed configuration has effect.
    configured: SessionState,
    /// The entries for tables, to be checked when the columns are known.
    pub(super) configured_tables: Vec<TableEntry>,
    /// The filters of the configuration, to be checked when the fields are known.
    pub(super) configured_filters: Vec<(String, ConfigEntry)>,
    /// What was written last.
    written: Option<SessionState>,
    /// The export being written.
    export: Pending<Result<String, String>>,
    /// The session data being written.
    storing: Pending<Result<(), String>>,
    /// Whether nothing was ever kept, so that this is the first run.
    is_first: bool,
}

impl Shell {
    /// Restores what was kept for this cluster from a file, and keeps later changes there.
    pub fn restore_state(&mut self, path: Option<PathBuf>) {
        self.keeping.stored = path.as_deref().map(stored::read).unwrap_or_default();
        self.keeping.is_first = path.as_deref().and_then(Path::parent).is_some_and(|folder| !folder.exists());
        if self.keeping.is_first {
            self.hints = HINTS;
        } else {
            self.keeping.written = Some(self.keeping.stored.clone());
        }
        self.keeping.path = path;
        // A what-if from the command line exists already.
        let what_ifs = self.keeping.stored.what_ifs.clone();
        if let Some(view) = self.what_if_view() {
            view.set_saved(what_ifs);
        }
        let kept = &self.keeping.stored.breakpoints;
        self.breakpoints.list = kept.iter().map(|(text, on)| Breakpoint::new(text, *on)).collect();
        if let Some(screen) = &self.screen {
            self.breakpoints.find(screen);
        }
    }

    /// Applies the configuration: keys, and the columns, sort order, filters and breakpoints that are not restored from
    /// an earlier session. Errors are shown until the next key.
    pub fn configure(&mut self, config: &Config) {
        (self.keymap, _) = Keymap::configured(config);
        self.keeping.configured = SessionState::configured(config);
        self.keeping.configured_tables = table_entries(config);
        self.keeping.configured_filters = filter_entries(config);
        if self.breakpoints.list.is_empty() {
            let configured = &self.keeping.configured.breakpoints;
            self.breakpoints.list = configured.iter().map(|(text, on)| Breakpoint::new(text, *on)).collect();
        }
        self.following.config_wrong = config_problems(config);
        self.warn_of_configuration();
    }

    /// Shows the first error of the configuration, and how to list all of them.
    pub(super) fn warn_of_configuration(&mut self) {
        if let Some((first, more)) = self.following.config_wrong.split_first() {
            let more = match more.len() {
                0 => String::new(),
                more => format!(" · {more} more, ! lists them"),
            };
            self.set_failure(format!("{first}{more}"));
        }
    }

    /// Remembers the choices for the table on the screen, as far as they differ from the configuration, for the next
    /// session.
    pub(super) fn remember_table(&mut self, choices: &TableChoices) {
        let view = self.view().word();
        let changes = match self.keeping.configured.tables.get(view) {
            Some(configured) => choices.changes_of(configured),
            None => choices.clone(),
        };
        match changes == TableChoices::default() {
            true => self.keeping.stored.tables.remove(view),
            false => self.keeping.stored.tables.insert(view.to_owned(), changes),
        };
    }

    /// The same for the choices as the table has them now.
    pub(super) fn remember_shown_table(&mut self) {
        if let Some(shape) = self.with_view(|view, cx| view.table(cx)).flatten() {
            self.remember_table(&shape.chosen);
        }
    }

    /// Restores the choices for the table of a view that was just opened.
    pub(super) fn restore_table(&mut self) {
        let word = self.view().word();
        let configured = self.keeping.configured.tables.get(word).cloned();
        let stored = self.keeping.stored.tables.get(word).cloned();
        if configured.is_none() && stored.is_none() {
            return;
        }
        let mut chosen = configured.unwrap_or_default();
        if let Some(shape) = self.with_view(|view, cx| view.table(cx)).flatten() {
            chosen = with_titles(chosen, &shape);
        }
        if let Some(changes) = stored {
            chosen.change(&changes);
        }
        self.with_view(|view, cx| view.set_table(&chosen, cx));
    }

    /// Saves the filter of the view under a name.
    pub(super) fn save_filter(&mut self, name: &str) -> Result<(), String> {
        let text = self.prompt().text().to_owned();
        match (name, text.trim()) {
            ("", _) => Err("a filter is kept under a name: filter save big".to_owned()),
            (_, "") => Err("no filter to keep; / filters".to_owned()),
            (name, text) => {
                self.keeping.stored.filters.insert(name.to_owned(), text.to_owned());
                self.set_status(format!("filter {name} kept; P and :filter {name} apply it"));
                Ok(())
            }
        }
    }

    /// Executes `whatif`: `save NAME` saves the settings, a name restores saved ones, nothing shows the list.
    pub(super) fn what_if_command(&mut self, text: &str) -> Result<(), String> {
        self.go_to_object(&Object::View(ViewName::WhatIf));
        let Some(view) = self.what_if_view() else { return Ok(()) };
        match text.split_once(' ').unwrap_or((text, "")) {
            ("", _) => Ok(()),
            ("save", name) if !name.trim().is_empty() => {
                view.save(name.trim())?;
                self.set_status(format!("what-if {0} kept; :whatif {0} takes it over", name.trim()));
                Ok(())
            }
            ("save", _) => Err("a what-if is kept under a name: whatif save loose".to_owned()),
            _ if view.take_saved(text) => Ok(()),
            _ => Err(format!("no what-if {text} is kept")),
        }
    }

    /// The saved filter with that name.
    pub(super) fn saved_filter(&self, name: &str) -> Option<String> {
        self.saved_filters().remove(name)
    }

    /// All saved filters by name, those of the configuration included.
    pub(super) fn saved_filters(&self) -> BTreeMap<String, String> {
        let SessionStore { configured, stored, .. } = &self.keeping;
        let filters = configured.filters.iter().chain(&stored.filters);
        filters.map(|(name, text)| (name.clone(), text.clone())).collect()
    }

    /// Requests writing the session data, if they changed.
    pub(super) fn store(&mut self) -> Update {
        let breakpoints = self.breakpoints.list.iter().map(|one| (one.text.clone(), one.is_enabled));
        let breakpoints: Vec<_> = breakpoints.collect();
        let is_configured = breakpoints == self.keeping.configured.breakpoints;
        self.keeping.stored.breakpoints = if is_configured { Vec::new() } else { breakpoints };
        if let Some(saved) = self.what_if_view().map(|view| view.saved().clone()) {
            self.keeping.stored.what_ifs = saved;
        }
        let Some(path) = self.keeping.path.clone() else { return Update::unchanged() };
        if self.keeping.written.as_ref() == Some(&self.keeping.stored) {
            return Update::unchanged();
        }
        self.keeping.written = Some(self.keeping.stored.clone());
        let text = self.keeping.stored.text();
        let what = "keeping columns, filters and breakpoints";
        let stored = Computation::new(what, move |_| Some(stored::write(&path, &text)));
        Update::request(self.keeping.storing.start(stored))
    }

    /// Exports in a form, to the file named or to one named after view and time.
    pub(super) fn export_as(&mut self, text: &str) -> Result<Update, String> {
        let (word, path) = text.split_once(' ').unwrap_or((text, ""));
        let words = || ExportForm::ALL.iter().map(|(_, word, _)| *word).collect::<Vec<_>>().join(", ");
        let form = ExportForm::named(word).ok_or_else(|| match word {
            "" => format!("a form is needed: {}", words()),
            "bundle" => "qscope bundle FOLDER -o FILE, in a shell, writes a bundle; --anonymize hides names"
                .to_owned(),
            _ => format!("no form {word}; {}", words()),
        })?;
        let bytes = self.exported(form)?;
        let path = if path.trim().is_empty() { self.export_name(form) } else { path.trim().to_owned() };
        Ok(self.write_out(path, bytes))
    }

    /// Requests writing a new file.
    pub(super) fn write_out(&mut self, path: String, page: ExportContent) -> Update {
        let what = format!("export to {path}");
        let written = Computation::new(what, move |_| Some(write_new(&path, &*page)));
        Update::changed().with(self.keeping.export.start(written))
    }

    fn exported(&mut self, form: ExportForm) -> Result<ExportContent, String> {
        if form == ExportForm::Policy {
            let policy = self.with_view(|view, _| view.policy()).flatten();
            return Ok(Box::new(policy.ok_or("no policy here; :packing has one")??));
        }
        if !form.is_of_a_table() {
            let screen = self.screen_cells().ok_or("nothing to export yet")?;
            return Ok(match form {
                ExportForm::Svg => Box::new(export::svg(&screen)),
                ExportForm::Ansi => Box::new(export::ansi(&screen)),
                _ => Box::new(export::text(&screen)),
            });
        }
        let grid = self.with_view(|view, cx| view.grid(cx)).flatten();
        let grid = grid.ok_or("no table here; svg, text and ansi export the screen")?;
        Ok(if form == ExportForm::Csv {
            Box::new(export::csv(&grid))
        } else {
            Box::new(export::as_json(&grid)?)
        })
    }

    /// The cells of the screen as it would be drawn now.
    pub(super) fn screen_cells(&self) -> Option<Buffer> {
        let mut paper = Terminal::new(TestBackend::new(self.area.width, self.area.height)).ok()?;
        paper.draw(|frame| self.draw(frame)).ok()?;
        Some(paper.backend().buffer().clone())
    }

    /// A file name such as `qscope-jobs-2026-11-21-020331.csv`.
    fn export_name(&self, form: ExportForm) -> String {
        let moment = self.screen.as_ref().and_then(|screen| {
            let snap = &screen.generation.snapshot;
            Some(snap.date(snap.now)?.strftime("-%Y-%m-%d-%H%M%S").to_string())
        });
        let moment = moment.unwrap_or_default();
        file_name(&format!("qscope-{}{moment}.{}", self.view().word(), form.ending()))
    }

    /// Takes the result of an export or of writing the session data; returns whether the news was for this.
    pub(super) fn on_saved(&mut self, news: &TaskNews) -> bool {
        if let Some(written) = self.keeping.export.take(news) {
            match &*written {
                Ok(path) => self.set_status(format!("exported to {path}")),
                Err(why) => self.set_failure(why.clone()),
            }
            return true;
        }
        if let Some(stored) = self.keeping.storing.take(news) {
            // Of a first run only the fact is kept, which must not alarm where nothing can be written.
            let was_first = std::mem::take(&mut self.keeping.is_first);
            if let (Err(why), false) = (&*stored, was_first) {
                self.set_failure(format!("not kept: {why}"));
            }
            return true;
        }
        false
    }
}

/// The content of an exported file, which has passed the function of its form.
pub(super) type ExportContent = Box<dyn Exit + Send + Sync>;

/// Writes a new file that only its owner can read, and returns its absolute path; an existing file is an error.
pub(crate) fn write_new(path: &str, page: &dyn Exit) -> Result<String, String> {
    let full = PathBuf::from(path);
    let name = full.file_name().and_then(|name| name.to_str()).ok_or_else(|| format!("{path} is no file"))?;
    let parent = full.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(".".as_ref());
    // Do not create a directory from a mistyped name.
    if !parent.is_dir() {
        return Err(format!("{}: no such folder", parent.display()));
    }
    let folder = Folder::shared(parent).map_err(|error| error.to_string())?;
    // Without a directory in `path`, the message has to show which one it is.
    let whole =
        std::path::absolute(&full).map_or_else(|_| path.to_owned(), |whole| whole.display().to_string());
    if full.symlink_metadata().is_ok() {
        return Err(format!("{whole} is there already; another name or folder is needed"));
    }
    folder.put(name, page.bytes()).map_err(|error| format!("{whole}: {error}"))?;
    Ok(whole)
}
