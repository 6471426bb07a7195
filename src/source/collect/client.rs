//! Running one client under a time limit and a size limit.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded};
use rustix::process::{Pid, Signal, kill_process_group};

use super::environment::without_environment;
use super::plan::{Client, CollectOptions, Form};
use super::publish::{Publisher, Ready};
use super::whole::{whole_json, whole_text};

/// How often a running client is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How long to wait for the last words of a client that ended.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// So much of what it complains about is shown.
const COMPLAINT: u64 = 4096;

/// Runs a client; what it printed is whole and ready to be put in the place of its file.
///
/// # Errors
/// Why the last good file stays.
pub(super) fn run(
    client: &Client,
    options: &CollectOptions,
    publisher: &Publisher,
    stop: &dyn Fn() -> bool,
) -> Result<Ready, String> {
    let draft = publisher.draft(client.file).map_err(|why| format!("no temporary file: {why}"))?;
    let output = draft.file.try_clone().map_err(|why| why.to_string())?;
    let (status, complaint) = watch(client, options, output, &draft.file, stop)?;
    let said = complaint.lines().next().map(str::trim).unwrap_or_default().escape_debug().to_string();
    if !status.success() {
        let said = if said.is_empty() { String::new() } else { format!(": {said}") };
        return Err(format!("{} ended with {status}{said}", client.program));
    }
    let bytes = draft.read().map_err(|why| why.to_string())?;
    match client.form {
        Form::Json => whole_json(&bytes),
        Form::Text => whole_text(&bytes),
    }
    .map_err(|why| format!("{} {why}", client.program))?;
    let kept = if options.environment { bytes } else { without_environment(bytes)? };
    draft.fill(&kept).map_err(|why| why.to_string())
}

/// Waits for a client, and stops it at its limits.
fn watch(
    client: &Client,
    options: &CollectOptions,
    output: File,
    draft: &File,
    stop: &dyn Fn() -> bool,
) -> Result<(ExitStatus, String), String> {
    let program = options.program(client.program);
    let mut command = Command::new(&program);
    command.args(client.arguments).stdin(Stdio::null()).stdout(output).stderr(Stdio::piped());
    // Sites wrap clients in scripts: what these started ends with them. In the background of the terminal it cannot
    // ask there for a password either.
    command.process_group(0);
    let mut child = command.spawn().map_err(|why| format!("{}: {why}", program.display()))?;
    let complaints = listen(child.stderr.take());
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|why| why.to_string())? {
            // A grandchild may hold the pipe open; what it says does not matter.
            let complaint = complaints.recv_timeout(LAST_WORDS);
            return Ok((status, complaint.unwrap_or_default()));
        }
        let size = draft.metadata().map_or(0, |metadata| metadata.len());
        let why = if stop() {
            Some("stopped".to_owned())
        } else if started.elapsed() > options.limit {
            Some(format!("took longer than {} s", options.limit.as_secs_f64()))
        } else if size > options.most {
            Some(format!("printed more than {} MB", options.most >> 20))
        } else {
            None
        };
        if let Some(why) = why {
            return Err(format!("{} {why}{}", client.program, end(&mut child)));
        }
        thread::sleep(LOOK);
    }
}

/// Collects what a client complains about. What is beyond the limit is read and forgotten, so that nobody
/// blocks on a full pipe.
fn listen(stderr: Option<ChildStderr>) -> Receiver<String> {
    let (tell, told) = bounded(1);
    thread::spawn(move || {
        let Some(mut stderr) = stderr else { return };
        let mut said = Vec::new();
        let _kept = stderr.by_ref().take(COMPLAINT).read_to_end(&mut said);
        let _heard = tell.send(String::from_utf8_lossy(&said).into_owned());
        let _rest = std::io::copy(&mut stderr, &mut std::io::sink());
    });
    told
}

/// Ends a client and all that it started; says so when that fails.
fn end(child: &mut Child) -> &'static str {
    let killed = kill_process_group(Pid::from_child(child), Signal::KILL);
    match killed.or_else(|_| child.kill()).and_then(|()| child.wait()) {
        Ok(_) => "",
        Err(_) => ", and could not be stopped",
    }
}
