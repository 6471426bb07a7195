//! Long and hostile inputs of each form take time proportional to their length.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot read its own files fails"
)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use qscope::source::{LoadOptions, ReadLimits, gather, load};

/// Half a million bytes of repeated input, between a head and a tail, must not take longer than this, even without
/// optimisation; quadratic algorithms would take hours.
const LONGEST: Duration = Duration::from_secs(30);

fn time(what: &str, head: &str, piece: &str, tail: &str) {
    let text = format!("{head}{}{tail}", piece.repeat(500_000 / piece.len().max(1)));
    let started = Instant::now();
    let files = gather(&[PathBuf::from("-")], &mut text.as_bytes(), ReadLimits::default()).unwrap();
    // Whether it is a cluster does not matter here.
    let _loaded = load(&files, &LoadOptions::default());
    let took = started.elapsed();
    assert!(took < LONGEST, "{what}: {took:?}");
}

#[test]
fn every_form_is_read_in_linear_time() {
    let job = "Job Id: 1.s\n    job_state = Q\n";
    time("xml open nodes", "<Data>", "<Node>", "</Data>");
    time("xml open elements", "<Data><Node><name>n</name>", "<a>", "</Node></Data>");
    time("xml values", "<Data><Node><name>n</name>", "<a>&\u{e}</a>", "</Node></Data>");
    time("dsv delimiters", "Name=n1|Mom=n1|state=free", "|", "\n");
    time("dsv escapes", "Job Id: 1.s|Job_Name=", "\\|", "\n");
    time("qmgr additions", "create queue q\n", "set queue q acl_users += ann\n", "");
    time("qmgr semicolons", "create queue q\nset queue q x = ", ";", "\n");
    time("qmgr continued lines", "create queue q\nset queue q x = ", "a\\\n", "\n");
    time("qmgr commas", "create queue q\nset queue q x = ", ",a", "\n");
    time("qmgr quotes", "create queue q\nset queue q x = ", "\"'", "\n");
    time("banners", "", "Welcome\n", job);
    time("prompts", job, "$ qstat -f\n", job);
    time("torque slots", "n1\n     np = 8\n     ntype = cluster\n     jobs = ", "0/1.s,1/2.s,", "3/4.s\n");
    time("torque request", &format!("{job}    job_radix = 0\n    Resource_List.nodes = "), "1:a+", "1#b:c\n");
    time("torque properties", &format!("{job}    job_radix = 0\n    Resource_List.nodes = 1#"), "a:", "b\n");
    time("torque extensions", &format!("{job}    job_radix = 0\n    x = "), "FEATURE:a;", "PREF:b\n");
    time("torque status", "n1\n     np = 8\n     ntype = cluster\n     status = ", "message=a,b,", "x\n");
    time("node table", "vnode           state           njobs   run   susp\n--- --- ---\n", "n1  free\n", "");
    time("definitions", "ngpus type=long flag=h\n", "a type=long flag=h\n", "");
    time("escape sequences", "", "\u{1b}[31m", job);
    time("gzip-like", "\u{1f}", "\u{8b}", "");
}
