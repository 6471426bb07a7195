use proptest::prelude::*;

use super::ReadCache;
use crate::assemble::load_with;
use crate::{Files, LoadOptions, load_again};

/// Minimum size of dumps that are read in parallel.
const AT_ONCE: usize = 0;
const ONE_BY_ONE: usize = usize::MAX;

/// Number of records in more than two runs.
const RUNS: usize = 140;
/// Bodies of records without reports.
const NODE: &str = "\"Mom\":\"m\",\"state\":\"free\",\"resources_available\":{\"ncpus\":4}";
const JOB: &str = "\"Job_Name\":\"j\",\"job_state\":\"Q\",\"queue\":\"q\",\"server\":\"svr\"";

/// A record: its name, and the members of its body in JSON.
type Rows = Vec<(String, String)>;

/// The edited files of a cluster.
#[derive(Clone, Debug)]
struct Dumps {
    nodes: Rows,
    jobs: Rows,
    /// `default_chunk` of the only queue.
    chunk: &'static str,
    /// `qmgr -c "list resource"`.
    resources: &'static str,
    /// The zone; if not given, it is found from the jobs.
    zone: &'static str,
    /// Offset of a byte that is removed from the dump of nodes.
    hole: Option<usize>,
}

/// A change of the files.
#[derive(Clone, Debug)]
enum Change {
    Node(usize, String),
    NewNode(usize, String),
    NoNode(usize),
    Job(usize, String),
    NewJob(String),
    NoJob(usize),
    Chunk(&'static str),
    Resources(&'static str),
    Zone(&'static str),
    Hole(Option<usize>),
}

fn node() -> impl Strategy<Value = String> {
    let state = prop_oneof![Just("free"), Just("job-busy"), Just("offline,down"), Just("unheard-of")];
    let has = prop_oneof![
        4 => Just(""),
        1 => Just(",\"gpus\":4"),
        1 => Just(",\"gpus\":\"many\""),
        1 => Just(",\"color\":\"red\""),
        1 => Just(",\"mem\":\"lots\""),
    ];
    (state, 1..5_u8, has).prop_map(|(state, cpus, has)| {
        format!("\"Mom\":\"m\",\"state\":\"{state}\",\"resources_available\":{{\"ncpus\":{cpus}{has}}}")
    })
}

fn job() -> impl Strategy<Value = String> {
    let state = prop_oneof![4 => Just("Q"), 2 => Just("R"), 1 => Just("F"), 1 => Just("?")];
    let asks = prop_oneof![
        Just("\"select\":\"2:ncpus=1\",\"walltime\":\"01:00:00\""),
        Just("\"gpus\":2,\"ncpus\":1"),
        Just("\"select\":\"1:color=red\",\"license\":3"),
    ];
    let more = prop_oneof![
        4 => Just(""),
        1 => Just(",\"server\":\"other.site\""),
        1 => Just(",\"array_indices_remaining\":\"1-3\""),
        1 => Just(",\"project\":\"p\""),
        1 => Just(",\"qtime\":\"Sat Nov 21 02:08:34 2026\""),
        1 => Just(",\"qtime\":\"Sat Nov 21 07:53:34 2026\",\"queue_rank\":1.795226914615e+15"),
        1 => Just(",\"qtime\":\"Sat Nov 21 02:08:34 2026\",\"queue_rank\":1.795226914615e+15"),
        1 => Just(",\"stime\":\"Sat Nov 21 07:43:34 2026\",\"resources_used\":{\"walltime\":\"00:10:20\"}"),
        1 => Just(",\"mtime\":\"Sat Nov 21 07:38:34 2026\""),
        1 => Just(",\"Priority\":\"high\""),
    ];
    (state, asks, more).prop_map(|(state, asks, more)| {
        format!(
            "\"Job_Name\":\"j\",\"job_state\":\"{state}\",\"queue\":\"q\",\"Resource_List\":{{{asks}}}{more}"
        )
    })
}

fn change() -> impl Strategy<Value = Change> {
    let at = prop_oneof![0..12_usize, 0..RUNS + 9];
    prop_oneof![
        4 => (at.clone(), node()).prop_map(|(at, node)| Change::Node(at, node)),
        1 => (at.clone(), node()).prop_map(|(at, node)| Change::NewNode(at, node)),
        1 => at.clone().prop_map(Change::NoNode),
        4 => (at.clone(), job()).prop_map(|(at, job)| Change::Job(at, job)),
        1 => job().prop_map(Change::NewJob),
        1 => at.prop_map(Change::NoJob),
        1 => prop_oneof![Just("1"), Just("2")].prop_map(Change::Chunk),
        1 => prop_oneof![Just(""), Just("Resource gpus\n    type = long\n    flag = hn\n\n")]
            .prop_map(Change::Resources),
        1 => prop_oneof![Just("UTC"), Just("Europe/Berlin"), Just("")].prop_map(Change::Zone),
        1 => prop::option::of(prop_oneof![0..400_usize, 0..9000_usize]).prop_map(Change::Hole),
    ]
}

fn dumps() -> impl Strategy<Value = Dumps> {
    let named =
        |stem: &'static str, end: &'static str, bodies: Vec<(usize, String)>, plain: Vec<String>| -> Rows {
            let names = (100..).map(|number| format!("{stem}{number}{end}"));
            let mut rows: Rows = names.zip(plain).collect();
            for (nth, (at, body)) in bodies.into_iter().enumerate() {
                // Every seventh occurs twice.
                rows.insert(at % (rows.len() + 1), (format!("{stem}{}{end}", nth % 7), body));
            }
            rows
        };
    // Several whole runs, or less than one.
    let count = || prop_oneof![Just(0), Just(RUNS)];
    let at = 0..RUNS + 9;
    let nodes = (prop::collection::vec((at.clone(), node()), 1..9), count())
        .prop_map(move |(all, count)| named("n", "", all, vec![NODE.to_owned(); count]));
    let jobs = (prop::collection::vec((at, job()), 0..9), count())
        .prop_map(move |(all, count)| named("", ".svr", all, vec![JOB.to_owned(); count]));
    (nodes, jobs).prop_map(|(nodes, jobs)| Dumps {
        nodes,
        jobs,
        chunk: "1",
        resources: "",
        zone: "UTC",
        hole: None,
    })
}

impl Dumps {
    fn apply(&mut self, change: Change) {
        fn set(rows: &mut Rows, at: usize, body: String) {
            let len = rows.len().max(1);
            if let Some(row) = rows.get_mut(at % len) {
                row.1 = body;
            }
        }
        fn remove(rows: &mut Rows, at: usize) {
            if !rows.is_empty() {
                rows.remove(at % rows.len());
            }
        }
        match change {
            Change::Node(at, body) => set(&mut self.nodes, at, body),
            Change::NewNode(at, body) => {
                let at = at.min(self.nodes.len());
                self.nodes.insert(at, (format!("new{}", self.nodes.len()), body));
            }
            Change::NoNode(at) => remove(&mut self.nodes, at),
            Change::Job(at, body) => set(&mut self.jobs, at, body),
            Change::NewJob(body) => self.jobs.push((format!("1{}.svr", self.jobs.len()), body)),
            Change::NoJob(at) => remove(&mut self.jobs, at),
            Change::Chunk(chunk) => self.chunk = chunk,
            Change::Resources(text) => self.resources = text,
            Change::Zone(zone) => self.zone = zone,
            Change::Hole(hole) => self.hole = hole,
        }
    }

    fn loaded(&self, memory: Option<&mut ReadCache>, large: usize) -> String {
        let options = LoadOptions {
            zone: Some(self.zone.to_owned()).filter(|zone| !zone.is_empty()),
            ..LoadOptions::default()
        };
        format!("{:?}", load_with(&self.files(), &options, memory, large))
    }

    fn files(&self) -> Files {
        let section = |name: &str, rows: &Rows| {
            let rows: Vec<String> =
                rows.iter().map(|(name, body)| format!("\"{name}\":{{\n{body}\n}}")).collect();
            format!("{{\"timestamp\":1795226950,\"{name}\":{{{}}}}}\n", rows.join(",\n"))
        };
        let mut nodes = section("nodes", &self.nodes).into_bytes();
        if let Some(hole) = self.hole.filter(|hole| *hole < nodes.len()) {
            nodes.remove(hole);
        }
        let chunk = self.chunk;
        let mut files = Files::new("t");
        files.insert("nodes.json", nodes, None);
        files.insert("jobs.json", section("Jobs", &self.jobs), None);
        files.insert(
            "queues.json",
            format!("{{\"Queue\":{{\"q\":{{\"queue_type\":\"Execution\",\"started\":\"True\",\"default_chunk\":{{\"ncpus\":{chunk}}}}}}}}}"),
            None,
        );
        if !self.resources.is_empty() {
            files.insert("resources.txt", self.resources, None);
        }
        files
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever changes from one reading to the next, a reading with memory gives the same result as one without,
    /// including reports, on one thread and on two.
    #[test]
    fn a_reading_that_remembers_equals_one_from_nothing(
        mut dumps in dumps(),
        changes in prop::collection::vec(prop::collection::vec(change(), 0..4), 1..8),
    ) {
        let (mut memory, mut of_two) = (ReadCache::default(), ReadCache::default());
        for several in changes {
            for change in several {
                dumps.apply(change);
            }
            let afresh = dumps.loaded(None, ONE_BY_ONE);
            prop_assert_eq!(&dumps.loaded(Some(&mut memory), ONE_BY_ONE), &afresh);
            prop_assert_eq!(&dumps.loaded(None, AT_ONCE), &afresh);
            prop_assert_eq!(&dumps.loaded(Some(&mut of_two), AT_ONCE), &afresh);
        }
    }
}

/// Found by the property above: a missing comma before a run belongs to the run's first record.
#[test]
fn what_is_missing_before_a_run_names_its_first_record() {
    let plain = |name: &str| {
        let state = if name == "n0" { "job-busy" } else { "free" };
        let body = format!("\"Mom\":\"m\",\"state\":\"{state}\",\"resources_available\":{{\"ncpus\":1}}");
        (name.to_owned(), body)
    };
    let mut dumps = Dumps {
        nodes: ["n0", "n1", "n2", "n3"].map(plain).into(),
        jobs: Vec::new(),
        chunk: "1",
        resources: "",
        zone: "UTC",
        hole: Some(99),
    };
    let mut memory = ReadCache::default();
    assert_eq!(dumps.loaded(Some(&mut memory), AT_ONCE), dumps.loaded(None, AT_ONCE));
    // Shorter by four bytes, so that the hole is now in the brace before n1.
    dumps.nodes[0].1 = dumps.nodes[1].1.clone();
    assert_eq!(dumps.loaded(Some(&mut memory), AT_ONCE), dumps.loaded(None, AT_ONCE));
}

/// Otherwise the property above would also hold for a memory that keeps nothing.
#[test]
fn what_did_not_change_is_the_same_object() {
    let plain = |name: &str| {
        let body = "\"Mom\":\"m\",\"state\":\"free\",\"resources_available\":{\"ncpus\":4}";
        (name.to_owned(), body.to_owned())
    };
    let mut dumps = Dumps {
        nodes: ["n1", "n2", "n3"].map(plain).into(),
        jobs: Vec::new(),
        chunk: "1",
        resources: "",
        zone: "UTC",
        hole: None,
    };
    let mut memory = ReadCache::default();
    let files = |dumps: &Dumps| {
        let mut files = Files::new("t");
        let rows: Vec<String> =
            dumps.nodes.iter().map(|(name, body)| format!("\"{name}\":{{{body}}}")).collect();
        files.insert("nodes.json", format!("{{\"nodes\":{{{}}}}}", rows.join(",")), None);
        files
    };
    let options = LoadOptions::default();
    let first = load_again(&files(&dumps), &options, &mut memory).unwrap();
    dumps.nodes[1].1 = dumps.nodes[1].1.replace("free", "offline");
    dumps.nodes.remove(0);
    let second = load_again(&files(&dumps), &options, &mut memory).unwrap();

    let shared = |name: &str| {
        let record_in = |snap: &qscope_engine::cluster::Snapshot| {
            snap.nodes.shared(snap.node_named(name).unwrap()).unwrap().clone()
        };
        std::sync::Arc::ptr_eq(&record_in(&first), &record_in(&second))
    };
    assert_eq!([shared("n2"), shared("n3")], [false, true]);
}

/// Otherwise every job of a site whose resources only its nodes name would be decoded twice at every reading.
#[test]
fn jobs_read_beside_nodes_that_name_resources_are_the_same_objects() {
    let node = "\"Mom\":\"m\",\"state\":\"free\",\"resources_available\":{\"ncpus\":4,\"gpus\":4}";
    let job =
        "\"Job_Name\":\"j\",\"job_state\":\"Q\",\"queue\":\"q\",\"Resource_List\":{\"select\":\"1:gpus=1\"}";
    let mut files = Files::new("t");
    files.insert("nodes.json", format!("{{\"nodes\":{{\"n1\":{{{node}}},\"n2\":{{{node}}}}}}}"), None);
    files.insert("jobs.json", format!("{{\"Jobs\":{{\"1.s\":{{{job}}}}}}}"), None);
    let (options, mut memory) = (LoadOptions::default(), ReadCache::default());
    let mut read = || load_with(&files, &options, Some(&mut memory), AT_ONCE).unwrap();
    let (first, second) = (read(), read());
    let job = |snapshot: &qscope_engine::cluster::Snapshot| {
        let id = snapshot.jobs.enumerate().map(|(id, _)| id).next().unwrap();
        snapshot.jobs.shared(id).unwrap().clone()
    };
    assert!(std::sync::Arc::ptr_eq(&job(&first), &job(&second)));
}

/// Whole pages are reused; otherwise every row of a large cluster would be counted at every reading.
#[test]
fn what_did_not_change_stands_on_the_same_pages() {
    let rows = |body: &str| (0..RUNS).map(|at| (format!("n{at}"), body.to_owned())).collect::<Rows>();
    let mut dumps =
        Dumps { nodes: rows(NODE), jobs: rows(JOB), chunk: "1", resources: "", zone: "UTC", hole: None };
    // The first vnode causes a report at every reading.
    dumps.nodes[0].1 = NODE.replace("4}", "4,\"gpus\":4}");
    let mut memory = ReadCache::default();
    let read = |dumps: &Dumps, memory: &mut ReadCache| {
        load_with(&dumps.files(), &LoadOptions::default(), Some(memory), ONE_BY_ONE).unwrap()
    };
    // The first reading makes the pages.
    let first = read(&dumps, &mut memory);
    dumps.nodes[3].1 = NODE.replace("free", "offline");
    dumps.jobs[0].1 = JOB.replace("\"Q\"", "\"H\"");
    for _ in 0..3 {
        let second = read(&dumps, &mut memory);
        let of_nodes = |nth: usize| first.nodes.pages()[nth].is_same(&second.nodes.pages()[nth]);
        let of_jobs = |nth: usize| first.jobs.pages()[nth].is_same(&second.jobs.pages()[nth]);
        assert_eq!([of_nodes(0), of_nodes(1), of_jobs(0), of_jobs(1)], [false, true, false, true]);
    }
}
