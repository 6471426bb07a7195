//! A folder of dumps: whether it can be read, who can write to it, and what its answers lack.

use std::path::Path;

use qscope_engine::cluster::{Severity, count};
use qscope_explain::unseen;
use qscope_source::{LoadOptions, load_folder};
use qscope_system::kernel;

use super::DoctorCheck;

const GROUP: &str = "folder";

pub(super) fn checks(folder: &Path) -> Vec<DoctorCheck> {
    let name = folder.display().to_string();
    let Some((owner, mode)) = kernel::owner_and_mode(folder) else {
        return vec![
            DoctorCheck::ok(GROUP, "folder", name).problem(Some("it is not there, or not for this user")),
        ];
    };
    let who = format!("{name}: owner {owner}, mode {mode:04o}, read as user {}", kernel::user());
    let can_read = kernel::is_readable(folder);
    let mut checks = vec![
        DoctorCheck::ok(GROUP, "folder", who).problem((!can_read).then_some("this user may not list it")),
    ];
    if kernel::others_can_write(mode) {
        let hint = "others can change the dumps; qscope collect refuses such a folder";
        checks.push(DoctorCheck::ok(GROUP, "writers", "others can write it").note(Some(hint)));
    }
    if can_read {
        checks.extend(contents(folder));
    }
    checks
}

fn contents(folder: &Path) -> Vec<DoctorCheck> {
    let snapshot = match load_folder(folder, &LoadOptions::default()) {
        Ok(snapshot) => snapshot,
        Err(error) => {
            return vec![
                DoctorCheck::ok(GROUP, "dumps", error.to_string())
                    .problem(Some("nothing can be computed from it")),
            ];
        }
    };
    let found = format!("{}, {}", count(snapshot.nodes.len(), "vnode"), count(snapshot.jobs.len(), "job"));
    let mut checks = vec![DoctorCheck::ok(GROUP, "dumps", found)];
    for file in snapshot.unreadable() {
        let found = format!("{}: {}", file.file, file.message);
        checks.push(DoctorCheck::ok(GROUP, "file", found).problem(Some("the answers are without it")));
    }
    let errors = snapshot.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    if errors > 0 {
        let hint = "qscope check FOLDER lists them";
        checks.push(DoctorCheck::ok(GROUP, "errors", format!("{errors} in the files")).problem(Some(hint)));
    }
    let assumed = unseen(&snapshot.origins);
    if assumed.is_empty() {
        checks.push(DoctorCheck::ok(GROUP, "not seen", "nothing: every fact stands in a file"));
    }
    for assumption in assumed {
        let hint = "verdicts that rest on it are marked likely";
        checks.push(DoctorCheck::ok(GROUP, "not seen", assumption.text()).note(Some(hint)));
    }
    checks
}
