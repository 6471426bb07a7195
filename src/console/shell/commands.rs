//! Executes the command line: an entry of its list, or a verb with its object (console.md 2.3).

mod go_to;
mod named;
pub(super) mod table;

use super::open_views::ShellParts;
use super::{Overlay, Shell, ShellMessage};
use crate::action::Action;
use crate::app::{App, AppInput};
use crate::chrome::BOX;
use crate::palette::{Palette, PaletteCommand, Verb};
use crate::views::{Effect, Object, Update, ViewName};
use crate::widgets::prompt::Prompt;
use qscope_exits::Lines;

/// Maximum number of lines remembered.
const MAX_HISTORY: usize = 100;

/// The result of a command, or why it cannot be executed.
type CommandResult = Result<Update, String>;

/// The view that lists the objects of a verb.
fn list_of(verb: Verb) -> Option<ViewName> {
    Some(match verb {
        Verb::Job => ViewName::Jobs,
        Verb::Node => ViewName::Nodes,
        Verb::Queue => ViewName::Queue,
        Verb::Bucket => ViewName::Buckets,
        Verb::Resv => ViewName::Calendar,
        Verb::Set => ViewName::Settings,
        _ => return None,
    })
}

/// The message that something must follow a verb; `None` if nothing must, or the verb states so itself.
fn needed_by(verb: Verb) -> Option<&'static str> {
    Some(match verb {
        Verb::Why => "a job or node is needed: why 54",
        Verb::Go => "a job, a step or a time is needed: go 54, go 7 or go 02:43",
        Verb::Step => "a step is needed: step 7, or step next waiting",
        Verb::Group => "a criterion is needed: group user, group host",
        _ => return None,
    })
}

impl Shell {
    /// Opens the command line.
    pub(super) fn open_palette(&mut self, text: &str) {
        let shape = self.with_view(|view, cx| view.table(cx)).flatten();
        let columns =
            shape.map(|shape| shape.columns.into_iter().map(|(title, shown, _)| (title, shown)).collect());
        let (about, history) = (self.context(), self.commands.clone());
        let columns = columns.unwrap_or_default();
        let palette = Palette::new((about, columns), (history, text), &self.keymap, self.cx());
        self.overlays.push(Overlay::Palette(palette));
        self.offer_filter();
    }

    /// Updates the offers of an open command line for the current snapshot.
    pub(super) fn offer_again(&mut self) {
        let ShellParts { cx, overlays, keymap, .. } = self.split();
        if let Some(Overlay::Palette(palette)) = overlays.last_mut() {
            palette.search_again(keymap, cx);
        }
        self.offer_filter();
    }

    /// Offers completions for a filter in the command line, which only the view on the screen knows.
    fn offer_filter(&mut self) {
        let Some(Overlay::Palette(palette)) = self.overlays.last() else { return };
        let Some(filter) = palette.wants_offers().map(str::to_owned) else { return };
        let found = self.suggestions_for(&filter);
        if let Some(Overlay::Palette(palette)) = self.overlays.last_mut() {
            palette.offer(filter, found.texts());
        }
    }

    /// Handles input to the command line; Enter executes it.
    pub(super) fn in_palette(&mut self, input: &AppInput<ShellMessage>) -> Update {
        let ShellParts { cx, overlays, keymap, .. } = self.split();
        let Some(Overlay::Palette(palette)) = overlays.last_mut() else { return Update::unchanged() };
        match input {
            AppInput::Action(Action::Close) => {
                self.overlays.pop();
                Update::changed()
            }
            AppInput::Action(Action::Accept) => {
                let (command, line) = (palette.command(), palette.text().to_owned());
                self.run_line(command, &line)
            }
            AppInput::Action(Action::AcceptWhy) => {
                let (object, line) = (palette.object().map(str::to_owned), palette.text().to_owned());
                let command = object.map(|object| PaletteCommand::Run(Verb::Why, object));
                self.run_line(command, &line)
            }
            _ => {
                let changed = palette.take(input, keymap, cx);
                self.offer_filter();
                Update::changed_if(changed)
            }
        }
    }

    /// Executes a line. If that fails, the line stays in the box with the reason.
    fn run_line(&mut self, command: Option<PaletteCommand>, line: &str) -> Update {
        let opened = self.overlays.pop();
        let ran = match command {
            Some(command) => self.run_command(command),
            None if line.is_empty() => Ok(Update::changed()),
            // A waiting subjob that is not in the dump is in no list.
            None => self.subjob_or_named(line).map(|object| {
                self.open_object(&object);
                Update::changed()
            }),
        };
        match ran {
            Ok(update) => {
                if !line.is_empty() && self.commands.last().is_none_or(|last| last != line) {
                    self.commands.push(line.to_owned());
                    let over = self.commands.len().saturating_sub(MAX_HISTORY);
                    self.commands.drain(..over);
                }
                update.and_changed()
            }
            Err(why) => {
                if let Some(Overlay::Palette(mut palette)) = opened {
                    palette.refuse(why);
                    self.overlays.push(Overlay::Palette(palette));
                }
                Update::changed()
            }
        }
    }

    fn run_command(&mut self, command: PaletteCommand) -> CommandResult {
        match command {
            PaletteCommand::RunAction(action) => return Ok(self.act(action)),
            PaletteCommand::OpenView(object) => self.go_to_object(&object),
            PaletteCommand::Open(object) => self.open_object(&object),
            PaletteCommand::Run(verb, object) => return self.run_verb(verb, &object),
        }
        Ok(Update::changed())
    }

    fn run_verb(&mut self, verb: Verb, object: &str) -> CommandResult {
        // Without a name, the list of all.
        if let Some(view) = list_of(verb).filter(|_| object.is_empty()) {
            self.go_to_object(&Object::View(view));
            return Ok(Update::changed());
        }
        if let Some(needed) = needed_by(verb).filter(|_| object.is_empty()) {
            return Err(needed.to_owned());
        }
        match verb {
            // The name of scattered subjobs has two words: `67[2] +6`.
            Verb::Why if object.split_whitespace().count() == 2 && self.job_or_node(object).is_err() => {
                self.why_on_node(object)?;
            }
            Verb::Why => {
                let asked = match self.subjob_or_named(object) {
                    Ok(asked) => asked,
                    // What else has a name shows on its page what keeps its jobs.
                    Err(why) => {
                        let Some(named) = self.page_named(object) else { return Err(why) };
                        self.go_to_in_view(ViewName::Page, &named);
                        return Ok(Update::changed());
                    }
                };
                self.go_to_in_view(ViewName::Why, &asked);
            }
            Verb::Job | Verb::Node => {
                let found = self.job_or_node(object)?;
                self.go_to_in_view(ViewName::Page, &found);
            }
            Verb::Queue => self.open_named(&Object::Queue(object.to_owned()))?,
            Verb::Bucket => self.open_named(&Object::Bucket(object.to_owned()))?,
            Verb::Resv => match self.page_named(object) {
                Some(found @ Object::Reservation(_)) => self.go_to_in_view(ViewName::Page, &found),
                _ => return Err(format!("no reservation {object}")),
            },
            Verb::Set => return self.set(object),
            Verb::WhatIf => self.what_if_command(object)?,
            Verb::Sort => self.sort(object)?,
            Verb::Columns => self.columns(object)?,
            Verb::Group => return self.group(object),
            Verb::Filter => self.filter_by(object)?,
            Verb::Go if object.contains(':') => self.go_to_time(object)?,
            Verb::Go | Verb::Step => self.go_to_named_step(verb, object)?,
            Verb::Break if matches!(object, "" | "list") => {
                return Ok(self.act(Action::Breakpoints));
            }
            Verb::Break => self.add_breakpoint(object)?,
            Verb::Export => return self.export_as(object),
            Verb::Report => return self.report(object),
            Verb::At | Verb::LeftSide => return self.show_snapshot(verb, object),
            Verb::RightSide => self.follow(),
            Verb::Theme => self.set_theme(object)?,
            Verb::Help if !object.is_empty() => return self.page_of_manual(object),
            Verb::Keys | Verb::Help => self.open_help(),
            Verb::Quirks => {
                self.go_to_object(&Object::View(ViewName::Settings));
                *self.prompt_mut() = Prompt::with("section=quirks");
                self.refilter();
            }
        }
        Ok(Update::changed())
    }

    /// Shows a page of the manual in a box.
    fn page_of_manual(&mut self, topic: &str) -> CommandResult {
        let width = usize::from(self.area.width.min(BOX)).saturating_sub(2);
        let Some(page) = (self.manual.page)(topic, width) else {
            return Err(format!("no page {topic}; pages: {}", self.manual.topics.join(" ")));
        };
        let lines = page.as_str().lines().map(str::to_owned).collect();
        let title = format!("Manual: {topic}");
        Ok(self.execute(Update::request(Effect::ShowText { title, lines, marked: None })))
    }

    /// Opens a placement set, or begins a setting of the what-if.
    fn set(&mut self, object: &str) -> CommandResult {
        if self.open_named(&Object::Set(object.to_owned())).is_ok() {
            return Ok(Update::changed());
        }
        let begun = self.begin_setting(object);
        if object.contains('=') && !object.ends_with('=') {
            return Ok(begun.followed_by(self.accept_line()));
        }
        Ok(begun)
    }

    /// Reports the cycle as Markdown: into a file, or to the clipboard if none is named.
    fn report(&mut self, path: &str) -> CommandResult {
        let Some(screen) = &self.screen else { return Err("nothing was read yet".to_owned()) };
        if path.is_empty() {
            let clip = super::report::markdown_of(screen);
            return Ok(self.execute(Update::request(Effect::Copy("report as Markdown", clip))));
        }
        let page: Lines = super::report::markdown_lines(screen).into_iter().collect();
        Ok(self.write_out(path.to_owned(), Box::new(page)))
    }
}
