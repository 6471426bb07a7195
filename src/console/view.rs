//! What a view is: state of its own, an update, and drawing that only reads.
//!
//! The shell owns the views, the [`World`] that they read, the filter line, the overlays and the back stack. It calls
//! [`View::look`] whenever generation, position or subject changed, so that a view makes there what drawing needs and
//! costs time, and otherwise passes on what the user does while the view is on the screen.

use std::fmt::Debug;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::action::Action;
use super::filter::Filter;
use super::task::{News, Task};
use super::theme::Theme;
use super::views::ViewName;
use super::world::World;
use qscope_exits::Clip;
use qscope_session::Generation;
use qscope_session::query::{Fields, QueryError};

/// A view other than the cycle itself.
pub trait View: Debug {
    /// Takes the world in: called before anything else, and when generation, position or subject changed. The cursor
    /// stays on the object of the same name.
    fn look(&mut self, world: World<'_>);

    /// What the view wants done since it looked: a computation to ask for. Asked for after each change of the screen.
    fn wishes(&mut self) -> Vec<Wish> {
        Vec::new()
    }

    /// Does what a key asks for, while the view stands in `area`.
    fn act(&mut self, action: Action, area: Rect, world: World<'_>) -> Reply;

    /// What the filter line may ask about; without fields of its own only words can be looked for.
    fn fields(&self, world: World<'_>) -> Fields {
        let _ = world;
        Fields::default()
    }

    /// Keeps what matches; called while a filter is typed, and with an empty one when it is taken away.
    fn filter(&mut self, filter: &Filter, world: World<'_>);

    /// Puts the cursor on an object, whatever the filter; false when the view does not show it.
    fn show(&mut self, object: &Object, world: World<'_>) -> bool;

    /// What is under the cursor.
    fn here(&self, world: World<'_>) -> Option<Object>;

    /// A click into the area; a second one on the same place comes as [`Action::Select`].
    fn click(&mut self, at: Position, area: Rect, world: World<'_>) -> Reply {
        let _ = (at, area, world);
        Reply::nothing()
    }

    /// What became of something asked for with [`Wish::Ask`]; the view knows its [`Ticket`](super::task::Ticket).
    fn hear(&mut self, ticket: u64, news: &News, world: World<'_>) -> Reply {
        let _ = (ticket, news, world);
        Reply::nothing()
    }

    /// A line asked for with [`Wish::Type`] is being typed: what is wrong with it so far.
    fn typed(&mut self, text: &str, world: World<'_>) -> Option<QueryError> {
        let _ = (text, world);
        None
    }

    /// What the line may be completed to.
    fn complete(&mut self, text: &str, world: World<'_>) -> Option<String> {
        let _ = (text, world);
        None
    }

    /// The line is finished.
    fn accept(&mut self, text: &str, world: World<'_>) -> Reply {
        let _ = (text, world);
        Reply::nothing()
    }

    /// The line was given up.
    fn give_up(&mut self) {}

    /// What a copy puts into the clipboard: what it is, and the text. The name of what is under the cursor, unless
    /// the view has more to say.
    fn copy(&self, world: World<'_>) -> Option<(&'static str, Clip)> {
        self.here(world).map(|object| (object.kind(), Clip::line(object.name())))
    }

    /// Draws the view.
    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme);
}

/// Something that has a name in the batch system or in the scheduler's universe, and a view that shows it. Names
/// outlive generations; ids do not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Object {
    /// A job, by its full id.
    Job(String),
    /// A node.
    Node(String),
    /// A bucket of the complex.
    Bucket(String),
    /// A placement set, as `switch=sw1`.
    Set(String),
    /// A queue.
    Queue(String),
    /// A cause on the board, by what tells it from others.
    Cause(String),
    /// A whole view.
    View(ViewName),
}

impl Object {
    /// What kind of thing it is, in one word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Job(_) => "job",
            Self::Node(_) => "node",
            Self::Bucket(_) => "bucket",
            Self::Set(_) => "set",
            Self::Queue(_) => "queue",
            Self::Cause(_) => "cause",
            Self::View(_) => "view",
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Job(name)
            | Self::Node(name)
            | Self::Bucket(name)
            | Self::Set(name)
            | Self::Queue(name)
            | Self::Cause(name) => name,
            Self::View(view) => view.word(),
        }
    }
}

/// What a view asks of the shell.
#[derive(Debug, Clone)]
pub enum Wish {
    /// Say this in the last line.
    Say(String),
    /// Go to the object in the view that is its home; the back stack remembers where from.
    Go(Object),
    /// Go to the object in a certain view.
    GoIn(ViewName, Object),
    /// Take the cycle to where so many jobs have been considered.
    Seek(usize),
    /// Have a worker compute something; the answer comes to [`View::hear`].
    Ask(Task),
    /// Have a line typed, with these words before it and this text to begin with; it comes to [`View::accept`].
    Type {
        /// The words.
        label: &'static str,
        /// The text.
        text: String,
    },
    /// Show this what-if in every view, until somebody goes back to the live cycle.
    LookInto(Arc<Generation>),
    /// Send this text to the terminal's clipboard; the first word says what it is.
    Copy(&'static str, Clip),
}

/// What became of an input.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// Whether the view looks different now.
    pub changed: bool,
    /// What the shell shall do, in order.
    pub wishes: Vec<Wish>,
    /// The view does not know this action; the shell says so.
    pub unknown: bool,
}

impl Reply {
    /// Nothing changed.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Something changed, or not.
    #[must_use]
    pub fn changed_if(changed: bool) -> Self {
        Self { changed, ..Self::default() }
    }

    /// The view looks different now.
    #[must_use]
    pub fn changed() -> Self {
        Self::changed_if(true)
    }

    /// The action means nothing in this view.
    #[must_use]
    pub fn unknown() -> Self {
        Self { unknown: true, ..Self::default() }
    }

    /// The view asks for something.
    #[must_use]
    pub fn wish(wish: Wish) -> Self {
        Self { changed: false, wishes: vec![wish], unknown: false }
    }

    /// Something to say.
    #[must_use]
    pub fn say(text: impl Into<String>) -> Self {
        Self::wish(Wish::Say(text.into()))
    }

    /// The same, and the view looks different now.
    #[must_use]
    pub fn also_changed(mut self) -> Self {
        self.changed = true;
        self
    }

    /// The same with one more wish.
    #[must_use]
    pub fn with(mut self, wish: Wish) -> Self {
        self.wishes.push(wish);
        self
    }
}
