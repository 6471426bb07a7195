//! The box with the list of breakpoints, and the line for typing one.
//!
//! ```text
//! ┏ Breakpoints · 3 ━━━━━━━━━━━━━━━━━━━━━━━━━━ Enter edit or add · t on/off · x delete ┓
//! ┃   #  condition                         hits  steps                                ┃
//! ┃▸● 2  verdict=wait path=bucket           1/2  3 7                                  ┃
//! ┃  new node=cn018 taken▏                                                            ┃
//! ┃      matches step 5 of 19                                                         ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::action::{Action, Context};
use super::app::AppInput;
use super::breakpoints::{BreakCondition, Breakpoint};
use super::layout::{cells, inner_area, moved};
use super::screen::Screen;
use super::theme::{Role, Theme};
use super::widgets::frame;
use super::widgets::prompt::Prompt;
use super::widgets::text::{Align, clean, fit, truncate};
use qscope_session::records::job_fields;

/// The box's state.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct BreakpointBox {
    /// The selected row; the one after the last adds a breakpoint.
    selected: usize,
    typing: Option<ConditionEdit>,
}

/// A condition that is being typed.
#[derive(Debug, Clone, PartialEq)]
struct ConditionEdit {
    /// Index of the breakpoint being changed; `None` for a new one.
    changing: Option<usize>,
    prompt: Prompt,
    /// The steps it matches, or what is wrong with it.
    remark: Result<String, String>,
}

/// The change that the owner has to make to the list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BreakpointChange {
    /// None; the flag is whether the box itself changed.
    Unchanged(bool),
    Put(Option<usize>, String),
    Toggle(usize),
    Delete(usize),
    Close,
}

const WIDTH: u16 = 74;
const CONDITION: usize = 30;

impl BreakpointBox {
    /// Where keys go.
    pub(crate) fn context(&self) -> Context {
        if self.typing.is_some() { Context::Prompt } else { Context::Rows }
    }

    /// Whether the cursor is on the line for a new breakpoint after `listed` ones.
    pub(crate) fn adds(&self, listed: usize) -> bool {
        self.selected >= listed
    }

    /// Handles an input over a list of breakpoints.
    pub(crate) fn take<M>(
        &mut self,
        input: &AppInput<M>,
        list: &[Breakpoint],
        screen: Option<&Screen>,
    ) -> BreakpointChange {
        if let Some(typing) = &mut self.typing {
            return match input {
                AppInput::Action(Action::Close) => {
                    self.typing = None;
                    BreakpointChange::Unchanged(true)
                }
                AppInput::Action(Action::Accept) if typing.remark.is_ok() => {
                    let (at, text) = (typing.changing, typing.prompt.text().to_owned());
                    self.typing = None;
                    if text.trim().is_empty() {
                        BreakpointChange::Unchanged(true)
                    } else {
                        BreakpointChange::Put(at, text)
                    }
                }
                _ => BreakpointChange::Unchanged(typing.take(input, screen)),
            };
        }
        let last = list.len();
        let AppInput::Action(action) = input else { return BreakpointChange::Unchanged(false) };
        match action {
            Action::Up | Action::Down | Action::Home | Action::End => {
                self.selected = moved(*action, self.selected, last, 1).unwrap_or(self.selected);
            }
            Action::Toggle if self.selected < last => return BreakpointChange::Toggle(self.selected),
            Action::Delete if self.selected < last => return BreakpointChange::Delete(self.selected),
            Action::Close => return BreakpointChange::Close,
            Action::Select | Action::Accept => self.begin(list, screen),
            _ => return BreakpointChange::Unchanged(false),
        }
        BreakpointChange::Unchanged(true)
    }

    /// Starts typing: the selected breakpoint, or a new one.
    fn begin(&mut self, list: &[Breakpoint], screen: Option<&Screen>) {
        let text = list.get(self.selected).map(|one| one.text.clone());
        let changing = text.is_some().then_some(self.selected);
        let prompt = Prompt::with(&text.unwrap_or_default());
        let mut typing = ConditionEdit { changing, prompt, remark: Ok(String::new()) };
        typing.check(screen);
        self.typing = Some(typing);
    }

    fn height(&self, listed: usize, area: Rect) -> u16 {
        let rows = listed + if self.typing.is_some() { 3 } else { 2 } + 2;
        cells(rows + 2).min(area.height)
    }

    /// The area of the box for `listed` breakpoints.
    pub(crate) fn place(&self, listed: usize, area: Rect) -> Rect {
        frame::overlay_place(area, WIDTH, self.height(listed, area))
    }

    /// The index of the first visible breakpoint, and the number of visible ones above the `last` lines at the end.
    fn page(&self, listed: usize, last: usize, inner: Rect) -> (usize, usize) {
        let page = usize::from(inner.height).saturating_sub(1 + last);
        ((self.selected + 1).min(listed).saturating_sub(page), page)
    }

    /// Puts the cursor on the breakpoint at a place, or on the line for a new one; false elsewhere and while one is
    /// typed.
    pub(crate) fn pick(&mut self, at: Position, listed: usize, area: Rect) -> bool {
        let inner = inner_area(self.place(listed, area));
        let (top, page) = self.page(listed, 1, inner);
        let row = frame::row_below_first(inner, at);
        let row = row.filter(|row| *row <= page.min(listed - top)).map(|row| top + row);
        let row = row.filter(|_| self.typing.is_none());
        self.selected = row.unwrap_or(self.selected);
        row.is_some()
    }

    /// Draws the box over the area.
    pub(crate) fn render(
        &self,
        list: &[Breakpoint],
        screen: Option<&Screen>,
        theme: &Theme,
        area: Rect,
        buf: &mut Buffer,
    ) {
        let height = self.height(list.len(), area);
        let title = format!("Breakpoints{}{}", theme.dot(), list.len());
        let inner = frame::overlay(area, buf, theme, &title, WIDTH, height);
        let mut at = inner.rows();
        let mut put = |line: Line<'static>| {
            if let Some(row) = at.next() {
                line.render(row, buf);
            }
        };
        let head = format!("   #  {} {:>7}  steps", fit("condition", CONDITION, Align::Left, ""), "hits");
        put(Line::styled(head, theme.style(Role::Heading)));
        let last = match &self.typing {
            Some(typing) => typing.lines(theme).to_vec(),
            None => {
                let mark = if self.selected == list.len() { theme.glyph(Role::Cursor) } else { " " };
                let text = format!("{mark} new   Enter adds one");
                vec![Line::styled(text, theme.style(Role::TextDim))]
            }
        };
        let position = screen.map_or(0, |screen| screen.debugger.position());
        // The line for a new one is always visible; above it are those around the cursor.
        let (top, page) = self.page(list.len(), last.len(), inner);
        for (number, one) in list.iter().enumerate().skip(top).take(page) {
            put(self.row(number, one, position, usize::from(inner.width), theme));
        }
        last.into_iter().for_each(put);
        let below = list.len().saturating_sub(top + page);
        frame::more_below_inside(below, inner, buf, theme);
    }

    fn row(
        &self,
        at: usize,
        breakpoint: &Breakpoint,
        position: usize,
        columns: usize,
        theme: &Theme,
    ) -> Line<'static> {
        let here = at == self.selected && self.typing.is_none();
        let cursor = if here { theme.glyph(Role::Cursor) } else { " " };
        let on = if breakpoint.is_enabled { theme.by_set("●", "*") } else { theme.by_set("○", "o") };
        let (hits, steps, role) = match &breakpoint.steps {
            Ok(steps) => {
                let hits = steps.iter().filter(|step| **step <= position).count();
                let words: Vec<String> = steps.iter().map(ToString::to_string).collect();
                (
                    format!("{hits}/{}", steps.len()),
                    words.join(" "),
                    if breakpoint.is_enabled { Role::Text } else { Role::TextDim },
                )
            }
            Err(error) => ("-".to_owned(), error.what.clone(), Role::Error),
        };
        let text = clean(&breakpoint.text);
        let condition = fit(&text, CONDITION, Align::Left, theme.ellipsis());
        let line = format!("{cursor}{on} {:<2} {condition} {hits:>7}  {steps}", at + 1);
        let line = truncate(&line, columns, theme.ellipsis()).into_owned();
        Line::styled(line, theme.style(if here { Role::Cursor } else { role }))
    }
}

impl ConditionEdit {
    fn take<M>(&mut self, input: &AppInput<M>, screen: Option<&Screen>) -> bool {
        let changed = self.prompt.take(input);
        if changed {
            self.check(screen);
        }
        changed
    }

    /// Counts the steps that match the condition.
    fn check(&mut self, screen: Option<&Screen>) {
        let Some(screen) = screen else { return };
        let run = screen.run();
        let fields = job_fields(&run.plan.snap.catalogue).by_clock_of(&run.plan.snap);
        self.remark = match BreakCondition::parse(self.prompt.text(), &fields) {
            Ok(condition) => {
                let steps = condition.steps(run);
                Ok(match steps.as_slice() {
                    [] => format!("matches none of {} steps", run.steps.len()),
                    [one] => format!("matches step {one} of {}", run.steps.len()),
                    [first, ..] => {
                        format!("matches {} of {} steps, first {first}", steps.len(), run.steps.len())
                    }
                })
            }
            Err(error) => Err(error.what),
        };
    }

    fn lines(&self, theme: &Theme) -> [Line<'static>; 3] {
        let head = if self.changing.is_some() { " edit " } else { " new  " };
        let typed = Line::from(vec![
            Span::styled(head, theme.style(Role::Key)),
            Span::styled(clean(self.prompt.text()).into_owned(), theme.style(Role::Text)),
            Span::styled(" ", theme.style(Role::Text).reversed()),
        ]);
        let remark = match &self.remark {
            Ok(text) => Line::styled(format!("      {text}"), theme.style(Role::TextDim)),
            Err(text) => Line::styled(format!("      {}", clean(text)), theme.style(Role::Error)),
        };
        let fields = " fields  job user queue path verdict reason node set ncpus walltime";
        [typed, remark, Line::styled(fields, theme.style(Role::TextDim))]
    }
}
