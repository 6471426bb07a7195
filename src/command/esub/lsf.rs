//! `qscope esub --lsf`: LSF's protocol of submission filters (sites 5.7). It reads the parameter file, writes changes
//! to the modify file, and rejects by exit code; messages go only to standard error.

use std::collections::BTreeMap;
use std::path::PathBuf;

use color_eyre::eyre::{Result, eyre};

use qscope_planning::farm::Criterion;
use qscope_planning::farm::criterion::{JobProperties, OTHER};
use qscope_planning::farm::esub::adequacy;
use qscope_planning::farm::policy_file::PolicyFile;
use qscope_planning::farm::res_req::merged;

use crate::command::farm::files::draft::write_atomically_at;
use crate::command::{open, output};

/// The exit code that rejects a job if LSF names none.
const ABORT: u8 = 97;
/// Maximum size of a parameter file, in bytes.
const PARAMETERS: u64 = 4 << 20;

/// Filters the submission that the environment names. Exit code 0 accepts it, with the changes in the modify file.
///
/// # Errors
/// If there is no parameter file, or the modify file cannot be written. LSF accepts the job nevertheless.
pub(super) fn run(policies: &PolicyFile) -> Result<u8> {
    let path = file_of("LSB_SUB_PARM_FILE")
        .ok_or_else(|| eyre!("LSB_SUB_PARM_FILE names no file: not run by LSF"))?;
    let text = open::text(&path, PARAMETERS)?;
    let job = LsfSubmission::read(&text);
    let class = policies.class.class_of(&job);
    if policies.rejects_unknown && !policies.knows(&class) {
        let word = if class == OTHER { "no class".to_owned() } else { format!("class {class}") };
        let known: Vec<&str> = policies.classes.iter().map(|(name, _)| name.as_str()).collect();
        output::print_note(format_args!(
            "rejected: {word} by {}; the site has {}",
            policies.class,
            known.join(", ")
        ));
        return Ok(std::env::var("LSB_SUB_ABORT_VALUE")
            .ok()
            .and_then(|code| code.trim().parse().ok())
            .unwrap_or(ABORT));
    }
    let own = job.0.get("LSB_SUB_RES_REQ").map(String::as_str).unwrap_or_default();
    match merged(own, &adequacy(&class, &policies.classes)) {
        Ok(whole) if whole == own || whole.is_empty() => {}
        Ok(whole) if whole.contains('"') => output::print_note("a requirement with a quote is not changed"),
        Ok(whole) => modify(&format!("LSB_SUB_RES_REQ=\"{whole}\"\n"))?,
        Err(why) => output::print_note(format_args!("accepted unchanged: {why}")),
    }
    Ok(0)
}

fn file_of(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|name| !name.is_empty()).map(PathBuf::from)
}

/// Adds a line to the modify file, to which other filters may have written.
fn modify(line: &str) -> Result<()> {
    let path = file_of("LSB_SUB_MODIFY_FILE").ok_or_else(|| eyre!("LSB_SUB_MODIFY_FILE names no file"))?;
    let before = if path.is_file() { open::text(&path, PARAMETERS)? } else { String::new() };
    write_atomically_at(&path, &format!("{before}{line}"))
}

/// A submission: options and values, without quotes.
struct LsfSubmission(BTreeMap<String, String>);

impl LsfSubmission {
    fn read(text: &str) -> Self {
        let option = |line: &str| {
            let (name, value) = line.split_once('=')?;
            let value = value.trim();
            let bare = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
            Some((name.trim().to_owned(), bare.to_owned()))
        };
        Self(text.lines().filter_map(option).collect())
    }

    fn option(&self, name: &str) -> Option<String> {
        self.0.get(name).filter(|value| !value.is_empty()).cloned()
    }
}

impl JobProperties for LsfSubmission {
    fn attribute(&self, criterion: &Criterion) -> Option<String> {
        match criterion {
            Criterion::Queue => self.option("LSB_SUB_QUEUE"),
            Criterion::Group => self.option("LSB_SUB_USER_GROUP"),
            Criterion::Project => self.option("LSB_SUB_PROJECT_NAME"),
            Criterion::User => std::env::var("LSFUSER").or_else(|_| std::env::var("USER")).ok(),
            _ => None,
        }
    }

    fn name(&self) -> Option<String> {
        self.option("LSB_SUB_JOB_NAME")
    }
}
