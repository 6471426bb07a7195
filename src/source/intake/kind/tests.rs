use super::*;

fn dump(of: DumpKind, form: DumpNotation, system: DumpDialect) -> IntakeKind {
    IntakeKind::Dump { of, form, system }
}

#[test]
fn dumps_by_their_first_lines() {
    use DumpKind::{Jobs, Nodes, Queues, Reservations, Resources, Schedulers, Server};
    let pbs = |of, form| dump(of, form, DumpDialect::Pbs);
    let torque = |of, form| dump(of, form, DumpDialect::Torque);
    let rows: &[(&str, IntakeKind)] = &[
        ("{\"timestamp\":1,\"nodes\":{\"n1\":{\"state\":\"free\"}}}", pbs(Nodes, DumpNotation::Json)),
        ("{\n\"timestamp\":1,\n\"Jobs\":{", pbs(Jobs, DumpNotation::Json)),
        ("{\"Queue\":{}}", pbs(Queues, DumpNotation::Json)),
        ("{\"Server\":{}}", pbs(Server, DumpNotation::Json)),
        ("{\"timestamp\":1,\"pbs_version\":\"23.06\",\"pbs_server\":\"s\"}", IntakeKind::EmptyAnswer),
        ("{\"nodes\":{\"n1\":{\"State\":\"free\",\"ncpus f/t\":\"4/4\"}}}", IntakeKind::ShortNodes),
        ("{\"COMMAND\":\"bjobs\",\"JOBS\":1,\"RECORDS\":[]}", IntakeKind::Lsf("the JSON output")),
        ("<Data><Node><name>n1</name></Node></Data>", torque(Nodes, DumpNotation::Xml)),
        (
            "<?xml version=\"1.0\"?>\n<Data><Job><Job_Id>1.s</Job_Id></Job></Data>",
            torque(Jobs, DumpNotation::Xml),
        ),
        ("<Data><node NODEID=\"n1\"></node></Data>", IntakeKind::Foreign("nodes of Moab in XML")),
        ("<?xml version='1.0'?>\n<job_info>", IntakeKind::Foreign("a job list of Grid Engine")),
        ("Job Id: 1.s\n    Job_Name = a\n    Resource_List.select = 1\n", pbs(Jobs, DumpNotation::Text)),
        (
            "Job Id: 1.s\n    Job_Name = a\n    Resource_List.nodes = 1:ppn=2\n",
            torque(Jobs, DumpNotation::Text),
        ),
        ("Job Id: 1.s|Job_Name=a|Job_Owner=b\n", pbs(Jobs, DumpNotation::Dsv)),
        ("Queue: workq\n    queue_type = Execution\n", pbs(Queues, DumpNotation::Text)),
        (
            "Queue: batch\n    state_count = Transit:0 Queued:1 Complete:0\n",
            torque(Queues, DumpNotation::Text),
        ),
        ("Server: s\n    server_state = Active\n", pbs(Server, DumpNotation::Text)),
        ("Resv ID: R1.s\nReserve_Name = a\n", pbs(Reservations, DumpNotation::Text)),
        ("Sched default\n    sched_host = h\n", pbs(Schedulers, DumpNotation::Text)),
        ("Resource foo\n    type = long\n", pbs(Resources, DumpNotation::Text)),
        ("Queue batch\n\tqueue_type = Execution\n", pbs(Queues, DumpNotation::Text)),
        ("Name=n1|Mom=n1|state=free\n", pbs(Nodes, DumpNotation::Dsv)),
        ("Name=n1;Mom=n1;state=free\n", pbs(Nodes, DumpNotation::Dsv)),
        ("Job Id: 1.s;Job_Name=a;Job_Owner=b\n", pbs(Jobs, DumpNotation::Dsv)),
        ("vnode=n1|state=free|OS=--\n", IntakeKind::ShortNodes),
        ("vnode=n1;state=free;OS=--\n", IntakeKind::ShortNodes),
        ("#\n# Create queues\n#\ncreate queue a\nset queue a queue_type = Execution\n", IntakeKind::Script),
        ("Qmgr: set server scheduling = True\n", IntakeKind::Script),
        ("n1\n     Mom = n1\n     state = free\n", pbs(Nodes, DumpNotation::Text)),
        ("n1\n     state = free\n     np = 4\n     ntype = cluster\n", torque(Nodes, DumpNotation::Text)),
    ];
    check(rows);
}

fn check(rows: &[(&str, IntakeKind)]) {
    for (text, kind) in rows {
        assert_eq!(kind_of(text.as_bytes(), ""), *kind, "{text}");
    }
}

#[test]
fn logs_tables_and_files_of_their_own_by_their_first_lines() {
    let rows: &[(&str, IntakeKind)] = &[
        (
            "03/02/2026 10:05:12;0080;pbs_sched;Req;;Starting Scheduling Cycle\n",
            IntakeKind::Log(Daemon::Scheduler),
        ),
        ("03/02/2026 10:05:12.000001;0100;Server@head;Req;;x\n", IntakeKind::Log(Daemon::Server)),
        ("03/02/2026 10:05:12;0008;pbs_mom;Job;1.s;x\n", IntakeKind::Log(Daemon::Mom)),
        ("03/02/2026 10:05:12;0d80;Comm@head;TPP;x;y\n", IntakeKind::Log(Daemon::Comm)),
        (
            "Mar  2 10:05:12 head pbs_sched[311]: Job;12.srv;Considering job to run\n",
            IntakeKind::Log(Daemon::Scheduler),
        ),
        ("03/02/2026 10:05:12;S;12.srv;user=a\n", IntakeKind::Accounting),
        ("\"JOB_FINISH\" \"9.12\" 1772445912 1\n", IntakeKind::Lsf("lsb.acct")),
        ("# 17\n\"JOB_NEW\" \"10.1\" 1772445912 1\n", IntakeKind::Lsf("lsb.events")),
        ("; Version: 2.2\n; MaxProcs: 4\n1 0 5 10 1 -1 -1 1 10 -1 1 1 1 -1 -1 -1 -1 -1\n", IntakeKind::Swf),
        (
            "vnode           state           njobs   run   susp      f/t\n",
            IntakeKind::Table(ClientTable::NodesJobs),
        ),
        (
            "\nJob id            Name             User              Time Use S Queue\n",
            IntakeKind::Table(ClientTable::Jobs),
        ),
        ("HOST_NAME          STATUS          JL/U    MAX  NJOBS\n", IntakeKind::Lsf("the table of `bhosts`")),
        ("diagnosing node table (5120 slots)\n", IntakeKind::Foreign("`diagnose -n` of Maui")),
        ("round_robin: False all\nby_queue: True ALL\n", IntakeKind::Native(NativeFileKind::SchedConfig)),
        ("YEAR 2026\nweekday 0600 1730\n", IntakeKind::Native(NativeFileKind::Holidays)),
        ("1 Jan 1 New Year's Day\n121 May 1 Labour Day\n", IntakeKind::Native(NativeFileKind::Holidays)),
        ("03/02/2026 10:00 03/02/2026 12:00\n", IntakeKind::Native(NativeFileKind::DedicatedTime)),
        ("grp1 10 root 40\nann 11 grp1 20\n", IntakeKind::Native(NativeFileKind::ResourceGroup)),
        (
            "ngpus type=long flag=hn\nscratch flag=q type=size\n",
            IntakeKind::Native(NativeFileKind::ResourceDef),
        ),
        ("Begin Resource\nRESOURCENAME TYPE\n", IntakeKind::Native(NativeFileKind::LsfShared)),
        ("NODEALLOCATIONPOLICY PRIORITY\n", IntakeKind::Native(NativeFileKind::MauiCfg)),
        ("n1 np=4 fast\nn2 np=8 gpus=2\n", IntakeKind::Native(NativeFileKind::TorqueNodes)),
        ("qstat: Unknown Job Id 12.srv\n", IntakeKind::Failed),
        ("\n \n", IntakeKind::Empty),
        ("Dear all,\nthe cluster is fine.\n", IntakeKind::Unknown),
        ("32 nodes, a queue that is bound to four of them, and one node offline\n", IntakeKind::Unknown),
    ];
    check(rows);
}

#[test]
fn containers_by_their_first_bytes() {
    let mut old = vec![0; 1024];
    old[..4].copy_from_slice(b"a.tx");
    let sum: u32 = old[..512].iter().map(|byte| u32::from(*byte)).sum::<u32>() + 8 * 32;
    old[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    assert_eq!(kind_of(&old, "x"), IntakeKind::Container(ContainerFormat::Tar));
    old[0] = b'b';
    assert_ne!(kind_of(&old, "x"), IntakeKind::Container(ContainerFormat::Tar));
    for (bytes, container) in [
        (&b"\x1f\x8b\x08"[..], ContainerFormat::Gzip),
        (b"BZh91AY", ContainerFormat::Bzip2),
        (b"\xfd7zXZ\0", ContainerFormat::Xz),
        (b"\x28\xb5\x2f\xfd", ContainerFormat::Zstd),
        (b"PK\x03\x04", ContainerFormat::Zip),
    ] {
        assert_eq!(kind_of(bytes, "snapshot.tar"), IntakeKind::Container(container));
    }
    assert_eq!(kind_of(b"PBS_MAG!\0abc", ""), IntakeKind::Native(NativeFileKind::Usage));
}

#[test]
fn what_stands_above_does_not_matter() {
    let above =
        "Password for ann@EXAMPLE.ORG: \nWelcome to head\n\x1b[32m[ann@head ~]$\x1b[0m pbsnodes -av\n";
    let nodes = "n1\r\n     Mom = n1\r\n     state = free\r\n";
    let json = "{\"timestamp\":1,\"Jobs\":{}}";
    let kind = |text: String| kind_of(text.as_bytes(), "x.txt");
    assert_eq!(kind(format!("{above}{nodes}")), dump(DumpKind::Nodes, DumpNotation::Text, DumpDialect::Pbs));
    assert_eq!(kind(format!("{above}{json}")), dump(DumpKind::Jobs, DumpNotation::Json, DumpDialect::Pbs));
    let wide: Vec<u8> = nodes.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = [&b"\xff\xfe"[..], &wide].concat();
    assert_eq!(kind_of(&wide, ""), dump(DumpKind::Nodes, DumpNotation::Text, DumpDialect::Pbs));
}

#[test]
fn a_dump_in_a_document_is_indented_as_a_whole() {
    let rows: &[(&str, IntakeKind)] = &[
        (
            "    Job Id: 1.s\n        Job_Name = a\n        substate = 10\n",
            dump(DumpKind::Jobs, DumpNotation::Text, DumpDialect::Pbs),
        ),
        ("Nodes:\n\n\tn1\n\t     Mom = n1\n", dump(DumpKind::Nodes, DumpNotation::Text, DumpDialect::Pbs)),
        (
            "  n1\n       state = free\n       np = 4\n",
            dump(DumpKind::Nodes, DumpNotation::Text, DumpDialect::Torque),
        ),
        ("  Dear all,\n    the value = 1\n", IntakeKind::Unknown),
    ];
    check(rows);
}

proptest::proptest! {
    #[test]
    fn anything_at_all_has_a_kind(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..600)) {
        let _kind = kind_of(&bytes, "x");
    }

    #[test]
    fn any_banner_above_a_dump_leaves_its_kind(banner in "[a-zA-Z0-9 ,.!]{0,60}\n") {
        let text = format!("{banner}Job Id: 1.s\n    Resource_List.select = 1\n");
        proptest::prop_assert_eq!(kind_of(text.as_bytes(), ""), dump(DumpKind::Jobs, DumpNotation::Text, DumpDialect::Pbs));
    }
}
