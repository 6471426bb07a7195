use super::*;
use crate::policies::component::Component;

fn read(lines: &[(&str, &str)]) -> MauiOptions {
    let mut options = MauiOptions::default();
    lines.iter().for_each(|(name, value)| options.set(name, value));
    options
}

#[test]
fn node_lines_keep_quoted_formulas_together() {
    let options = read(&[
        ("NODECFG[DEFAULT]", "PRIORITY=1000 PRIORITYF='PRIORITY + APROCS'"),
        ("NODECFG[n1]", "SLOT=3"),
    ]);
    let default = options.node("DEFAULT").unwrap();
    assert_eq!(default.priority, Some(1000.0));
    assert_eq!(default.priorityf.as_ref().unwrap().weight(Component::Aprocs), 1.0);
    assert_eq!(options.node("n1").unwrap().slot, Some(3));
    assert!(options.remarks.is_empty(), "{:?}", options.remarks);
}

#[test]
fn an_unquoted_formula_ends_at_the_blank_and_is_reported() {
    let options = read(&[("NODECFG[n1]", "PRIORITYF=LOAD - 5*USAGE")]);
    assert!(options.remarks.iter().any(|remark| remark.contains("wants quotes")), "{:?}", options.remarks);
}

#[test]
fn what_is_wrong_is_reported_and_leaves_the_default() {
    let options = read(&[
        ("NODEALLOCATIONPOLICY", "FASTES"),
        ("NODEACCESSPOLICY", "ELSEWHERE"),
        ("RMCFG[base]", "TYPE=PBS"),
    ]);
    assert_eq!((options.policy, options.access), (PolicyName::LastAvailable, NodeAccessPolicy::Shared));
    assert_eq!(options.remarks.len(), 3);
}

#[test]
fn availability_is_read_by_resource() {
    let options = read(&[("NODEAVAILABILITYPOLICY", "COMBINED:PROCS DEDICATED:MEM")]);
    assert_eq!(options.availability, AvailabilityPolicy::Combined);
    assert_eq!(options.remarks.len(), 1);
}
