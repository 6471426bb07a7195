use super::objects::value_of;
use super::*;
use proptest::prelude::*;

const SCRIPT: &str = "\
#
# Create and define queue long
#
create queue long
set queue long queue_type = Execution
set queue long max_run = [u:PBS_GENERIC=4]
set queue long max_run += [u:ann=8]
set queue long max_run_res.ncpus = [o:PBS_ALL=512]
set queue long default_chunk.Qlist = long
set queue long enabled = True
set server job_sort_formula = \"eligible_time + 10*job_priority\"
s q long started=true,resources_max.walltime=72:0:0
create queue R12
set queue R12 queue_type = Execution
create hook h
set hook h enabled = true
import hook h application/x-python base64 -
c2V0IHNlcnZlciBmbGF0dWlkPXRydWUK
c2V0IA==

create resource ngpus
set resource ngpus type = long
set resource ngpus flag = hn
create node n1 Mom=n1.example
set node n1 resources_available.ncpus = 8
create node n2
set node n2 state = offline
frob
";

type Read = Vec<(String, usize, Vec<(String, String)>)>;

fn records(kind: DumpKind, text: &str) -> (Read, Vec<String>) {
    let mut log = DiagnosticLog::default();
    let mut all = Vec::new();
    read(RawDump::new(kind, text.as_bytes()), &mut log, &mut |record, _| {
        let FilePosition::Line(line) = record.position else { panic!("no line") };
        all.push((record.name.to_string(), line, record.pairs()));
        ControlFlow::Continue(())
    });
    (all, log.finish().0.iter().map(ToString::to_string).collect())
}

fn value<'r>(set: &'r [(String, String)], name: &str) -> &'r str {
    set.iter().find(|(have, _)| have == name).map_or("", |(_, value)| value)
}

#[test]
fn the_example_of_a_script_reads_as_it_was_meant() {
    let (queues, reported) = records(DumpKind::Queues, SCRIPT);
    let [(name, line, set)] = queues.as_slice() else { panic!("{queues:?}") };
    assert_eq!((&**name, *line), ("long", 4));
    assert_eq!(value(set, "queue_type"), "Execution");
    assert_eq!((value(set, "enabled"), value(set, "started")), ("True", "true"));
    assert_eq!(value(set, "max_run"), "[u:PBS_GENERIC=4],[u:ann=8]");
    assert_eq!(value(set, "max_run_res.ncpus"), "[o:PBS_ALL=512]");
    assert_eq!(value(set, "resources_max.walltime"), "72:0:0");
    assert_eq!(value(set, "default_chunk.Qlist"), "long");
    assert!(
        reported.iter().any(|reported| reported.ends_with("left out 1 queues of reservations")),
        "{reported:?}"
    );
    assert!(reported.iter().any(|reported| reported.ends_with("1 hooks, not read")), "{reported:?}");
    let wrong = "skipped: found `frob`; expected create, set, unset or delete";
    assert!(
        reported.iter().any(|reported| reported.contains(":28") && reported.ends_with(wrong)),
        "{reported:?}"
    );
}

#[test]
fn one_script_is_several_dumps() {
    let (servers, _) = records(DumpKind::Server, SCRIPT);
    assert_eq!(servers[0].2, [("job_sort_formula".to_owned(), "eligible_time + 10*job_priority".to_owned())]);
    let (resources, _) = records(DumpKind::Resources, SCRIPT);
    assert_eq!(value(&resources[0].2, "flag"), "hn");
    let (nodes, _) = records(DumpKind::Nodes, SCRIPT);
    assert_eq!(nodes.len(), 2);
    assert_eq!((value(&nodes[0].2, "Mom"), value(&nodes[0].2, "state")), ("n1.example", "free"));
    assert_eq!((value(&nodes[1].2, "Mom"), value(&nodes[1].2, "state")), ("n2", "offline"));
    assert!(records(DumpKind::Schedulers, SCRIPT).0.is_empty());
    assert!(
        shows_of(DumpKind::Nodes, SCRIPT.as_bytes()) && !shows_of(DumpKind::Schedulers, SCRIPT.as_bytes())
    );
}

#[test]
fn schedulers_with_and_without_a_name() {
    let script =
        "create sched default\nset sched scheduling = True\ncreate sched big\nset sched big partition = p1\n";
    let (all, _) = records(DumpKind::Schedulers, script);
    assert_eq!((&*all[0].0, value(&all[0].2, "scheduling")), ("default", "True"));
    assert_eq!((&*all[1].0, value(&all[1].2, "partition")), ("big", "p1"));
}

#[test]
fn values_are_added_removed_unset_and_deleted() {
    let script = "create queue q\nset queue q acl_users = ann\nset queue q acl_users += bob\nset queue q acl_users += eve\nset queue q acl_users -= bob\nset queue q Priority = 3\nunset queue q Priority\nset queue q max_run=[o:PBS_ALL=2]\ncreate queue gone\ndelete queue gone\n";
    let objects = QmgrObjects::of(script.as_bytes(), ReadLimits::default(), &mut DiagnosticLog::default());
    let all: Vec<&QmgrObject> = objects.of_kind(DumpKind::Queues).collect();
    assert_eq!(all.len(), 1);
    assert_eq!(value_of(all[0], "acl_users").as_deref(), Some("ann,eve"));
    assert_eq!(value_of(all[0], "Priority"), None);
}

#[test]
fn a_queue_that_a_script_does_not_start_is_stopped() {
    let (queues, _) = records(DumpKind::Queues, "create queue q\nset queue q queue_type = Execution\n");
    assert_eq!((value(&queues[0].2, "enabled"), value(&queues[0].2, "started")), ("False", "False"));
}

#[test]
fn a_quote_that_never_closes_is_named_and_costs_no_other_line() {
    let script = "create queue q\nset queue q comment = \"for tests\nset queue q Priority = 3\n\
                  set server comment = 'it\nset server job_sort_formula = \"2*ncpus\"\nset queue q acl_users = ann's\n";
    let (queues, reported) = records(DumpKind::Queues, script);
    assert_eq!(value(&queues[0].2, "comment"), "for tests");
    assert_eq!((value(&queues[0].2, "Priority"), value(&queues[0].2, "acl_users")), ("3", "ann's"));
    let quotes: Vec<&String> = reported.iter().filter(|reported| reported.contains("quote")).collect();
    let [first, second] = quotes.as_slice() else { panic!("{reported:?}") };
    let expected = ":2: comment: the quote is never closed; took the text up to the end of the line";
    assert!(first.ends_with(expected) && second.contains(":4: comment: "), "{reported:?}");
    let (servers, _) = records(DumpKind::Server, script);
    assert_eq!(
        (value(&servers[0].2, "comment"), value(&servers[0].2, "job_sort_formula")),
        ("it", "2*ncpus")
    );
}

#[test]
fn a_script_without_its_last_line_end_is_doubted() {
    let is_doubted =
        |text: &str| records(DumpKind::Queues, text).1.iter().any(|found| found.contains("cut off"));
    assert!(is_doubted("create queue q\nset queue q max_run = [u:PBS_GENERIC=1"));
    assert!(!is_doubted("create queue q\n") && !is_doubted(""));
}

#[test]
fn torque_is_known_by_its_settings() {
    assert!(is_torque(b"create queue batch\nset server keep_completed = 300\n"));
    assert!(!is_torque(SCRIPT.as_bytes()));
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut log = DiagnosticLog::default();
        for kind in [DumpKind::Queues, DumpKind::Nodes, DumpKind::Server] {
            read(RawDump::new(kind, &bytes), &mut log, &mut |_, _| ControlFlow::Continue(()));
        }
    }

    #[test]
    fn a_damaged_line_costs_no_neighbour(junk in "[ -~]{0,60}") {
        // By the grammar, a line with a continuation, or one that starts base64, also affects the next line.
        prop_assume!(!junk.ends_with('\\') && !junk.contains("i") && !junk.contains("queue") && !junk.contains("q"));
        let text = format!("create queue a\nset queue a Priority = 1\n{junk}\ncreate queue b\nset queue b Priority = 2\n");
        let (queues, _) = records(DumpKind::Queues, &text);
        let priority_of = |name: &str| queues.iter().find(|(have, _, _)| have == name).map(|(_, _, set)| value(set, "Priority").to_owned());
        prop_assert_eq!(priority_of("a"), Some("1".to_owned()));
        prop_assert_eq!(priority_of("b"), Some("2".to_owned()));
    }
}
