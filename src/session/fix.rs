//! What to do about a problem.

/// The next step, and the command that takes it, if there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// The whole step: a command, a command with what follows it, or a sentence.
    pub words: String,
    /// The part to type into a shell as it is.
    pub command: Option<String>,
}

impl Fix {
    /// Creates a step that is one command.
    pub fn command(command: impl Into<String>) -> Self {
        let words = command.into();
        Self { command: Some(words.clone()), words }
    }

    /// Creates a step that begins with a command: `qstat -f 40; else restart pbs_server`.
    pub fn begun_by(command: String, then: &str) -> Self {
        Self { words: format!("{command}; {then}"), command: Some(command) }
    }

    /// Creates a step that no command takes.
    pub fn by_hand(words: impl Into<String>) -> Self {
        Self { words: words.into(), command: None }
    }
}
