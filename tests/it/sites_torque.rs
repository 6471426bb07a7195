//! Torque, in text and in XML.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot read its own files fails"
)]

use qscope::cluster::Epoch;
use qscope::source::Flavour;

use crate::ran::ran;
use crate::sites::{described, folder, gathered, job, loaded, nodes_and_jobs, row, said};

const CLUSTER: &str = "\
node n1 job-busy [fast=True ib=True mem=16000mb ncpus=8 vmem=20000mb] used [ncpus=8] jobs 12.srv,13.srv
node n2 free [mem=8000mb ncpus=4 ngpus=2 slow=True vmem=8000mb] used [] jobs 
node n3 down,offline [fast=True ncpus=8] used [] jobs 
job 12.srv R of ann in batch: 1:ncpus=4:fast=True [walltime=7200] on n1
job 13.srv R of bob in batch: 1:ncpus=4:mem=4194304kb [walltime=86400] on n1
job 14.srv Q of eve in batch: 2:ncpus=4:fast=True+1:ncpus=2:ngpus=1:vnode=n2 [walltime=3600] on 
job 16.srv Q of eve in batch: 2:ncpus=4:mem=2097152kb [walltime=3600] on 
";

#[test]
fn text_reads_as_the_same_model() {
    let files = gathered(&[folder("torque-text")]);
    assert_eq!(files.gathered().flavour, Flavour::Torque);
    let snapshot = loaded(&files);
    assert_eq!(nodes_and_jobs(&snapshot), CLUSTER);
    assert!(!format!("{snapshot:?}").contains("do-not-show"));
}

#[test]
fn text_and_xml_are_one_cluster() {
    let (text, xml) = (row("torque-text"), row("torque-xml"));
    assert_eq!(nodes_and_jobs(&text), nodes_and_jobs(&xml));
    assert_eq!(job(&xml, "12").started, Some(Epoch(1_772_445_660)));
    assert!(described(&text).contains("queue batch"));
}

#[test]
fn what_policies_look_at_is_read() {
    let snapshot = row("torque-text");
    let n1 = snapshot.nodes.iter().next().unwrap();
    assert_eq!(n1.extra.load, Some(7.5));
    assert_eq!(n1.extra.features, ["fast".into(), "ib".into()]);
    let n2 = snapshot.nodes.iter().nth(1).unwrap();
    assert_eq!(n2.comment.as_deref(), Some("ERROR: disk full,check n2"));
    let wide = job(&snapshot, "14");
    assert_eq!((wide.policy.as_deref(), &*wide.prefer), (Some("FASTEST"), &["fast".into()][..]));
}

#[test]
fn nothing_is_claimed_about_the_order_and_nothing_is_hidden() {
    let snapshot = row("torque-text");
    let said_once = said(&snapshot, "torque");
    assert_eq!(said_once.len(), 1);
    assert!(said_once[0].contains("in which order jobs are considered is not"), "{said_once:?}");
    assert_eq!(
        said(&snapshot, "torque-node-match"),
        ["qstat-f.txt: nodes= of 1 job taken as distinct nodes, as Torque does"]
    );
    assert_eq!(said(&snapshot, "jobs-gone"), ["qstat-f.txt: left out 1 finished or moved job"]);
    // The job that asks for several nodes is read as its maui.cfg says.
    assert_eq!(
        job(&snapshot, "14").place.as_ref().unwrap().arrangement,
        qscope::cluster::Arrangement::Scatter
    );
}

#[test]
fn its_server_comes_from_a_script() {
    let snapshot = row("torque-text");
    let queue = snapshot.queues.iter().next().unwrap();
    assert_eq!((&*queue.name, queue.limits.entries.len()), ("batch", 1));
    assert_eq!(snapshot.server.default_queue.as_deref(), Some("batch"));
}

#[test]
fn what_only_the_cycle_of_pbs_rests_on_is_not_assumed_unless_it_is_run() {
    let page = |more: &[&str]| {
        let mut arguments = vec!["check", "tests/cases/sites/torque-text"];
        arguments.extend(more);
        String::from_utf8(ran(arguments).stdout).unwrap()
    };
    let of_the_cycle =
        ["sched-assumed", "sched-config-assumed", "resource-undefined", "queue_rank", "schedselect"];
    let alone = page(&[]);
    assert!(alone.contains("do not state what only managers see"), "{alone}");
    assert!(alone.contains("now-by-mtime"), "{alone}");
    for word in of_the_cycle {
        assert!(!alone.contains(word), "{word}:\n{alone}");
        assert!(page(&["--as", "pbs"]).contains(word), "{word}");
    }
}
