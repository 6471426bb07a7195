//! The site's own allocation program: JSON on its input, a JSON list of node names on its output, within a time
//! limit. The program comes from the user's own configuration, never from a watched folder.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use qscope_planning::policies::{HookNode, HookRequest, LocalHook};
use qscope_system::program::{self, ProgramError, ProgramLimits, SurvivingProcess};

/// Maximum length of an answer, in bytes.
const LONGEST_ANSWER: u64 = 16 << 20;

/// A program that orders nodes.
#[derive(Clone, Debug)]
pub struct CommandHook {
    /// The program and its arguments; no shell is involved.
    pub command: Vec<OsString>,
    /// Maximum run time.
    pub limit: Duration,
}

impl CommandHook {
    /// Creates a program without arguments, with the default limit of two seconds.
    pub fn new(program: OsString) -> Self {
        Self { command: vec![program], limit: Duration::from_secs(2) }
    }
}

impl LocalHook for CommandHook {
    fn order(&self, request: &HookRequest) -> Result<Vec<String>, String> {
        let (name, arguments) = self.command.split_first().ok_or("no program is configured")?;
        let Some(path) = program::find(name) else {
            return Err(format!("{}: found in no absolute folder of PATH", name.display()));
        };
        let limits = ProgramLimits { time: self.limit, output: LONGEST_ANSWER };
        let question = to_json(request).to_string().into_bytes();
        let ended = program::run(&path, arguments, question, limits, &|| false);
        let ended = ended.map_err(|why| failure(&path, &why))?;
        if !ended.status.success() {
            return Err(format!("the program ended with {}", ended.status));
        }
        let found: Value =
            serde_json::from_slice(&ended.output).map_err(|why| format!("invalid answer: {why}"))?;
        serde_json::from_value(found).map_err(|_| "invalid answer: expected a list of node names".to_owned())
    }
}

fn failure(path: &Path, why: &ProgramError) -> String {
    match why {
        ProgramError::Start(why) => format!("{}: {why}", path.display()),
        ProgramError::TooSlow(limit, SurvivingProcess::None) => {
            format!("no answer within {} s", limit.as_secs_f64())
        }
        ProgramError::TooMuch(most, _) => format!("its answer is longer than {} MB", most >> 20),
        other => format!("the program {other}"),
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

    /// A child is left behind and holds the output open: the answer arrives nevertheless.
    #[test]
    fn the_limit_holds_whatever_the_program_leaves_behind() {
        let folder = tempfile::tempdir().unwrap();
        let late = folder.path().join("late");
        let left = format!("sh -c 'sleep 5; echo > {}' &", late.display());
        for (left, then) in [
            (left.clone(), "echo '[\"n1\"]'"),
            (format!("setsid {left}"), "sleep 0.1; echo '[\"n1\"]'"),
            (format!("setsid {left}"), "exec sleep 300"),
        ] {
            match shell(&format!("{left} {then}")).order(&request()) {
                Ok(nodes) => assert_eq!(nodes, ["n1"]),
                Err(why) => assert!(why.contains("no answer within 0.4 s"), "{why}"),
            }
            assert!(!late.exists(), "waited for what was left behind: {left} {then}");
        }
    }

    #[test]
    fn what_goes_wrong_is_reported() {
        let why = |script: &str| shell(script).order(&request()).unwrap_err();
        assert!(why("exec sleep 5").contains("no answer within 0.4 s"));
        assert!(why("exit 3").contains("exit status: 3"));
        assert!(why("echo no").contains("invalid answer"));
        assert!(why("echo '{}'").contains("list of node names"));
        let missing = CommandHook::new("/no/such/program".into());
        assert!(missing.order(&request()).unwrap_err().contains("/no/such/program"));
    }
}
