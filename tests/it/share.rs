//! What leaves the operator's folder for others: redacted clusters, published answers, metrics, events, reports,
//! bundles.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use qscope::cluster::Snapshot;
use qscope::cycle::{Run, run_cycle};
use qscope::explain::Explainer;
use qscope::share::published::{
    PublishedEffort, PublishedFile, PublishedHeader, answers, format_name, place, write,
};
use qscope::share::{RedactionAudience, differences, dump, redacted};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

use super::{cases, real, why};

/// Returns the cluster read back from the files of another one.
pub(crate) fn read_back(snap: &Snapshot) -> Snapshot {
    let mut files = Files::new("back");
    for (name, bytes) in dump::files(snap) {
        files.insert(name, bytes, None);
    }
    load(&files, &LoadOptions::default()).unwrap()
}

fn cycle(snap: Arc<Snapshot>) -> Run {
    run_cycle(snap, Quirks::default())
}

/// Returns small clusters of the tests: all that explain a cause, and every third of the others.
fn clusters() -> Vec<(String, Arc<Snapshot>)> {
    let mut all: Vec<(String, Arc<Snapshot>)> = Vec::new();
    all.extend(why::all().into_iter().chain(why::dumps()).map(|case| (case.name.clone(), case.snapshot)));
    all.extend(cases::all().iter().step_by(3).map(|case| (case.name.clone(), case.snapshot())));
    all
}

#[test]
fn written_again_a_cluster_has_the_same_cycle() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (name, snap) in clusters() {
        let (same, names) = redacted(&snap, RedactionAudience::Users, "same");
        let original = cycle(snap);
        for (how, other) in [("redacted", same.clone()), ("read back", read_back(&same))] {
            let found = differences(&original, &cycle(Arc::new(other)), &names);
            count += 1;
            if let Some(first) = found.first() {
                wrong.push(format!("{name} {how}: {} differ; {first}", found.len()));
            }
        }
    }
    assert!(count > 400, "{count}");
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn under_other_names_a_cluster_has_the_same_cycle() {
    let mut wrong = Vec::new();
    let all = clusters();
    for (name, snap) in &all {
        let (other, names) = redacted(snap, RedactionAudience::Public, "other");
        let found = differences(&cycle(snap.clone()), &cycle(Arc::new(read_back(&other))), &names);
        if let Some(first) = found.first() {
            wrong.push(format!("{name}: {} differ; {first}", found.len()));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// Returns every cluster of the tests: those that explain a cause, every case, every cycle of a live server.
fn all_clusters() -> Vec<(String, Arc<Snapshot>)> {
    let mut all: Vec<(String, Arc<Snapshot>)> = Vec::new();
    all.extend(why::all().into_iter().chain(why::dumps()).map(|case| (case.name.clone(), case.snapshot)));
    all.extend(cases::all().iter().map(|case| (case.name.clone(), case.snapshot())));
    all.extend(real::all().iter().map(|case| (case.name.clone(), case.snapshot())));
    all
}

/// Approximate number of jobs compared for each cluster; they vary from cluster to cluster.
const JOBS: usize = 6;
/// One of this many jobs is also explained alone, which costs far more than all in a row.
const ALONE: usize = 8;

/// The short answers are those of `why` for any reader: in every cluster the published headline is the one over the
/// full dumps, and for every n-th job the one of `why` for that job alone.
#[test]
fn the_published_headline_is_that_of_why() {
    let all = all_clusters();
    let counts: Vec<[usize; 2]> = thread::scope(|scope| {
        let parts = all.chunks(all.len().div_ceil(2));
        let spawned: Vec<_> = parts.map(|part| scope.spawn(move || headlines_agree(part))).collect();
        spawned.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let [jobs, alone] = counts.iter().fold([0, 0], |sum, [jobs, alone]| [sum[0] + jobs, sum[1] + alone]);
    assert!(
        all.len() > 600 && jobs > 2000 && alone > 250,
        "{} clusters, {jobs} jobs, {alone} alone",
        all.len()
    );
}

/// Returns how many jobs were compared, and how many of them also alone.
fn headlines_agree(part: &[(String, Arc<Snapshot>)]) -> [usize; 2] {
    let [mut jobs, mut alone] = [0, 0];
    for (nth, (name, snap)) in part.iter().enumerate() {
        let step = snap.jobs.len().div_ceil(JOBS).max(1);
        let whole = Arc::new(cycle(snap.clone()));
        let (seen, _) = redacted(snap, RedactionAudience::Users, "published");
        let run = Arc::new(cycle(Arc::new(seen)));
        let (mut published, mut full) = (Explainer::new(&run), Explainer::new(&whole));
        for job in snap.jobs.ids().skip(nth % step).step_by(step) {
            let (brief, own) = (published.brief(job), full.brief(job));
            let tier = |causes: &[qscope::explain::Cause]| causes.first().map(|cause| cause.tier);
            assert_eq!(brief.headline, own.headline, "{name} {}", snap.jobs[job].name);
            assert_eq!(tier(&brief.causes), tier(&own.causes), "{name}");
            if jobs % ALONE == 0 {
                let one = qscope::explain::why(&whole, job);
                assert_eq!((&one.headline, one.tier()), (&own.headline, tier(&own.causes)), "{name}");
                alone += 1;
            }
            jobs += 1;
        }
    }
    [jobs, alone]
}

/// Writes a published file of a cluster; returns its path.
fn published(snap: &Snapshot, folder: &Path) -> PathBuf {
    let run = Arc::new(cycle(Arc::new(snap.clone())));
    let found = answers(&run, PublishedEffort { cycles: 20, trials: 10 }, &|| false).unwrap();
    let head = PublishedHeader {
        format: format_name(),
        written_by: "a test".to_owned(),
        now: snap.now.0,
        clock: "12:00:00".to_owned(),
        published: snap.now.0,
        server: snap.server.name.to_string(),
        jobs: found.len(),
        users: true,
        banners: Vec::new(),
        options: String::new(),
    };
    let path = folder.join("published");
    place(&path, &qscope::exits::Archive(write(&head, &found, &dump::files(snap)).unwrap()), true).unwrap();
    path
}

#[test]
fn a_published_file_is_whole_or_is_named_as_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let snap = why::all().into_iter().find(|case| case.name == "queue-stopped").unwrap().snapshot;
    let path = published(&snap, folder.path());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
    let opened = PublishedFile::open(&path).unwrap();
    assert_eq!(opened.answers(&|_, _| true).unwrap().len(), opened.header.jobs);
    let whole = fs::read(&path).unwrap();
    let wrong = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        PublishedFile::open(&path).unwrap_err().to_string()
    };
    for end in [whole.len() - 1, whole.len() / 2, 60] {
        let message = wrong(&whole[..end]);
        assert!(message.ends_with(&format!("cut off: {end} of {} bytes", whole.len())), "{message}");
    }
    let mut newer = whole.clone();
    let at = newer.windows(18).position(|window| window == b"qscope-published 1").unwrap();
    newer[at + 17] = b'2';
    assert!(wrong(&newer).ends_with("written in format 2; this qscope reads format 1"));
    for other in [&b""[..], b"plain text", b"\x1f\x8b", &whole[..12]] {
        assert!(wrong(other).contains("no file that qscope published"), "{}", wrong(other));
    }
    let mut broken = whole.clone();
    broken[120] ^= 0x55;
    assert!(wrong(&broken).contains("damaged"), "{}", wrong(&broken));
}

#[test]
fn a_published_file_opens_as_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let mut snap = why::all().into_iter().find(|case| case.name == "queue-stopped").unwrap().snapshot;
    Arc::make_mut(&mut snap).server.version = Some("23.06.06".into());
    let path = published(&snap, folder.path());
    let files =
        qscope::session::read_files(&qscope::session::OpeningOrigin::of(&[path], None).unwrap()).unwrap();
    let again = load(&files, &LoadOptions::default()).unwrap();
    assert_eq!((again.jobs.len(), again.nodes.len()), (snap.jobs.len(), snap.nodes.len()));
    assert_eq!(again.now, snap.now);
    let versions: Vec<&str> = again.files.iter().filter_map(|file| file.version.as_deref()).collect();
    assert!(!versions.is_empty() && versions.iter().all(|version| *version == "23.06.06"), "{versions:?}");
}

/// Texts that people typed are not published, wherever they typed them.
#[test]
fn nothing_that_people_typed_is_published() {
    let mut snap =
        (*why::all().into_iter().find(|case| case.name == "queue-stopped").unwrap().snapshot).clone();
    snap.jobs.change_all(|job| {
        job.title = "secretjob".into();
        job.comment = Some("Not Running: see /home/secretpath/run.log".to_owned());
        job.depend = Some("afterok:secretdepend".into());
        job.policy = Some("secretpolicy".into());
    });
    snap.nodes.change_all(|node| node.comment = Some("secretnote".to_owned()));
    snap.scheduler.comment = Some("secretcomment".to_owned());
    snap.server.version = Some("secretversion".into());
    snap.title = "secretfolder".into();
    let (seen, _) = redacted(&snap, RedactionAudience::Users, "published");
    let mut text = format!("{seen:?}");
    for (_, bytes) in dump::files(&seen) {
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    for word in [
        "secretjob",
        "secretpath",
        "secretpolicy",
        "secretnote",
        "secretcomment",
        "secretversion",
        "secretfolder",
    ] {
        assert!(!text.contains(word), "{word}");
    }
}

/// Limits on queued jobs, against which a trial request is checked, are in published files and in bundles, there
/// under other names.
#[test]
fn what_may_be_queued_is_carried_over() {
    let mut files = Files::new("t");
    files.insert(
        "nodes.txt",
        "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 4\n\n",
        None,
    );
    files.insert(
        "jobs.txt",
        "Job Id: 1.s\n    Job_Owner = ann@s\n    job_state = Q\n    queue = workq\n",
        None,
    );
    files.insert("now", "1763700000\n", None);
    let queue = |name: &str, more: &str| {
        format!("Queue: {name}\n    queue_type = Execution\n    enabled = True\n    started = True\n{more}\n")
    };
    let limits = "    max_queued = [u:PBS_GENERIC=3],[u:mallory=1]\n    max_queued_res.ncpus = [o:PBS_ALL=64]\n    max_array_size = 20\n";
    let route = "Queue: entry\n    queue_type = Route\n    enabled = True\n    started = True\n    route_destinations = workq,far@other\n\n";
    files.insert("queues.txt", queue("workq", limits) + route, None);
    files.insert(
        "server.txt",
        "Server: s\n    default_queue = workq\n    queued_jobs_threshold = [g:staff=9]\n    max_array_size = 500\n",
        None,
    );
    let snap = load(&files, &LoadOptions::default()).unwrap();
    let of = |snap: &Snapshot, number: usize| snap.queues.as_slice()[number].clone();
    assert_eq!(of(&snap, 0).queued.all.entries.len(), 3, "{:?}", snap.queues);
    let (users, _) = redacted(&snap, RedactionAudience::Users, "published");
    let back = read_back(&users);
    assert_eq!((&back.server.queued, back.server.max_array_size), (&snap.server.queued, Some(500)));
    assert_eq!((&of(&back, 0).queued, of(&back, 0).max_array_size), (&of(&snap, 0).queued, Some(20)));
    assert_eq!(of(&back, 1).destinations, of(&snap, 1).destinations);
    let (strangers, _) = redacted(&snap, RedactionAudience::Public, "bundle");
    let back = read_back(&strangers);
    let amounts = |snap: &Snapshot| {
        let entries = of(snap, 0).queued.all.entries;
        entries.iter().map(|entry| (entry.scope, entry.entity.is_some(), entry.amount.0)).collect::<Vec<_>>()
    };
    assert_eq!(amounts(&back), amounts(&snap));
    let shown = format!("{back:?}");
    assert!(!shown.contains("mallory") && !shown.contains("staff") && !shown.contains("workq"), "{shown}");
    assert_eq!(of(&back, 1).destinations[0], of(&back, 0).name);
}
