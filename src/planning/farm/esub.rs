//! What a submission filter would add to a job: its class, the nodes it prefers and the nodes it must avoid.
//!
//! The condition proposed in the deck does not do what it is meant to: `A || B` in a select string filters
//! and does not prefer, and `== 1` fails where a node has two such jobs (packing rule 0). Here a preference
//! is an order, and a count is compared with 0.

use super::policy::FarmPolicy;

/// The policy of a class, in terms of node attributes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SubmissionConditions {
    /// The job's preference: a condition on a node's attributes, true on the preferred nodes.
    pub prefers: Option<String>,
    /// The preference as an order of nodes.
    pub order: Option<String>,
    /// Conditions that a node must meet.
    pub requires: Vec<String>,
    pub select: Option<String>,
    /// Condition that nodes of other classes' jobs must meet because of this job's class.
    pub others: Option<String>,
}

/// Returns the attribute that counts the jobs of a class on a node.
pub fn attribute(class: &str) -> String {
    let safe: String = class.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("{}{safe}", super::elim::PREFIX)
}

/// Returns what a job of `class` gets, where `policies` are the policies of the classes that have one.
pub fn adequacy(class: &str, policies: &[(String, FarmPolicy)]) -> SubmissionConditions {
    let own =
        policies.iter().find(|(name, _)| name == class).map_or(FarmPolicy::Plain, |(_, policy)| *policy);
    let count = attribute(class);
    let (prefers, order) = match own {
        FarmPolicy::Plain => (None, None),
        FarmPolicy::Spread => (Some(format!("{count} == 0")), Some(format!("order[{count}]"))),
        _ => (Some(format!("{count} > 0")), Some(format!("order[-{count}]"))),
    };
    let shut = policies.iter().filter(|(name, policy)| name != class && excludes_other_classes(*policy));
    let requires: Vec<String> = shut.map(|(name, _)| format!("{} == 0", attribute(name))).collect();
    let select = (!requires.is_empty()).then(|| format!("select[{}]", requires.join(" && ")));
    let others = excludes_other_classes(own).then(|| format!("{count} == 0"));
    SubmissionConditions { prefers, order, requires, select, others }
}

/// Returns whether a policy keeps other classes out, at least for a time.
pub fn excludes_other_classes(policy: FarmPolicy) -> bool {
    matches!(policy, FarmPolicy::Exclusive | FarmPolicy::Ttl(1..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_well_formed() {
        let policies =
            [("atlas".to_owned(), FarmPolicy::Relaxed), ("lhcb".to_owned(), FarmPolicy::Exclusive)];
        let atlas = adequacy("atlas", &policies);
        assert_eq!(atlas.prefers.as_deref(), Some("packing_atlas > 0"));
        assert_eq!(atlas.select.as_deref(), Some("select[packing_lhcb == 0]"));
        assert_eq!(atlas.others, None);
        let lhcb = adequacy("lhcb", &policies);
        assert_eq!((lhcb.select, lhcb.others.as_deref()), (None, Some("packing_lhcb == 0")));
        let other = adequacy("cms", &policies);
        assert_eq!((other.prefers, other.requires.len()), (None, 1));
        assert_eq!(attribute("my-vo.x"), "packing_my_vo_x");
    }
}
