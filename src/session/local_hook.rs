//! The site's own allocation program: JSON on its input, a JSON list of node names on its output, within a
//! time limit. The program comes from the user's own configuration, never from a watched folder.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::placement::policies::{HookNode, HookRequest, LocalHook};

/// Longer answers are refused.
const LONGEST_ANSWER: u64 = 16 << 20;

/// A program that orders nodes.
#[derive(Clone, Debug)]
pub struct CommandHook {
    /// The program and its arguments; no shell is involved.
    pub command: Vec<OsString>,
    /// How long it may take.
    pub limit: Duration,
}

impl CommandHook {
    /// A program without arguments and the usual limit of two seconds.
    #[must_use]
    pub fn new(program: OsString) -> Self {
        Self { command: vec![program], limit: Duration::from_secs(2) }
    }
}

impl LocalHook for CommandHook {
    fn order(&self, request: &HookRequest) -> Result<Vec<String>, String> {
        let (program, arguments) = self.command.split_first().ok_or("no program is configured")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().map_err(|why| format!("{}: {why}", program.display()))?;
        let answer = talk(child, &to_json(request).to_string(), self.limit)?;
        let found: Value = serde_json::from_slice(&answer).map_err(|why| format!("invalid answer: {why}"))?;
        serde_json::from_value(found).map_err(|_| "invalid answer: expected a list of node names".to_owned())
    }
}

/// Hands the question over and waits for the whole answer.
fn talk(mut child: Child, question: &str, limit: Duration) -> Result<Vec<u8>, String> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipe to the program".to_owned());
    };
    let question = question.to_owned();
    // A program that does not read its input closes the pipe; what it answers still counts.
    let writer = std::thread::spawn(move || input.write_all(question.as_bytes()).is_ok());
    let reader = std::thread::spawn(move || {
        let mut answer = Vec::new();
        output.take(LONGEST_ANSWER + 1).read_to_end(&mut answer).map(|_| answer)
    });
    let status = wait(&mut child, limit)?;
    drop(writer);
    let answer = reader.join().map_err(|_| "its answer could not be read".to_owned())?;
    let answer = answer.map_err(|why| format!("its answer could not be read: {why}"))?;
    if answer.len() as u64 > LONGEST_ANSWER {
        return Err(format!("its answer is longer than {} MB", LONGEST_ANSWER >> 20));
    }
    if status.success() { Ok(answer) } else { Err(format!("the program ended with {status}")) }
}

fn wait(child: &mut Child, limit: Duration) -> Result<std::process::ExitStatus, String> {
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if started.elapsed() < limit => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                let killed = child.kill().and_then(|()| child.wait());
                let left = if killed.is_ok() { "" } else { ", and could not be stopped" };
                return Err(format!("no answer within {} s{left}", limit.as_secs_f64()));
            }
            Err(why) => return Err(why.to_string()),
        }
    }
}

fn to_json(request: &HookRequest) -> Value {
    json!({
        "job": request.job, "tasks": request.tasks, "nodes": request.nodes, "tasks_per_node": request.per_node,
        "start": request.start, "walltime": request.walltime,
        "candidates": request.candidates.iter().map(node_json).collect::<Vec<_>>(),
    })
}

fn node_json(node: &HookNode) -> Value {
    json!({
        "node": node.name, "tasks": node.tasks, "procs": node.procs, "idle": node.idle, "load": node.load,
        "speed": node.speed, "procspeed": node.procspeed, "slot": node.slot, "priority": node.priority,
        "features": node.features, "until": node.until,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> HookRequest {
        HookRequest {
            job: "1".to_owned(),
            tasks: 1,
            nodes: 0,
            per_node: 0,
            start: 0,
            walltime: 60,
            candidates: Vec::new(),
        }
    }

    fn shell(script: &str) -> CommandHook {
        CommandHook {
            command: ["sh", "-c", script].map(OsString::from).to_vec(),
            limit: Duration::from_millis(400),
        }
    }

    #[test]
    fn a_program_orders_nodes() {
        assert_eq!(shell(r#"cat >/dev/null; echo '["n2","n1"]'"#).order(&request()).unwrap(), ["n2", "n1"]);
        assert_eq!(shell(r#"echo '[]'"#).order(&request()).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_goes_wrong_is_said() {
        let why = |script: &str| shell(script).order(&request()).unwrap_err();
        assert!(why("exec sleep 5").contains("no answer within 0.4 s"));
        assert!(why("exit 3").contains("exit status: 3"));
        assert!(why("echo no").contains("invalid answer"));
        assert!(why("echo '{}'").contains("list of node names"));
        let nobody = CommandHook::new("/no/such/program".into());
        assert!(nobody.order(&request()).unwrap_err().contains("/no/such/program"));
    }
}
