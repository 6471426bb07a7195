//! Synthetic dumps in both forms, in the layout of the PBS clients.

use std::fmt::Write;

const NOW: u64 = 1_763_700_000;
/// Name, value, and whether the value has no quotes in JSON.
type Pair = (&'static str, String, bool);

fn text(name: &'static str, value: impl Into<String>) -> Pair {
    (name, value.into(), false)
}

fn number(name: &'static str, value: u64) -> Pair {
    (name, value.to_string(), true)
}

fn node(at: usize) -> Vec<Pair> {
    let (ncpus, mem, gpus) =
        [(16, "64gb", 0), (32, "128gb", 0), (64, "256gb", 0), (64, "512gb", 4), (128, "1tb", 8)][at % 5];
    let name = format!("n{at:06}");
    vec![
        text("Mom", format!("{name}.cluster.example.org")),
        number("Port", 15002),
        text("pbs_version", "23.06.06"),
        text("ntype", "PBS"),
        text("state", if at.is_multiple_of(5) { "job-exclusive" } else { "free" }),
        number("pcpus", ncpus),
        text("resources_available.arch", "linux"),
        text("resources_available.host", name.clone()),
        text("resources_available.mem", mem),
        number("resources_available.ncpus", ncpus),
        number("resources_available.ngpus", gpus),
        text("resources_available.switch", format!("sw{:05}", at / 50)),
        text("resources_available.vnode", name),
        number("resources_assigned.ncpus", if at.is_multiple_of(5) { ncpus } else { 1 }),
        text("resv_enable", "True"),
        text("sharing", "default_shared"),
        text("license", "l"),
        number("last_state_change_time", NOW - 100),
    ]
}

fn job(at: usize) -> Vec<Pair> {
    let user = format!("user{}", at % 50);
    let select = format!("{}:ncpus={}:mem={}gb", 1 << (at % 6), 4 << (at % 5), 8 + at % 7);
    let date = "Fri Nov 21 03:40:01 2025";
    vec![
        text("Job_Name", format!("job{at}")),
        text("Job_Owner", format!("{user}@login{}.cluster.example.org", at % 4)),
        text("job_state", "Q"),
        text("queue", "workq"),
        text("server", "svr"),
        text("Checkpoint", "u"),
        text("ctime", date),
        text("Error_Path", format!("login.cluster.example.org:/home/{user}/work/run/job{at}.e")),
        text("Hold_Types", "n"),
        text("Join_Path", "n"),
        text("Keep_Files", "n"),
        text("Mail_Points", "a"),
        text("mtime", date),
        text("Output_Path", format!("login.cluster.example.org:/home/{user}/work/run/job{at}.o")),
        number("Priority", 0),
        text("qtime", date),
        text("Rerunable", "True"),
        number("Resource_List.ncpus", 64),
        number("Resource_List.nodect", 4),
        text("Resource_List.place", "scatter:excl"),
        text("Resource_List.select", select.clone()),
        text("Resource_List.walltime", "01:00:00"),
        text("schedselect", select),
        number("substate", 10),
        text("euser", user),
        text("egroup", "users"),
        text("queue_type", "E"),
        text("comment", "Not Running: Not enough free nodes available"),
        text("etime", date),
        number("eligible_time", 0),
        text("project", "_pbs_project_default"),
    ]
}

/// Returns the output of `pbsnodes -av -F json`.
pub(crate) fn nodes_json(count: usize) -> Vec<u8> {
    json("nodes", (0..count).map(|at| (format!("n{at:06}"), node(at))))
}

/// Returns the output of `qstat -f -F json`.
pub(crate) fn jobs_json(count: usize) -> Vec<u8> {
    json("Jobs", (0..count).map(|at| (format!("{at}.svr"), job(at))))
}

/// Returns the output of `pbsnodes -av`.
pub(crate) fn nodes_text(count: usize) -> Vec<u8> {
    let mut out = String::new();
    for at in 0..count {
        writeln!(out, "n{at:06}").unwrap();
        for (name, value, _) in node(at) {
            writeln!(out, "     {name} = {value}").unwrap();
        }
        out.push('\n');
    }
    out.into_bytes()
}

/// Returns the output of `qstat -f`, with long lines folded.
pub(crate) fn jobs_text(count: usize) -> Vec<u8> {
    let mut out = String::new();
    for at in 0..count {
        writeln!(out, "Job Id: {at}.svr").unwrap();
        for (name, value, _) in job(at) {
            let room = 78 - 7 - name.len();
            let (first, rest) = value.split_at_checked(room).unwrap_or((&value, ""));
            write!(out, "    {name} = {first}").unwrap();
            if !rest.is_empty() {
                write!(out, "\n\t{rest}").unwrap();
            }
            out.push('\n');
        }
        out.push('\n');
    }
    out.into_bytes()
}

fn json(section: &str, records: impl Iterator<Item = (String, Vec<Pair>)>) -> Vec<u8> {
    let mut out = format!(
        "{{\n    \"timestamp\":{NOW},\n    \"pbs_version\":\"23.06.06\",\n    \"pbs_server\":\"svr\",\n    \"{section}\":{{\n"
    );
    for (at, (name, pairs)) in records.enumerate() {
        write!(out, "{}        \"{name}\":{{", if at == 0 { "" } else { ",\n" }).unwrap();
        let mut open = "";
        for (nth, (name, value, bare)) in pairs.iter().enumerate() {
            let (outer, inner) = name.split_once('.').unwrap_or((name, ""));
            if open != outer && !open.is_empty() {
                out.push_str("\n            }");
                open = "";
            }
            out.push_str(if nth == 0 { "\n" } else { ",\n" });
            if inner.is_empty() {
                write!(out, "            \"{outer}\":").unwrap();
            } else if open == outer {
                write!(out, "                \"{inner}\":").unwrap();
            } else {
                write!(out, "            \"{outer}\":{{\n                \"{inner}\":").unwrap();
                open = outer;
            }
            let quote = if *bare { "" } else { "\"" };
            write!(out, "{quote}{value}{quote}").unwrap();
        }
        out.push_str(if open.is_empty() { "\n        }" } else { "\n            }\n        }" });
    }
    out.push_str("\n    }\n}\n");
    // The first resource of an object follows its brace, not a comma.
    out.replace("{,\n", "{\n").into_bytes()
}
