//! Drives a console as its loop does: an input, a frame written to a terminal that counts bytes, and the
//! messages of workers.

use std::cell::Cell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, unbounded};

use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::incoming::IncomingEvent;
use qscope::console::shell::{Shell, ShellMessage};
use qscope::console::task::{Workers, workers};
use qscope::console::terminal::{EraseBackground, TerminalOutput};
use qscope::console::theme::ColorDepth;
use qscope::console::views::Effect;
use qscope::console::worker::WorkerSender;
use qscope::cycle::Run;
use ratatui::layout::{Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};
use rustix::time::{ClockId, clock_gettime};

use crate::opened;

/// What is pressed.
#[derive(Clone, Copy)]
pub(crate) enum Press {
    Key(Action),
    /// Letters, pressed one after the other.
    Text(&'static str),
    /// Nothing, until the console would wake up.
    Idle,
}

/// A key, and its costs.
pub(crate) struct Sample {
    /// The key; none for a tick.
    pub(crate) key: Option<String>,
    /// Time from the key to the end of the frame.
    pub(crate) took: Duration,
    /// Processor time of that, which does not depend on other load of the machine.
    pub(crate) cpu: Duration,
    /// Time of a full redraw after it; none for a tick.
    pub(crate) frame: Option<Duration>,
    /// Time from the key to the end of the last frame, where a picture is drawn in two.
    pub(crate) whole: Duration,
    /// Longest time of one worker message with its frame.
    pub(crate) news: Duration,
    /// Bytes written to the terminal, without those for worker messages.
    pub(crate) bytes: usize,
}

impl Sample {
    pub(crate) fn name(&self) -> &str {
        self.key.as_deref().unwrap_or("tick")
    }

    /// Returns the smaller of each time.
    pub(crate) fn best(self, other: &Self) -> Self {
        Self {
            took: self.took.min(other.took),
            cpu: self.cpu.min(other.cpu),
            whole: self.whole.min(other.whole),
            frame: self.frame.min(other.frame),
            news: self.news.min(other.news),
            ..self
        }
    }
}

/// Counts the bytes written.
struct Counter(Rc<Cell<usize>>);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) struct Console {
    app: Shell,
    screen: Terminal<TerminalOutput<Counter>>,
    bytes: Rc<Cell<usize>>,
    size: Size,
    workers: Workers,
    news: Receiver<IncomingEvent<ShellMessage>>,
}

impl Console {
    pub(crate) fn open(run: &Arc<Run>, size: Size) -> Self {
        let app = opened::shell(run, ColorDepth::True, size);
        let bytes = Rc::new(Cell::new(0));
        let area = Rect::new(0, 0, size.width, size.height);
        let options = TerminalOptions { viewport: Viewport::Fixed(area) };
        let backend = TerminalOutput::new(Counter(bytes.clone()), EraseBackground::Painted);
        let screen = Terminal::with_options(backend, options).unwrap();
        let (sender, news) = unbounded();
        let workers = workers(&WorkerSender::new(sender)).unwrap();
        let mut console = Self { app, screen, bytes, size, workers, news };
        console.draw();
        console
    }

    /// Makes the input; a text gives one sample for each of its letters.
    pub(crate) fn press(&mut self, press: Press) -> Vec<Sample> {
        match press {
            Press::Key(action) => vec![self.feed(Some(format!("{action:?}")), AppInput::Action(action))],
            Press::Text(text) => {
                let letters = text.chars();
                letters
                    .map(|letter| self.feed(Some(format!("letter {letter}")), AppInput::Letter(letter)))
                    .collect()
            }
            Press::Idle => vec![self.feed(None, AppInput::Tick)],
        }
    }

    fn feed(&mut self, key: Option<String>, input: AppInput<ShellMessage>) -> Sample {
        self.bytes.set(0);
        let (start, worked) = (Instant::now(), worked());
        let update = self.app.update(input);
        if update.changed {
            self.draw();
        }
        let (took, cpu) = (start.elapsed(), self::worked() - worked);
        while self.app.wake_in() == Some(Duration::ZERO) && self.app.update(AppInput::Tick).changed {
            self.draw();
        }
        let whole = start.elapsed();
        let bytes = self.bytes.get();
        let calls = update.effects.into_iter().map(|effect| self.begin(effect)).filter(|one| *one).count();
        let news = self.take_news(if calls > 0 { Duration::from_millis(150) } else { Duration::ZERO });
        let frame = key.as_ref().map(|_| self.anew());
        Sample { key, took, cpu, whole, frame, news, bytes }
    }

    /// Starts a computation in a worker, as the program does; returns whether the effect is one.
    fn begin(&self, effect: Effect) -> bool {
        let Effect::Compute(task) = effect else { return false };
        self.workers.send(task).is_ok()
    }

    /// Processes the messages of workers for up to `wait`; returns the longest time that one of them took.
    fn take_news(&mut self, wait: Duration) -> Duration {
        let until = Instant::now() + wait;
        let mut longest = Duration::ZERO;
        while let Ok(news) = self.news.recv_timeout(until.saturating_duration_since(Instant::now())) {
            let IncomingEvent::Message(news) = news else { continue };
            let start = Instant::now();
            let update = self.app.update(AppInput::Message(news));
            if update.changed {
                self.draw();
            }
            longest = longest.max(start.elapsed());
            for effect in update.effects {
                self.begin(effect);
            }
        }
        longest
    }

    fn draw(&mut self) {
        let app = &self.app;
        self.screen.draw(|frame| app.draw(frame)).unwrap();
    }

    /// Draws a frame on a blank terminal; returns the best of three times.
    fn anew(&mut self) -> Duration {
        let area = Rect::new(0, 0, self.size.width, self.size.height);
        let times = (0..3).map(|_| {
            self.screen.resize(area).unwrap();
            let start = Instant::now();
            self.draw();
            start.elapsed()
        });
        times.min().unwrap_or_default()
    }
}

/// Returns the processor time of this thread so far.
fn worked() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap()
}
