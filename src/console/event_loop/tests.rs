use crossbeam_channel::unbounded;
use crossterm::event::{KeyCode, KeyEventKind, KeyModifiers, MouseButton, MouseEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use qscope_exits::ClipboardText;
use ratatui::Frame;

use super::*;
use crate::action::Action;
use crate::keymap::Keymap;
use crate::views::Update;

/// Records every input.
struct Recorder {
    keymap: Keymap,
    context: Context,
    inputs: Vec<String>,
    wake: Option<Duration>,
}

impl App for Recorder {
    type Message = u32;

    fn context(&self) -> Context {
        self.context
    }

    fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    /// Messages from 1000 on are.
    fn is_whole(message: &u32) -> bool {
        *message >= 1000
    }

    fn update(&mut self, input: AppInput<u32>) -> Update {
        self.inputs.push(format!("{input:?}"));
        let effect = match input {
            AppInput::Action(Action::Quit) | AppInput::Tick => Effect::Quit,
            AppInput::Action(Action::Suspend) => Effect::Suspend,
            AppInput::Action(Action::Copy) => Effect::Copy("id", ClipboardText::line("4711")),
            AppInput::Action(Action::Reload) => Effect::Reload,
            AppInput::Action(Action::Redraw) => Effect::Redraw,
            AppInput::Unbound(_) | AppInput::Resize(_) => return Update::unchanged(),
            _ => return Update::changed(),
        };
        Update::unchanged().with(effect)
    }

    fn wake_in(&self) -> Option<Duration> {
        self.wake
    }

    fn render(&self, frame: &mut Frame<'_>) {
        frame.render_widget(self.inputs.len().to_string(), frame.area());
    }
}

struct Paper {
    terminal: Terminal<TestBackend>,
    did: Vec<String>,
}

impl Display for Paper {
    type Error = std::convert::Infallible;

    fn size(&self) -> Result<Size, Self::Error> {
        self.terminal.size()
    }

    fn draw(&mut self, render: &dyn Fn(&mut Frame<'_>)) -> Result<(), Self::Error> {
        self.did.push("draw".to_owned());
        self.terminal.draw(|frame| render(frame)).map(drop)
    }

    fn redraw(&mut self) -> Result<(), Self::Error> {
        self.did.push("redraw".to_owned());
        Ok(())
    }

    fn copy(&mut self, clip: &ClipboardText) -> Result<(), Self::Error> {
        self.did.push(format!("copy {}", clip.as_str()));
        Ok(())
    }

    fn suspend(&mut self, stop: SuspendScope) -> Result<(), Self::Error> {
        self.did.push(format!("suspend {stop:?}"));
        Ok(())
    }

    fn reenter(&mut self) -> Result<(), Self::Error> {
        self.did.push("reenter".to_owned());
        Ok(())
    }
}

struct Played {
    exit: AppExit,
    inputs: Vec<String>,
    did: Vec<String>,
    work: Vec<Effect>,
}

fn play(context: Context, incoming: Vec<IncomingEvent<u32>>) -> Played {
    let mut app = Recorder { keymap: Keymap::default(), context, inputs: Vec::new(), wake: None };
    let mut screen = Paper { terminal: Terminal::new(TestBackend::new(8, 1)).unwrap(), did: Vec::new() };
    let mut work = Vec::new();
    let (sender, receiver) = unbounded();
    incoming.into_iter().for_each(|one| sender.send(one).unwrap());
    drop(sender);
    let Ok(exit) = run(&mut app, &mut screen, &receiver, &mut |one| work.push(one));
    Played { exit, inputs: app.inputs, did: screen.did, work }
}

fn key(c: char) -> IncomingEvent<u32> {
    IncomingEvent::Terminal(Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)))
}

fn ctrl(c: char) -> IncomingEvent<u32> {
    IncomingEvent::Terminal(Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)))
}

fn mouse(kind: MouseEventKind) -> IncomingEvent<u32> {
    IncomingEvent::Terminal(Event::Mouse(MouseEvent {
        kind,
        column: 1,
        row: 0,
        modifiers: KeyModifiers::NONE,
    }))
}

#[test]
fn a_hundred_events_are_one_frame() {
    let played = play(Context::List, (0..100).map(IncomingEvent::Message).collect());
    assert_eq!(played.inputs.len(), 101);
    assert_eq!(played.did, ["draw", "draw"]);
}

#[test]
fn only_the_last_of_several_whole_pictures_is_shown() {
    let incoming = vec![
        IncomingEvent::Message(1),
        IncomingEvent::Message(1000),
        IncomingEvent::Message(2),
        IncomingEvent::Message(1001),
        IncomingEvent::Message(3),
    ];
    let played = play(Context::List, incoming);
    let expected = ["Message(1)", "Superseded(1000)", "Message(2)", "Message(1001)", "Message(3)"];
    assert_eq!(played.inputs[1..], expected);
    assert_eq!(played.did, ["draw", "draw"]);
}

#[test]
fn nothing_is_drawn_when_nothing_changed() {
    let silent = vec![
        key('Q'),
        mouse(MouseEventKind::Moved),
        IncomingEvent::Terminal(Event::FocusGained),
        IncomingEvent::Terminal(Event::Key(KeyEvent::new_with_kind(
            KeyCode::Char('.'),
            KeyModifiers::NONE,
            KeyEventKind::Release,
        ))),
    ];
    let played = play(Context::List, silent);
    assert_eq!(played.did, ["draw"]);
    assert_eq!(played.inputs.len(), 2, "{:?}", played.inputs);
}

#[test]
fn a_paste_is_never_a_row_of_keys() {
    let paste = || vec![IncomingEvent::Terminal(Event::Paste("q.q".to_owned()))];
    for context in [Context::List, Context::Prompt] {
        assert_eq!(play(context, paste()).inputs[1..], ["Paste(\"q.q\")"]);
    }
}

#[test]
fn letters_are_letters_where_one_types() {
    let played = play(Context::Prompt, vec![key('q'), key('.'), ctrl('c'), key('x')]);
    assert_eq!(played.inputs[1..], ["Letter('q')", "Letter('.')", "Action(Quit)"]);
    assert_eq!(played.exit, AppExit::Quit);
}

#[test]
fn effects_are_executed_in_order() {
    let played = play(Context::List, vec![key('y'), key('r'), ctrl('l'), ctrl('z'), key('q'), key('y')]);
    assert!(matches!(played.work[..], [Effect::Reload]), "{:?}", played.work);
    assert_eq!(played.did, ["draw", "copy 4711", "redraw", "suspend Job"]);
    assert_eq!(played.inputs.last().unwrap(), "Action(Quit)");
    assert!(played.inputs.contains(&"Resumed".to_owned()));
}

#[test]
fn signals_end_stop_and_continue() {
    let played = play(
        Context::List,
        vec![IncomingEvent::Suspend, IncomingEvent::Continued, IncomingEvent::Terminate(15), key('y')],
    );
    assert_eq!(played.exit.code(), 143);
    assert_eq!(played.did, ["draw", "suspend Process", "reenter"]);
}

#[test]
fn clicks_resizes_and_failed_workers_arrive() {
    let played = play(
        Context::List,
        vec![
            mouse(MouseEventKind::Down(MouseButton::Left)),
            IncomingEvent::Terminal(Event::Resize(90, 30)),
            IncomingEvent::Terminal(Event::Resize(u16::MAX, u16::MAX)),
            IncomingEvent::WorkerFailed { name: "reader".to_owned(), text: "boom".to_owned() },
        ],
    );
    assert!(played.inputs[1].starts_with("Mouse"));
    assert_eq!(played.inputs[2], "Resize(Size { width: 90, height: 30 })");
    assert_eq!(
        played.inputs[3], "Resize(Size { width: 1000, height: 500 })",
        "a size that would take gigabytes"
    );
    assert_eq!(played.inputs[4], "WorkerFailed { name: \"reader\", text: \"boom\" }");
    assert_eq!(played.did, ["draw", "draw"]);
}

#[test]
fn the_loop_wakes_by_itself_only_when_asked() {
    let wake = Some(Duration::from_millis(1));
    let mut app = Recorder { keymap: Keymap::default(), context: Context::List, inputs: Vec::new(), wake };
    let mut screen = Paper { terminal: Terminal::new(TestBackend::new(8, 1)).unwrap(), did: Vec::new() };
    let (_sender, receiver) = unbounded();
    let Ok(exit) = run(&mut app, &mut screen, &receiver, &mut |_| ());
    assert_eq!((exit, app.inputs.last().unwrap().as_str()), (AppExit::Quit, "Tick"));
}
