//! What-if settings: `KEY=VALUE`, for any option or attribute, as edits of a cluster.
//!
//! A key is the name of an option or attribute, after the name of its object where needed:
//!
//! ```text
//! strict_ordering=True                         an option of sched_config (or sched_config.strict_ordering)
//! node_sort_key=ncpus HIGH unused prime        its value as on a line of that file, the period last
//! node_group_key=switch                        an attribute of the server (or server.node_group_key)
//! do_not_span_psets=True                       an attribute of the scheduler (or scheduler.…)
//! queue.big.started=False                      an attribute of a queue
//! node.n[1-4].state=offline                    of vnodes, as in nodes.toml; node.* is all of them
//! job.12.Resource_List.walltime=1:00:00        of a job that waits or runs; job.* is all that wait
//! reservation.R12.reserve_duration=4:00:00     of a reservation; its end follows, and the length where the end is set
//! maui.NODEALLOCATIONPOLICY=FASTEST            what the allocation policies look at, as in maui.cfg
//! policy=FASTEST                               an allocation policy in the place of node_sort_key; also of a queue or job:
//! queue.big.policy=exclusive                   a packing policy: relaxed, exclusive, none, ttl:TIME; empty is the scheduler's
//! add_nodes.n3=2                               two more vnodes like n3, idle; or like ncpus=16:mem=64gb
//! at=+2h                                       the clock moved: jobs due by then have ended, nothing arrives or starts
//! server.max_run_res.ncpus=[u:PBS_GENERIC=8]   what has a value for each resource names it last
//! ```
//!
//! Values are read by the readers of the dumps and of `sched_config`. An empty value removes lists, texts, resources
//! and limits. If a key is repeated, the last value counts, except for options whose lines accumulate: their first
//! setting replaces what the file states, later ones add to it.

mod draft;
mod key;
mod names;
mod section;
mod target;
mod values;

use std::fmt;
use std::ops::Range;

use draft::SettingDraft;
use key::ParsedSetting;
use qscope_engine::cluster::{Edit, Epoch, Snapshot, caret_lines};
use section::SettingSection;

pub use names::complete;

/// Settings read for a cluster.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SettingEdits {
    words: Vec<String>,
    edits: Vec<Edit>,
    notes: Vec<String>,
    at: Option<Epoch>,
    policies: Vec<PolicyWord>,
}

/// The name of an allocation policy, which only the policies themselves can check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolicyWord {
    /// Text of the setting.
    text: String,
    /// Byte range of the name in it.
    span: Range<usize>,
}

impl PolicyWord {
    pub fn word(&self) -> &str {
        self.text.get(self.span.clone()).unwrap_or_default()
    }

    /// Returns the error that there is no such policy.
    pub fn refused(&self, what: String) -> SettingError {
        SettingError { text: self.text.clone(), span: self.span.clone(), what }
    }
}

/// Error: a text is not a valid setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingError {
    pub text: String,
    /// Byte range of the error in the text.
    pub span: Range<usize>,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl SettingEdits {
    /// Reads settings, each overriding those before it.
    ///
    /// # Errors
    /// For the first invalid setting: an unknown key or object, or a value that its reader refuses.
    pub fn read<T: AsRef<str>>(texts: &[T], snap: &Snapshot) -> Result<Self, SettingError> {
        let mut draft = SettingDraft::new(snap);
        let (mut words, mut policies) = (Vec::new(), Vec::new());
        for text in texts {
            let text = text.as_ref();
            let key = ParsedSetting::parse(text, snap)?;
            draft.set(&key)?;
            let names_policy = key.name == "policy" && !key.value.is_empty();
            if names_policy
                && matches!(key.section, SettingSection::Trial | SettingSection::Queue | SettingSection::Job)
            {
                policies.push(PolicyWord { text: text.to_owned(), span: key.value_span() });
            }
            words.push(key.canonical());
        }
        let at = draft.at();
        let (edits, notes) = draft.finish();
        Ok(Self { words, edits, notes, at, policies })
    }

    /// Returns the settings, each with its full key.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns the resulting edits, without those that change nothing.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Returns the time to which the clock is moved, after the edits.
    pub fn at(&self) -> Option<Epoch> {
        self.at
    }

    /// Returns the words that must be names of allocation policies.
    pub fn policies(&self) -> &[PolicyWord] {
        &self.policies
    }

    /// Returns the remarks about the settings.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl SettingError {
    /// Returns the text, and a line below it that points at the error.
    pub fn pointed(&self) -> [String; 2] {
        caret_lines(&self.text, self.span.clone(), &self.what)
    }
}

impl std::error::Error for SettingError {}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [text, mark] = self.pointed();
        write!(f, "a setting cannot be read\n  {text}\n  {mark}")
    }
}

#[cfg(test)]
mod tests;
