//! The memory that a large cluster takes: it is read by a separate process, which asks the kernel for its peak.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use qscope::source::{LoadOptions, load_folder};

/// The variable that names the folder which the separate process reads.
const VARIABLE: &str = "QSCOPE_MEMORY_FOLDER";
/// Number of vnodes, and also of jobs.
const RECORDS: usize = 20_000;
/// Maximum number of bytes per record, including its bytes in the file.
const MOST: usize = 4096;

/// Returns the peak of this process's memory, in bytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

#[test]
#[ignore = "the process of its own that the next test starts; for any folder, named by QSCOPE_MEMORY_FOLDER"]
fn read_and_tell() {
    let Some(folder) = std::env::var_os(VARIABLE) else { return };
    let before = peak();
    let snapshot = load_folder(Path::new(&folder), &LoadOptions::default()).unwrap();
    let records = snapshot.nodes.len() + snapshot.jobs.len();
    let each = (peak() - before) / records;
    writeln!(std::io::stdout(), "{records} records: {each} bytes each at the peak").unwrap();
    fs::write(Path::new(&folder).join("peak"), format!("{records} {each}")).unwrap();
}

fn write_dumps(folder: &Path) {
    let (mut nodes, mut jobs) = (String::new(), String::new());
    for at in 0..RECORDS {
        write!(nodes, "n{at:06}\n     Mom = n{at:06}.cluster\n     Port = 15002\n     pbs_version = 23.06.06\n     ntype = PBS\n     state = free\n     resources_available.arch = linux\n     resources_available.host = n{at:06}\n     resources_available.mem = 256gb\n     resources_available.ncpus = 64\n     resources_available.switch = sw{}\n     resources_available.vnode = n{at:06}\n     resources_assigned.ncpus = 64\n     jobs = {at}.svr/0\n     resv_enable = True\n     sharing = default_shared\n     license = l\n     comment = drained on Monday by the operator {at}\n\n", at / 50).unwrap();
        write!(jobs, "Job Id: {at}.svr\n    Job_Name = job{at}\n    Job_Owner = user{}@login.cluster\n    job_state = R\n    queue = workq\n    server = svr\n    ctime = Fri Nov 21 03:40:01 2025\n    exec_vnode = (n{at:06}:ncpus=64:mem=1048576kb)\n    Resource_List.ncpus = 64\n    Resource_List.place = scatter:excl\n    Resource_List.select = 1:ncpus=64:mem=1gb:switch=sw1\n    Resource_List.walltime = 01:00:00\n    schedselect = 1:ncpus=64:mem=1gb:switch=sw1\n    stime = Fri Nov 21 03:41:01 2025\n    substate = 42\n    Variable_List = {}\n    euser = user1\n    egroup = users\n    queue_rank = {at}\n    comment = Job run at Fri Nov 21 at 03:41 on (n{at:06}:ncpus=64)\n    estimated.exec_vnode = (n{at:06}:ncpus=64:mem=1048576kb)\n    project = _pbs_project_default\n\n", at % 50, "PBS_O_PATH=/usr/bin\n\t".repeat(40).trim_end()).unwrap();
    }
    fs::write(folder.join("nodes.txt"), nodes).unwrap();
    fs::write(folder.join("jobs.txt"), jobs).unwrap();
    fs::write(folder.join("now"), "1763700000\n").unwrap();
}

#[test]
fn records_take_four_kilobytes_at_most() {
    let folder = tempfile::tempdir().unwrap();
    write_dumps(folder.path());
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "source_memory::read_and_tell", "--ignored"]).env(VARIABLE, folder.path());
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let told = fs::read_to_string(folder.path().join("peak")).unwrap();
    let (records, each) = told.split_once(' ').unwrap();
    assert_eq!(records.parse(), Ok(2 * RECORDS));
    assert!((100..=MOST).contains(&each.parse().unwrap()), "{each} bytes a record");
}
