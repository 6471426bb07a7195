//! Determines the kind of a text by its first line that shows it.

use memchr::memmem;

use super::native::NativeFileKind;
use super::signs;
use super::table::ClientTable;
use super::{DumpDialect, DumpNotation, IntakeKind, json_head};
use crate::record::DumpKind;

/// Beginnings of outputs of Maui and Moab.
const MAUI: [(&str, &str); 8] = [
    ("diagnosing node table", "`diagnose -n` of Maui"),
    ("compute node summary", "`mdiag -n` of Moab"),
    ("active jobs---", "`showq` of Maui or Moab"),
    ("ACTIVE JOBS---", "`showq` of Maui or Moab"),
    ("checking node ", "`checknode` of Maui"),
    ("checking job ", "`checkjob` of Maui"),
    ("Diagnosing job priority", "`diagnose -p` of Maui"),
    ("backfill window", "`showbf` of Maui"),
];

/// Returns the kind of a text that is not empty.
pub(super) fn kind(text: &[u8], name: &str) -> IntakeKind {
    if let Some(own) = NativeFileKind::of_name(name) {
        return IntakeKind::Native(own);
    }
    let shown = String::from_utf8_lossy(text);
    let lines: Vec<&str> = shown.lines().collect();
    let mut at = 0;
    for (number, line) in lines.iter().enumerate() {
        let rest = || lines.get(number + 1..).unwrap_or_default();
        if let Some(kind) = sign(line, rest(), shown.as_bytes().get(at..).unwrap_or_default()) {
            return kind;
        }
        at += line.len() + 1 + usize::from(shown.as_bytes().get(at + line.len()) == Some(&b'\r'));
    }
    if let Some(native) = NativeFileKind::of_lines(&lines, name).or_else(|| elim(&lines, name)) {
        return IntakeKind::Native(native);
    }
    let mut reported =
        lines.iter().filter(|line| !line.trim().is_empty() && !signs::is_noise(line)).peekable();
    if reported.peek().is_some() && reported.all(|line| signs::is_complaint(line)) {
        IntakeKind::Failed
    } else {
        IntakeKind::Unknown
    }
}

fn elim(lines: &[&str], name: &str) -> Option<NativeFileKind> {
    let number = |line: &&str| line.split_whitespace().nth(1).is_some_and(|word| word.parse::<u32>().is_ok());
    (name == "elim.txt" && lines.iter().any(number)).then_some(NativeFileKind::Elim)
}

/// Returns the kind of file that this line shows, given the lines after it and the text from it on.
fn sign(line: &str, rest: &[&str], text: &[u8]) -> Option<IntakeKind> {
    let body = line.trim_start();
    match body.bytes().next()? {
        b'{' => {
            let behind = text.trim_ascii_start().get(1..).unwrap_or_default().trim_ascii_start();
            let is_object = matches!(behind.first(), None | Some(b'"' | b'}'));
            return if is_object { json_head::kind(text.trim_ascii_start()) } else { None };
        }
        b'<' => {
            if let Some(kind) = xml(body, text) {
                return Some(kind);
            }
        }
        b'"' => return lsf(line),
        b'#' => return lsf_events_head(line, rest),
        _ => {}
    }
    if line.starts_with("Begin Resource") {
        return Some(IntakeKind::Native(NativeFileKind::LsfShared));
    }
    object(line, rest, text)
        .or_else(|| log(line))
        .or_else(|| workload(line))
        .or_else(|| ClientTable::headed_by(line).map(IntakeKind::Table))
        .or_else(|| lsf_table(line))
        .or_else(|| {
            MAUI.iter().find(|(start, _)| line.starts_with(start)).map(|(_, what)| IntakeKind::Foreign(what))
        })
}

/// Recognizes objects in text, dsv or a script (sites 2.2, rows 5 to 10).
fn object(line: &str, rest: &[&str], text: &[u8]) -> Option<IntakeKind> {
    let dump = |of, form, system| Some(IntakeKind::Dump { of, form, system });
    if line.strip_prefix("Job Id: ").is_some_and(|id| !id.trim().is_empty()) {
        if line.contains("Job_Name=") {
            return dump(DumpKind::Jobs, DumpNotation::Dsv, DumpDialect::Pbs);
        }
        return dump(DumpKind::Jobs, DumpNotation::Text, system_of_jobs(text));
    }
    let headed = [DumpKind::Queues, DumpKind::Server, DumpKind::Reservations];
    let is_head =
        |kind: &DumpKind| line.strip_prefix(kind.header()).is_some_and(|rest| rest.starts_with(": "));
    if let Some(of) = headed.into_iter().find(is_head) {
        return dump(of, DumpNotation::Text, system_of_management(text));
    }
    let follows = rest.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    // As `qmgr list` prints them, without a colon.
    let listed = |of: &DumpKind| Some((*of, line.strip_prefix(of.header())?.strip_prefix(' ')?));
    let others = [DumpKind::Jobs, DumpKind::Reservations];
    if let Some((of, name)) = DumpKind::ALL.iter().filter(|of| !others.contains(of)).find_map(listed)
        && !line.trim_end().ends_with(':')
        && name.split_whitespace().count() == 1
        && (follows.starts_with("    ") || follows.starts_with('\t'))
        && follows.contains(" = ")
    {
        return dump(of, DumpNotation::Text, system_of_management(text));
    }
    // The delimiter can be chosen with -D.
    if line.starts_with("Name=") && (line.contains('|') || line.contains("Mom=")) {
        return dump(DumpKind::Nodes, DumpNotation::Dsv, DumpDialect::Pbs);
    }
    if line.starts_with("vnode=") && line.contains("state=") {
        return Some(IntakeKind::ShortNodes);
    }
    if crate::qmgr::is_directive(line) {
        return Some(IntakeKind::Script);
    }
    is_node(line, follows).then(|| IntakeKind::Dump {
        of: DumpKind::Nodes,
        form: DumpNotation::Text,
        system: system_of_nodes(text),
    })
}

/// Whether a line is a node's name: one word without indentation, followed by an attribute.
pub(crate) fn is_node(line: &str, follows: &str) -> bool {
    let name = line.trim_end();
    let plain = !name.is_empty() && !name.starts_with([' ', '\t']) && !name.contains(char::is_whitespace);
    plain && is_attribute(follows)
}

/// Whether a line is `name[.resource] = value`, indented.
pub(crate) fn is_attribute(line: &str) -> bool {
    let body = line.trim_start();
    if body.len() == line.len() {
        return false;
    }
    let Some((name, _)) = body.split_once(" =") else { return false };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    !name.is_empty() && name.bytes().all(is_name) && name.starts_with(|c: char| c.is_ascii_alphabetic())
}

fn has(text: &[u8], needle: &str) -> bool {
    memmem::find(text, needle.as_bytes()).is_some()
}

/// Torque's nodes have slots and a single status line; those of PBS have a `Mom` and resources.
fn system_of_nodes(text: &[u8]) -> DumpDialect {
    let torque = ["ntype = cluster", "     np = ", "     properties = ", "     status = "];
    let pbs = ["     Mom = ", "     resources_available.", "ntype = PBS"];
    let is_torque = torque.iter().any(|sign| has(text, sign)) && !pbs.iter().any(|sign| has(text, sign));
    if is_torque { DumpDialect::Torque } else { DumpDialect::Pbs }
}

/// Torque's jobs have ports and a radix, or request nodes and never a select.
fn system_of_jobs(text: &[u8]) -> DumpDialect {
    let pbs = [
        "    schedselect = ",
        "Resource_List.select = ",
        "    exec_vnode = ",
        "    substate = ",
        "    project = ",
    ];
    if pbs.iter().any(|sign| has(text, sign)) {
        return DumpDialect::Pbs;
    }
    let torque = [
        "    exec_port = ",
        "    fault_tolerant = ",
        "    job_radix = ",
        "    init_work_dir = ",
        "    submit_args = ",
        "    submit_host = ",
        "    Walltime.Remaining = ",
        "    start_count = ",
        "    request_version = ",
        "    L_Request = ",
        "Resource_List.neednodes = ",
        "Resource_List.nodes = ",
    ];
    if torque.iter().any(|sign| has(text, sign)) { DumpDialect::Torque } else { DumpDialect::Pbs }
}

/// Torque counts completed jobs, and its server has defaults for slots.
fn system_of_management(text: &[u8]) -> DumpDialect {
    let torque = [
        " Complete:",
        "    np_default = ",
        "    keep_completed = ",
        "    next_job_number = ",
        "    node_check_rate = ",
    ];
    if torque.iter().any(|sign| has(text, sign)) { DumpDialect::Torque } else { DumpDialect::Pbs }
}

/// Recognizes the content of an XML file (row 3).
fn xml(body: &str, text: &[u8]) -> Option<IntakeKind> {
    if body.starts_with("<job_info") || body.starts_with("<?xml") && has(text, "<job_info") {
        return Some(IntakeKind::Foreign("a job list of Grid Engine"));
    }
    if !(body.starts_with("<Data>") || body.starts_with("<?xml") && has(text, "<Data>")) {
        return None;
    }
    let dump = |of| Some(IntakeKind::Dump { of, form: DumpNotation::Xml, system: DumpDialect::Torque });
    let first = ["<Node>", "<Job>", "<node ", "<queue ", "<job "]
        .into_iter()
        .filter_map(|element| memmem::find(text, element.as_bytes()).map(|at| (at, element)))
        .min();
    match first.map(|(_, element)| element) {
        Some("<Node>") => dump(DumpKind::Nodes),
        Some("<Job>") => dump(DumpKind::Jobs),
        Some("<node ") => Some(IntakeKind::Foreign("nodes of Moab in XML")),
        Some(_) => Some(IntakeKind::Foreign("`showq --xml` of Moab")),
        None => Some(IntakeKind::EmptyAnswer),
    }
}

/// Recognizes logs of daemons and accounting logs (rows 11 and 12).
fn log(line: &str) -> Option<IntakeKind> {
    if let Some(at) = signs::daemon_head(line) {
        let mut fields = line.get(at..)?.split(';');
        let daemon = fields.nth(2).and_then(signs::daemon);
        return daemon.map(IntakeKind::Log);
    }
    if signs::is_accounting(line) {
        return Some(IntakeKind::Accounting);
    }
    signs::syslog(line).map(|(daemon, _)| IntakeKind::Log(daemon))
}

/// Recognizes records of LSF (row 13).
fn lsf(line: &str) -> Option<IntakeKind> {
    let kind = line.strip_prefix('"')?.split('"').next()?;
    match kind {
        "JOB_FINISH" | "EVENT_ADRSV_FINISH" | "JOB_RESIZE" => Some(IntakeKind::Lsf("lsb.acct")),
        "JOB_FINISH2" => Some(IntakeKind::Lsf("lsb.stream")),
        _ if kind.starts_with("JOB_") || kind.starts_with("EVENT_") || kind == "MBD_START" => {
            Some(IntakeKind::Lsf("lsb.events"))
        }
        _ => None,
    }
}

/// Recognizes `# number` above records of LSF.
fn lsf_events_head(line: &str, rest: &[&str]) -> Option<IntakeKind> {
    let number = line.strip_prefix('#')?.trim();
    let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if numbered { rest.first().and_then(|next| lsf(next)) } else { None }
}

fn lsf_table(line: &str) -> Option<IntakeKind> {
    let heads: [(&[&str], &'static str); 5] = [
        (&["HOST_NAME", "STATUS", "JL/U", "MAX"], "the table of `bhosts`"),
        (&["RESOURCE", "TOTAL", "RESERVED", "LOCATION"], "the table of `bhosts -s`"),
        (&["HOST_NAME", "status", "r15s"], "the table of `lsload`"),
        (&["HOST_NAME", "type", "model", "cpuf"], "the table of `lshosts`"),
        (&["JOBID", "USER", "STAT", "QUEUE"], "the table of `bjobs`"),
    ];
    // `bjobs -o` separates its fields by a delimiter of the user's choice.
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || c.is_ascii_punctuation() && c != '_' && c != '/')
        .filter(|word| !word.is_empty())
        .collect();
    let found = heads.iter().find(|(head, _)| words.starts_with(head)).map(|(_, what)| *what);
    let chosen = || {
        let own = ["EXEC_HOST", "STAT", "QUEUE", "SLOTS", "SUBMIT_TIME", "USER"];
        (words.first() == Some(&"JOBID") && words.iter().any(|word| own.contains(word)))
            .then_some("the table of `bjobs -o`")
    };
    found.or_else(chosen).map(IntakeKind::Lsf)
}

/// Recognizes a line of 18 numbers (row 14).
fn workload(line: &str) -> Option<IntakeKind> {
    let mut words = line.split_whitespace();
    let numbers = words.by_ref().take(18).take_while(|word| word.parse::<f64>().is_ok()).count();
    (numbers == 18 && words.next().is_none()).then_some(IntakeKind::Swf)
}
