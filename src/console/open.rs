//! The entry point: from an opening and display options to an exit code.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::chrome::alerts::clauses;
use super::manual::Manual;
use super::run::run;
use super::screen::{PreparedSnapshot, SnapshotPreparer};
use super::shell::{Shell, ShellMessage};
use super::stored;
use super::task;
use super::terminal::{TerminalError, TerminalOptions};
use super::theme::{AUTO, BUILT_IN, Background, ColorDepth, ColorFlag, Theme, ThemeOptions, built_in_name};
use super::theme_file::{self, FollowedTheme, LARGEST};
use super::views::ViewName;
use super::views::packing::PackingView;
use super::worker::WorkerSender;
use crate::views::Effect;
use qscope_engine::cluster::Epoch;
use qscope_planning::farm::CaseInput;
use qscope_record::RecordingWriter;
use qscope_session::{
    CollectorHandle, LogHistory, Opening, OpeningOrigin, Session, SessionEvent, open_recording,
};
use qscope_source::collect::Collector;
use qscope_source::config::Config;
use qscope_source::watch::WatchOptions;
use qscope_system::input;

/// How the folder is followed.
#[derive(Debug, Default)]
pub struct ConsoleOptions {
    /// How changes are detected.
    pub watch: WatchOptions,
    /// The collector that fills the folder, if the console runs it too.
    pub collector: Option<Collector>,
    /// The recorder that keeps every snapshot, if they are recorded.
    pub recorder: Option<RecordingWriter>,
    /// Settings of the what-if the console starts with.
    pub settings: Vec<String>,
    /// Whether the footer leads through the tour.
    pub tour: bool,
    /// Logs of the past, from which run times are drawn.
    pub past: Vec<PathBuf>,
    /// Whether a recording or simulation is first shown from end to end.
    pub begins_with_time: bool,
    /// The pages that `:help` shows.
    pub manual: Manual,
}

/// How the console looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplayOptions {
    /// The choice about colour.
    pub color: ColorFlag,
    /// The configuration including flags: theme, keys, columns, filters.
    pub config: Config,
    /// Whether only ASCII characters are used.
    pub ascii: bool,
    /// Whether clicks and the wheel are reported.
    pub mouse: bool,
}

impl DisplayOptions {
    /// Takes `color`, `ascii` and `mouse` from the configuration.
    pub fn of(config: Config) -> Self {
        let color = match config.text("color") {
            Some("always") => ColorFlag::Always,
            Some("never") => ColorFlag::Never,
            _ => ColorFlag::Auto,
        };
        let (ascii, mouse) = (config.flag("ascii") == Some(true), config.flag("mouse") != Some(false));
        Self { color, config, ascii, mouse }
    }
}

/// Opens the console on a cluster, follows it, and returns the exit code when the user leaves.
///
/// # Errors
/// There is no terminal, or it fails.
pub fn open(opening: Opening, how: ConsoleOptions, looks: &DisplayOptions) -> Result<u8, TerminalError> {
    let config = looks.config.clone();
    run_shell(looks, move |theme, post| {
        let mut app = Shell::new(name_of(&opening), theme, Box::new(real_clock));
        app.restore_state(stored::path(&cluster_of(&opening)));
        app.configure(&config);
        app.shows_manual(how.manual);
        app.reads(opening.clone());
        app.limit_analysis_rate();
        if !how.past.is_empty() {
            app.set_log_history(LogHistory::new(&opening, how.past));
        }
        if how.begins_with_time {
            app.begin_with_time();
        }
        if how.tour {
            app.begin_tour();
        }
        if !how.settings.is_empty() {
            app.begin_with(how.settings);
        }
        let session = follow(opening, how.watch, how.recorder, post);
        let collecting = how.collector.and_then(|collector| collect(collector, post));
        (app, session, collecting)
    })
}

/// Opens the packing view on files, with the slider at a lifetime in seconds, and returns the exit code when the user
/// leaves.
/// # Errors
/// There is no terminal, or it fails.
pub fn open_files(
    input: CaseInput,
    lifetime: Option<i64>,
    options: &DisplayOptions,
) -> Result<u8, TerminalError> {
    let view = PackingView::of_files(input).at_lifetime(lifetime);
    run_shell(options, |theme, _| {
        (Shell::on_files(ViewName::Packing, Box::new(view), theme, Box::new(real_clock)), None, None)
    })
}

/// Whether a path is for [`open_files`]: a file, or a folder of accounting logs.
pub fn is_for_files(path: &Path) -> bool {
    path.is_file() || qscope_planning::farm::trace::holds_logs(path)
}

/// Runs the shell built by `make`, with its workers and whatever follows the files.
fn run_shell(
    looks: &DisplayOptions,
    make: impl FnOnce(Theme, &WorkerSender<ShellMessage>) -> (Shell, Option<Session>, Option<CollectorHandle>),
) -> Result<u8, TerminalError> {
    let theme_options = ThemeOptions::from_env(looks.color, looks.ascii);
    let name = theme_name(&looks.config);
    let has_color = theme_options.depth != ColorDepth::None;
    let follows_ground = has_color && follows_background(&looks.config);
    // Taken before the file is read, so that a later change causes another reading.
    let file = (!is_built_in(name)).then(|| FollowedTheme::now(name));
    let (theme, warning) = theme(name, theme_options);
    // The Linux console has a background but does not answer.
    let queries_background = has_color && std::env::var("TERM").is_ok_and(|term| term != "linux");
    let options = TerminalOptions { mouse: looks.mouse, color: has_color, queries_background };
    let ended = run(options, move |post| {
        let (mut app, session, collecting) = make(theme, &post);
        // Without the thread the file is read once.
        let path = file.as_ref().map(|file| file.path.clone());
        app.follow_theme(theme_file::start(post.clone(), file).ok(), path);
        app.begin_on_ground(background_from_env(), follows_ground);
        // With a cluster, this is already among the problems of the configuration.
        if let Some(warning) = warning.filter(|_| !app.has_message()) {
            app.set_failure(warning);
        }
        let tasks = task::workers(&post).ok();
        let start = move |effect| {
            // Held as long as the loop runs: dropping it ends the running client and removes its partial files.
            let _held = &collecting;
            match effect {
                Effect::Reload => session.iter().for_each(Session::reload),
                // Without workers nothing is computed, and the view keeps stating that it waits.
                Effect::Compute(task) => tasks.iter().for_each(|tasks| drop(tasks.send(task.clone()))),
                // The shell itself has executed all others.
                _ => {}
            }
        };
        (app, start)
    });
    ended.map(super::app::AppExit::code)
}

/// Describes what is opened.
fn name_of(opening: &Opening) -> String {
    match &opening.origin {
        OpeningOrigin::Folder(folder) => folder.display().to_string(),
        OpeningOrigin::Files(paths) => {
            paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
        }
        OpeningOrigin::Recording { folder, at } => format!("{} (REPLAY of {at})", folder.display()),
        OpeningOrigin::Simulation { simulated, .. } => format!("{} (SIM)", simulated.title()),
        OpeningOrigin::BuiltIn => "the built-in sample".to_owned(),
    }
}

/// Names the cluster of an opening for the state kept of it: usually after its folder.
fn cluster_of(opening: &Opening) -> String {
    match &opening.origin {
        OpeningOrigin::Folder(folder) | OpeningOrigin::Recording { folder, .. } => {
            let folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            folder.display().to_string().trim_start_matches('/').replace('/', "-")
        }
        OpeningOrigin::Files(_) => "files".to_owned(),
        OpeningOrigin::Simulation { simulated, .. } => simulated.title().replace('/', "-"),
        OpeningOrigin::BuiltIn => "sample".to_owned(),
    }
}

/// Returns the configured theme: the full name of a built-in one, or a file. If none is configured, the one for the
/// terminal's background as given by the environment.
pub(super) fn theme_name(config: &Config) -> &str {
    let name = config.text("theme").unwrap_or(AUTO);
    if name == AUTO {
        return Background::theme_for(background_from_env());
    }
    built_in_name(name).unwrap_or(name)
}

fn background_from_env() -> Option<Background> {
    std::env::var("COLORFGBG").ok().and_then(|value| Background::of_variable(&value))
}

/// Whether no other theme is configured.
fn follows_background(config: &Config) -> bool {
    config.text("theme").is_none_or(|name| name == AUTO)
}

fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|(known, _)| *known == name)
}

/// Returns the theme of that name, and what was wrong with it, if anything.
pub(super) fn theme(name: &str, theme_options: ThemeOptions) -> (Theme, Option<String>) {
    let read = (!is_built_in(name)).then(|| input::read_text(name.as_ref(), LARGEST));
    let (theme, warnings) = match read {
        Some(Ok(text)) => Theme::from_toml(name, &text, theme_options),
        // A word that is not a file is looked up among the built-in themes, and the warning lists those.
        Some(Err(why)) if why.io_kind() != ErrorKind::NotFound => {
            let (theme, _) = Theme::built_in(BUILT_IN[0].0, theme_options);
            return (theme, Some(format!("{name}: {why}")));
        }
        Some(Err(_)) | None => Theme::built_in(name, theme_options),
    };
    (theme, warnings.first().map(ToString::to_string))
}

fn real_clock() -> Epoch {
    Epoch::from(SystemTime::now())
}

/// Starts the session. If it cannot start, that is reported like an unreadable file.
fn follow(
    opening: Opening,
    watch: WatchOptions,
    recorder: Option<RecordingWriter>,
    post: &WorkerSender<ShellMessage>,
) -> Option<Session> {
    let (reports, ready) = (post.clone(), SnapshotPreparer::default());
    let report = move |event| reports.send(made_ready(event, &ready, &reports));
    match open_recording(opening, watch, recorder, report) {
        Ok(session) => Some(session),
        Err(error) => {
            let message = format!("the files cannot be followed: {error}");
            post.send(SessionEvent::Failed { message, missing_file: None, at: SystemTime::now() }.into());
            None
        }
    }
}

/// Converts a session event for the screen. The thread that read a snapshot also prepares what the screen needs,
/// because no key waits for it there.
fn made_ready(
    event: SessionEvent,
    ready: &SnapshotPreparer,
    post: &WorkerSender<ShellMessage>,
) -> ShellMessage {
    let SessionEvent::Loaded(generation) = event else { return event.into() };
    let made = post.guard("getting a snapshot ready", || ready.make(generation.clone(), clauses));
    ShellMessage::Loaded(made.unwrap_or_else(|| PreparedSnapshot::of(generation)))
}

/// Starts the collector. If it cannot start, that is reported like an unreadable file.
fn collect(collector: Collector, sender: &WorkerSender<ShellMessage>) -> Option<CollectorHandle> {
    let reports = sender.clone();
    match qscope_session::collect(collector, move |event| reports.send(event.into())) {
        Ok(collecting) => Some(collecting),
        Err(error) => {
            let message = format!("nothing can be collected: {error}");
            sender.send(SessionEvent::Failed { message, missing_file: None, at: SystemTime::now() }.into());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_source::config::ConfigSource;

    /// The same as `:theme light`; a file of that name needs a path.
    #[test]
    fn a_built_in_theme_is_named_short_or_whole() {
        let named = |name: &str| {
            let mut config = Config::default();
            config.set("theme", vec![name.to_owned()], ConfigSource::Flag("--theme"));
            theme_name(&config).to_owned()
        };
        assert_eq!(named("light"), "default-light");
        assert_eq!(named("default-light"), "default-light");
        assert_eq!(named("mono"), "mono");
        assert_eq!(named("./light"), "./light");
    }

    #[test]
    fn a_theme_that_is_a_pipe_is_named_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("theme.toml");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let theme_options = ThemeOptions::from_env(ColorFlag::Never, false);
        let warning = theme(path.to_str().unwrap(), theme_options).1.unwrap();
        assert!(warning.ends_with("theme.toml: found a named pipe; expected a regular file"), "{warning}");
        assert!(theme("/no/such/theme", theme_options).1.unwrap().contains("unknown theme"));
    }
}
