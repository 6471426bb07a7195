//! Reads records from every text layout, complete, folded and damaged.

use super::*;
use crate::bounds::ReadLimits;

fn records(kind: DumpKind, text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut log = DiagnosticLog::default();
    let mut all = Vec::new();
    read(RawDump::new(kind, text.as_bytes()), &mut log, &mut |record, _| {
        all.push((record.name.to_string(), record.pairs()));
        ControlFlow::Continue(())
    });
    all
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn folds_join_anywhere() {
    let got = records(
        DumpKind::Jobs,
        "Job Id: 1.svr\n    queue = wo\n\trkq\n    comment = a,\n\tb,\n\t\n    depend = x\n\t y\n\nJob Id: 2.svr\n    queue = q\n",
    );
    assert_eq!(got.len(), 2);
    assert_eq!(got[0].1, [pair("queue", "workq"), pair("comment", "a,b,"), pair("depend", "x y")]);
}

#[test]
fn nodes_are_bare_names_with_a_deeper_indent() {
    let got = records(
        DumpKind::Nodes,
        "n1\n     Mom = n1\n     comment = one\ntwo\n     resources_available.ncpus = 8\n\nn2\n     Mom = n2\n",
    );
    assert_eq!(got.len(), 2);
    assert_eq!(got[0].1[1], pair("comment", "one\ntwo"));
    assert_eq!(got[0].1[2], pair("resources_available.ncpus", "8"));
}

#[test]
fn nodes_need_no_empty_lines_between_them() {
    let text =
        "n1\n     Mom = n1\n     ntype = PBS\nn2\n     Mom = n2\n     comment = a\nb\nn3\n     Mom = n3\n";
    let names: Vec<String> = records(DumpKind::Nodes, text).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["n1", "n2", "n3"]);
}

#[test]
fn reservations_have_no_indent_and_qmgr_no_colon() {
    let got = records(DumpKind::Reservations, "Resv ID: R1.svr\nqueue = R1\nResource_List.ncpus = 4\n\n");
    assert_eq!(got[0].1[1], pair("Resource_List.ncpus", "4"));
    let got = records(DumpKind::Resources, "#\n# Create\n#\nResource color\n    type = string\n\n");
    assert_eq!(got, [("color".to_owned(), vec![pair("type", "string")])]);
}

#[test]
fn a_variable_cannot_fake_an_attribute() {
    let text = "Job Id: 1.svr\n    Priority = 0\n    Variable_List = A=b\n    Priority = 100\n    euser = eve\",B=1\n    euser = ann\n";
    let got = records(DumpKind::Jobs, text);
    assert_eq!(got[0].1, [pair("Priority", "0"), pair("euser", "ann")]);
}

#[test]
fn copied_folds_are_blanks() {
    let copied = "Job Id: 1.svr\n    comment = Not Running: Ins\n        ufficient\n    depend = a,\n    b\n    queue = q\n";
    let got = records(DumpKind::Jobs, copied);
    assert_eq!(got[0].1[0], pair("comment", "Not Running: Insufficient"));
    assert_eq!(got[0].1[1], pair("depend", "a,b"));
    assert_eq!(got[0].1[2], pair("queue", "q"));
}

#[test]
fn line_ends_and_marks_of_other_systems() {
    let got = records(DumpKind::Jobs, "\u{feff}Job Id: 1.svr\r\n    queue = wo\r\n\trkq\r\n\r\n");
    assert_eq!(got, [("1.svr".to_owned(), vec![pair("queue", "workq")])]);
}

#[test]
fn a_fold_may_split_a_character() {
    let mut log = DiagnosticLog::default();
    let mut value = String::new();
    let bytes = b"Job Id: 1.svr\n    comment = caf\xc3\n\t\xa9\n";
    read(RawDump::new(DumpKind::Jobs, bytes), &mut log, &mut |record, _| {
        value = record.value("comment").unwrap_or_default().to_owned();
        ControlFlow::Continue(())
    });
    assert_eq!(value, "caf\u{e9}");
}

#[test]
fn a_record_beyond_the_limit_is_left_out_by_its_name() {
    let long = format!(
        "Job Id: 2.s\n    Job_Name = x\n    comment = {}\n\ty\n    Priority = 1\n\n",
        "z".repeat(200)
    );
    let text = format!("Job Id: 1.s\n    Job_Name = a\n\n{long}Job Id: 3.s\n    Job_Name = b\n\n");
    for (record, kept) in [(long.len(), 3), (long.len() - 1, 2), (100, 2)] {
        let mut log = DiagnosticLog::default();
        let mut all = Vec::new();
        let bounds = ReadLimits { record, ..ReadLimits::default() };
        read(
            RawDump { bounds, ..RawDump::new(DumpKind::Jobs, text.as_bytes()) },
            &mut log,
            &mut |record, _| {
                all.push(record.name.to_string());
                ControlFlow::Continue(())
            },
        );
        let reported = log.finish().0;
        assert_eq!((all.len(), reported.len()), (kept, 3 - kept), "{record}: {all:?}");
        assert!(
            reported.iter().all(|d| d.code == "limit-record-size" && d.message.contains("`record-size`"))
        );
    }
}

#[test]
fn a_single_reservation_cut_at_the_end_of_a_line_is_doubted() {
    let whole = "Resv ID: R1.svr\nReserve_Name = a\nqueue = R1\nschedselect = 1:ncpus=1\nctime = 1\nmtime = 2\neuser = ann\n";
    let reported = |text: &str| {
        let mut log = DiagnosticLog::default();
        let mut count = 0;
        read(RawDump::new(DumpKind::Reservations, text.as_bytes()), &mut log, &mut |_, _| {
            count += 1;
            ControlFlow::Continue(())
        });
        (count, log.finish().0.iter().map(|found| found.code).collect::<Vec<_>>())
    };
    assert_eq!(reported(whole), (1, vec![]));
    assert_eq!(reported(&format!("{whole}\n")), (1, vec![]));
    let before =
        |end: &str| whole.split_inclusive('\n').take_while(|line| !line.starts_with(end)).collect::<String>();
    assert_eq!(reported(&before("euser")), (1, vec![]));
    for cut in [before("mtime"), before("queue")] {
        assert_eq!(reported(&cut), (1, vec!["text-cut"]), "{cut}");
    }
    assert_eq!(reported("Resv ID: R1.svr\nqueue = R1\n\n"), (1, vec![]), "an empty line ends a record");
}

#[test]
fn a_dump_of_two_records_cut_at_the_end_of_a_line_is_doubted() {
    let reported = |kind, text: &str| {
        let mut log = DiagnosticLog::default();
        read(RawDump::new(kind, text.as_bytes()), &mut log, &mut |_, _| ControlFlow::Continue(()));
        log.finish().0.iter().map(|found| found.code).collect::<Vec<_>>()
    };
    for (kind, head, attributes) in [
        (DumpKind::Jobs, "Job Id: ", ["Job_Name = a", "queue = q", "Resource_List.ncpus = 1", "project = p"]),
        (
            DumpKind::Queues,
            "Queue: ",
            ["queue_type = E", "enabled = True", "started = True", "hasnodes = True"],
        ),
    ] {
        let record = |name: &str, lines: usize| {
            let lines: String = attributes.iter().take(lines).map(|one| format!("    {one}\n")).collect();
            format!("{head}{name}\n{lines}")
        };
        let two = |lines| format!("{}\n{}", record("1.s", 4), record("2.s", lines));
        assert_eq!(reported(kind, &two(4)), Vec::<&str>::new());
        for lines in 1..4 {
            assert_eq!(reported(kind, &two(lines)), ["text-cut"], "{}", two(lines));
        }
    }
}

/// Three records of each layout.
const VICTIMS: [(DumpKind, &str); 3] = [
    (
        DumpKind::Jobs,
        "Job Id: 1.s\n    Job_Name = a\n    comment = b,\n\tc\n\nJob Id: 2.s\n    Job_Name = d\n\nJob Id: 3.s\n    Job_Name = e\n\n",
    ),
    (DumpKind::Nodes, "n1\n     Mom = a\n     state = free\n\nn2\n     Mom = b\n\nn3\n     Mom = c\n\n"),
    (
        DumpKind::Reservations,
        "Resv ID: R1\nReserve_Name = a\n\nResv ID: R2\nReserve_Name = b\n\nResv ID: R3\nReserve_Name = c\n\n",
    ),
];

#[test]
fn every_prefix_keeps_the_whole_records() {
    for (kind, text) in VICTIMS {
        let all = records(kind, text);
        for end in 0..text.len() {
            let whole = text[..end].matches("\n\n").count();
            let got = records(kind, &text[..end]);
            assert_eq!(got.get(..whole), all.get(..whole), "{end} of {text}");
        }
    }
}

#[test]
fn every_changed_byte_keeps_the_records_before_it() {
    for (kind, text) in VICTIMS {
        let all = records(kind, text);
        for at in 0..text.len() {
            for byte in ["\n", "\t", " ", "=", "x", "\0", ":", "."] {
                let changed = format!("{}{byte}{}", &text[..at], &text[at + 1..]);
                let before = text[..at].matches("\n\n").count();
                let got = records(kind, &changed);
                assert!(got.len() >= before, "{at} {byte:?}");
                for (got, all) in got.iter().zip(&all).take(before) {
                    assert_eq!(got.0, all.0);
                    assert_eq!(got.1.len(), all.1.len(), "{at} {byte:?}");
                    // The rest of a broken header can look like part of the previous value.
                    let same =
                        |(a, b): (&(String, String), &(String, String))| a.0 == b.0 && a.1.starts_with(&b.1);
                    assert!(got.1.iter().zip(&all.1).all(same), "{at} {byte:?}: {got:?}");
                }
            }
        }
    }
}

#[test]
fn a_text_cut_between_two_attributes_ends_within_a_record() {
    let node = |name: &str| {
        format!(
            "{name}\n     Mom = {name}\n     resources_available.ncpus = 8\n     sharing = default_shared\n\n"
        )
    };
    let is_cut = |text: &str| {
        let mut log = DiagnosticLog::default();
        read(RawDump::new(DumpKind::Nodes, text.as_bytes()), &mut log, &mut |_, _| ControlFlow::Continue(()));
        log.finish().0.iter().any(|found| found.code == "text-cut")
    };
    let (first, second) = (node("n1"), node("n2"));
    assert!(is_cut(&format!("{first}n2\n     Mom = n2\n     resources_available.ncpus = 8\n")));
    // Copied from a terminal, or without the attribute in every record.
    assert!(!is_cut(&format!("{first}{}\n", second.trim_end())));
    assert!(!is_cut("n1\n     Mom = n1\n\nn2\n     Mom = n2\n"));
}

/// Names of the records of `kind` in `text`, and the reports about its end.
fn at_end(kind: DumpKind, text: &str) -> (Vec<String>, Vec<String>) {
    let (mut log, mut names) = (DiagnosticLog::default(), Vec::new());
    read(RawDump::new(kind, text.as_bytes()), &mut log, &mut |record, _| {
        names.push(record.name.to_string());
        ControlFlow::Continue(())
    });
    let ends = log.finish().0.into_iter().filter(|found| found.code == "text-cut");
    (names, ends.map(|found| found.message).collect())
}

#[test]
fn a_record_within_which_the_file_ends_is_left_out() {
    let left_out = ["left out this record: the file ends within it"];
    let queue =
        |name: &str| format!("Queue: {name}\n    Priority = 10\n    total_jobs = 0\n    started = True\n\n");
    let node = |name: &str| {
        format!(
            "{name}\n     Mom = {name}\n     resources_available.ncpus = 16\n     queue = q\n     sharing = excl\n     license = l\n\n"
        )
    };
    let job = |id: &str| {
        format!(
            "Job Id: {id}\n    job_state = R\n    Resource_List.mem = 16gb\n    Resource_List.ncpus = 16\n    Resource_List.place = pack\n    project = p\n\n"
        )
    };
    for (kind, first, second, ends) in [
        (DumpKind::Queues, queue("a"), queue("b"), ["    total_j", "    total_jobs = 0", "Queue: b"]),
        (DumpKind::Nodes, node("a"), node("b"), ["     que", "ncpus = 1", "ncpus = 16\n     "]),
        (DumpKind::Jobs, job("a"), job("b"), ["    Resource_List.nc", "ncpus = 1", "ncpus = 16\n    "]),
    ] {
        for end in ends {
            let cut = second.find(end).unwrap() + end.len();
            let (names, reported) = at_end(kind, &format!("{first}{}", &second[..cut]));
            assert_eq!(
                (names, reported),
                (vec!["a".to_owned()], left_out.map(str::to_owned).to_vec()),
                "{end:?}"
            );
        }
        // The shell's `$(…)` and editors remove the last line ends of whole dumps.
        for whole in [format!("{first}{second}"), format!("{first}{}\n", second.trim_end())] {
            assert_eq!(at_end(kind, &whole), (vec!["a".to_owned(), "b".to_owned()], Vec::new()), "{whole}");
        }
        let (names, reported) = at_end(kind, &format!("{first}{}", second.trim_end()));
        assert_eq!((names.len(), reported.len()), (2, 1));
        assert!(reported[0].contains("may be cut off"), "{reported:?}");
    }
    // Cut at a line's end, as by `head`: the record is kept, and doubtful.
    let second = job("b");
    let cut = second.find("    Resource_List.place").unwrap();
    let whole: String = ["x", "y", "z"].map(job).concat();
    let (names, reported) = at_end(DumpKind::Jobs, &format!("{whole}{}", &second[..cut]));
    assert_eq!(names, ["x", "y", "z", "b"]);
    assert_eq!(reported, ["the file ends where every other record goes on; this record may be cut off"]);
    let within_header = format!("{}Job Id", job("a"));
    assert_eq!(at_end(DumpKind::Jobs, &within_header).0, ["a"]);
    // Without another record to compare with, only a part of a line shows it.
    assert_eq!(at_end(DumpKind::Server, "Server: s\n    default_queue = workq\n    sched").0.len(), 0);
    assert_eq!(at_end(DumpKind::Server, "Server: s\n    default_queue = workq").0.len(), 1);
}
