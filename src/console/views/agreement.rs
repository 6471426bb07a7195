//! What the live scheduler said and did against what the model says: what differs first.
//!
//! ```text
//! ┏ Agreement: 9 of 12 comments, 3 of 3 starts ━━━━━━━━━━━━━━━━━━━━━━━━━ 1/15 ┓
//! ┃  how      job     what     modelled                 said                    ┃
//! ┃▸ differs  812     comment  Not Running: No availa…  Not Running: Not enoug… ┃
//! ┃  numbers  813     comment  Not Running: Insuffici…  Not Running: Insuffici… ┃
//! ┃──────────────────────────────────────────────────────────────────────────── ┃
//! ┃ modelled  Not Running: No available resources on nodes                      ┃
//! ┃ said      Not Running: Not enough free nodes available                      ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::text::{Line as TextLine, Span};
use ratatui::widgets::{Paragraph, Widget, Wrap};

use crate::action::Action;
use crate::filter::Filter;
use crate::layout::inside;
use crate::theme::{Role, Theme};
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::view::View;
use crate::views::world::World;
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Rows, Table, TableState, Width};
use crate::widgets::text::clean;
use qscope_session::agreement::{Agreement as Found, Class, Compared, StartNodes};

/// Rows for the texts of what is under the cursor, where there is room.
const TEXTS: u16 = 6;

/// One thing that the model says of a job, and what was said.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    job: String,
    what: &'static str,
    compared: Compared,
}

/// The view's state.
#[derive(Debug, Default)]
pub struct Agreement {
    all: Vec<Line>,
    lines: Vec<Line>,
    table: TableState,
    filter: Filter,
    summary: String,
    /// Why a source says nothing.
    silent: Vec<String>,
}

const COLUMNS: [Column; 5] = [
    Column::words("how", Width::Fixed(8), 100),
    Column::words("job", Width::Between(8, 16), 95),
    Column::words("what", Width::Fixed(9), 60),
    Column::words("modelled", Width::Fill(12), 70),
    Column::words("said", Width::Fill(12), 80),
];

/// How a class looks: a word, never colour alone.
fn look(class: Class) -> (&'static str, Role) {
    match class {
        Class::Different => ("differs", Role::Error),
        Class::OtherNumbers => ("numbers", Role::Warning),
        Class::Equal => ("equal", Role::Text),
        Class::NoEvidence => ("unsaid", Role::TextDim),
    }
}

impl Rows for Agreement {
    fn len(&self) -> usize {
        self.lines.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let Some(line) = self.lines.get(row) else { return Cell::new("") };
        let (word, role) = look(line.compared.class);
        let short = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        match column {
            0 => Cell::of(role, word),
            1 => Cell::new(line.job.split('.').next().unwrap_or_default()),
            2 => Cell::of(Role::TextDim, line.what),
            3 => Cell::new(short(&line.compared.modelled)),
            _ => Cell::new(short(&line.compared.recorded)),
        }
    }
}

impl Agreement {
    fn keep_matching(&mut self) {
        let text = |line: &Line| {
            let side = |side: &Option<String>| side.clone().unwrap_or_default();
            let (how, compared) = (look(line.compared.class).0, &line.compared);
            format!(
                "{how} {} {} {} {}",
                line.job,
                line.what,
                side(&compared.modelled),
                side(&compared.recorded)
            )
        };
        self.lines = self.all.iter().filter(|line| self.filter.keeps_text(&text(line))).cloned().collect();
        self.table.selected = self.table.selected.min(self.lines.len().saturating_sub(1));
    }

    fn line(&self) -> Option<&Line> {
        self.lines.get(self.table.selected)
    }

    fn put_cursor_on(&mut self, job: &str, what: Option<&str>) -> bool {
        let found = |line: &Line| line.job == job && what.is_none_or(|what| line.what == what);
        let at = self.lines.iter().position(found);
        self.table.selected = at.unwrap_or(self.table.selected);
        at.is_some()
    }

    /// The table, and the texts below it where there is room.
    fn areas(inner: Rect) -> [Rect; 2] {
        let texts = if inner.height >= 2 * TEXTS { TEXTS } else { 0 };
        Layout::vertical([Constraint::Min(0), Constraint::Length(texts)]).areas(inner)
    }

    fn render_texts(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let Some(line) = self.line() else { return };
        let side = |name: &str, text: &Option<String>| {
            let text = text.as_deref().unwrap_or("nothing");
            TextLine::from(vec![
                Span::styled(format!("{name:<10}"), theme.style(Role::TextDim)),
                Span::styled(clean(text).into_owned(), theme.style(Role::Text)),
            ])
        };
        let how = format!("{} {}: {}", line.job, line.what, line.compared.class.words());
        let text = vec![
            TextLine::from(Span::styled(clean(&how).into_owned(), theme.style(Role::Heading))),
            side("modelled", &line.compared.modelled),
            side("said", &line.compared.recorded),
        ];
        Paragraph::new(text).wrap(Wrap { trim: false }).render(area.intersection(buf.area), buf);
    }
}

/// Everything that can be held against something, what differs first.
fn lines_of(found: &Found) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut put = |job: &str, what, compared: &Compared| {
        lines.push(Line { job: job.to_owned(), what, compared: compared.clone() });
    };
    for job in &found.jobs {
        put(&job.name, "comment", &job.comment);
        // The comment's first words say it already, unless only they differ.
        if job.verdict.class > job.comment.class {
            put(&job.name, "verdict", &job.verdict);
        }
        if job.estimate.class > Class::NoEvidence {
            put(&job.name, "estimate", &job.estimate);
        }
    }
    for turn in found.log.iter().flat_map(|log| &log.turns) {
        // Of several that are alike the last is shown: why it waits, or that it runs.
        let parts = [
            ("log lines", &turn.lines),
            ("log path", &turn.path),
            ("log", &turn.verdict),
            ("log why", &turn.reason),
        ];
        if let Some((what, part)) = parts.into_iter().max_by_key(|(_, part)| part.class) {
            put(&turn.job, what, part);
        }
    }
    if let Some(prediction) = &found.prediction {
        for start in &prediction.starts {
            let class = match start.nodes {
                StartNodes::Same | StartNodes::SameInOtherOrder => Class::Equal,
                StartNodes::Other | StartNodes::Unknown => Class::Different,
            };
            let modelled = start.predicted.clone().unwrap_or_else(|| "it waits".to_owned());
            put(
                &start.job,
                "start",
                &Compared { class, modelled: Some(modelled), recorded: Some(start.on.clone()) },
            );
        }
        for job in &prediction.missed {
            put(job, "start", &Compared::words("it starts", "it still waits"));
        }
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.compared.class));
    lines
}

/// What each source that says nothing says about that.
fn silence_of(found: &Found) -> Vec<String> {
    let log = found.log.as_ref().err().map(|why| format!("log: {why}"));
    let early = found.prediction.is_none().then(|| "starts: known when the next dump is there".to_owned());
    log.into_iter().chain(early).collect()
}

impl View for Agreement {
    fn refresh(&mut self, world: World<'_>) {
        let under = self.line().map(|line| (line.job.clone(), line.what));
        (self.summary, self.all, self.silent) = match &world.generation().agreement {
            Some(found) => (found.summary(), lines_of(found), silence_of(found)),
            None => ("not compared".to_owned(), Vec::new(), Vec::new()),
        };
        self.keep_matching();
        if let Some((job, what)) = under {
            self.put_cursor_on(&job, Some(what));
        }
    }

    fn act(&mut self, action: Action, area: Rect, _: World<'_>) -> Update {
        let [table, _] = Self::areas(inside(area));
        let height = Table::<Self>::height(table);
        match action {
            Action::Select => match self.line() {
                Some(line) => Update::request(Effect::GoTo(Object::Job(line.job.clone()))),
                None => Update::status("nothing under the cursor"),
            },
            Action::Left | Action::Right => Update::nothing(),
            _ if action.moves() => Update::changed_if(self.table.go(action, self.lines.len(), height)),
            _ => Update::unknown(),
        }
    }

    fn filter(&mut self, filter: &Filter, _: World<'_>) {
        self.filter = filter.clone();
        self.keep_matching();
    }

    fn show(&mut self, object: &Object, _: World<'_>) -> bool {
        matches!(object, Object::Job(name) if self.put_cursor_on(name, None))
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        self.line().map(|line| Object::Job(line.job.clone()))
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Update {
        let [table, _] = Self::areas(inside(area));
        let Some(row) = Table::<Self>::row_at(self.table, self.lines.len(), table, at.y) else {
            return Update::nothing();
        };
        let before = self.table;
        self.table.select(row, self.lines.len(), Table::<Self>::height(table));
        Update::changed_if(self.table != before)
    }

    fn render(&self, area: Rect, buf: &mut Buffer, _: World<'_>, theme: &Theme) {
        let title = format!("Agreement: {}", self.summary);
        let inner = frame::pane(area, buf, theme, &title, &self.table.position(self.lines.len()), true);
        if self.lines.is_empty() {
            let why = if self.all.is_empty() { "No waiting jobs, empty log." } else { "Nothing matches." };
            let mut told = vec![why];
            told.extend(self.silent.iter().map(String::as_str));
            frame::empty(inner, buf, theme, &told);
            return;
        }
        let [place, texts] = Self::areas(inner);
        let table = Table { columns: &COLUMNS, rows: self, state: self.table, theme, focused: true };
        table.render(place, buf);
        self.render_texts(texts, buf, theme);
    }
}
