//! The packing policies of a site as pieces for PBS, printed as text to review: nothing is installed.

use qscope_exits::Lines;
use qscope_planning::farm::FarmPolicy;
use qscope_planning::farm::esub::{attribute, excludes_other_classes};
use qscope_planning::farm::policy_file::PolicyFile;

/// Returns the pieces: resources, lines of `sched_config`, what a job requests, and the rules of two hooks.
pub(super) fn pieces(policies: &PolicyFile) -> Lines {
    let mut text = Lines::new();
    text.line("# Pieces for PBS, to review and to install by hand; not tried on a live server.");
    text.blank();
    text.line("# 1. custom resources (qmgr): a count of jobs by class, and whether a node is open to others");
    for (class, policy) in &policies.classes {
        text.line(format_args!("create resource {} type=long,flag=h", attribute(class)));
        if excludes_other_classes(*policy) {
            text.line(format_args!("create resource {} type=boolean,flag=h", open(class)));
        }
    }
    text.blank();
    text.line("# 2. sched_config: nothing for the booleans, which are always checked; the order is for all jobs alike,");
    text.line("#    since PBS has no order of a job's own: list the class that gains most first");
    for (class, policy) in &policies.classes {
        match policy {
            FarmPolicy::Plain => {}
            FarmPolicy::Spread => text.line(format_args!("node_sort_key: \"{} LOW\" all", attribute(class))),
            _ => text.line(format_args!("node_sort_key: \"{} HIGH\" all", attribute(class))),
        }
    }
    text.blank();
    text.line("# 3. select: what each chunk of a job requests besides, by class");
    for (class, _) in &policies.classes {
        text.line(format_args!("{class}: {}", select(policies, Some(class))));
    }
    text.line(format_args!("any other: {}", select(policies, None)));
    text.blank();
    text.line(format_args!("# 4. queuejob hook, rules: the class of a job is its {}", policies.class));
    text.line("for each chunk of Resource_List.select: append the text of its class from 3");
    if policies.rejects_unknown {
        text.line("reject the job if its class is none of those above");
    }
    text.blank();
    text.line(format_args!("# 5. exechost_periodic hook, rules, every {} s", policies.publish_interval));
    for (class, policy) in &policies.classes {
        let count = attribute(class);
        text.line(format_args!(
            "resources_available.{count} = number of jobs of {class} on this host, 0 included"
        ));
        match policy {
            FarmPolicy::Exclusive => {
                text.line(format_args!("resources_available.{} = ({count} == 0)", open(class)));
            }
            FarmPolicy::Ttl(ttl) if *ttl > 0 => text.line(format_args!(
                "resources_available.{} = ({count} == 0 or the latest start of {class} here is {ttl} s ago or more)",
                open(class)
            )),
            _ => {}
        }
    }
    text
}

fn open(class: &str) -> String {
    format!("open_{}", attribute(class))
}

/// Returns the conditions of all other classes that keep foreign jobs out.
fn select(policies: &PolicyFile, own: Option<&str>) -> String {
    let shut = policies
        .classes
        .iter()
        .filter(|(name, policy)| excludes_other_classes(*policy) && Some(name.as_str()) != own);
    let conditions: Vec<String> = shut.map(|(name, _)| format!(":{}=True", open(name))).collect();
    if conditions.is_empty() { "nothing".to_owned() } else { conditions.concat() }
}
