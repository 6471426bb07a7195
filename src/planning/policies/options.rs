//! The site's options: `[maui]` of `policy.toml` and the lines of a `maui.cfg`.

mod mistakes;
mod node_config;
mod words;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use strum::VariantArray;

use super::{NodeSetOptions, PolicyName, PriorityFormula};
use qscope_engine::cluster::{Name, Snapshot};

pub use mistakes::mistakes;
pub use node_config::NodeConfig;
pub use words::option_words;

/// How available amounts are counted (rule 0.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "UPPERCASE")]
pub enum AvailabilityPolicy {
    /// Configured minus dedicated.
    #[default]
    Dedicated,
    /// Configured minus the larger of dedicated and measured.
    Combined,
    /// Configured minus measured.
    Utilized,
}

/// How a request for nodes is matched (rule 3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "UPPERCASE")]
pub enum NodeMatchPolicy {
    /// On exactly the requested number of nodes, with exactly the requested number of tasks on each.
    ExactNode,
    /// Only nodes whose configured cpus equal the tasks per node.
    ExactProc,
    /// On any nodes.
    #[default]
    #[strum(to_string = "NONE")]
    Any,
}

/// Who may share a node (rule 3.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "UPPERCASE")]
pub enum NodeAccessPolicy {
    /// Any user.
    #[default]
    Shared,
    /// Jobs of one user.
    SingleUser,
    SingleJob,
    SingleTask,
}

/// What MINRESOURCE compares first (rule 1.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum MinResourceKey {
    /// Memory, processors, disk, swap.
    #[default]
    Mem,
    /// Processors, then memory, disk, swap.
    Procs,
    /// The sum over requested resources, each as a share of the largest node's.
    Vector,
}

/// The run of neighbours that CONTIGUOUS takes (rule 1.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ContiguousFit {
    /// The first run that holds the job.
    #[default]
    First,
    /// The shortest stretch of a run that holds it.
    Best,
}

/// When a node counts as preferred (rule 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum PrefMode {
    /// If it has any of the features.
    #[default]
    Any,
    /// If it has all of them.
    All,
    /// By the share of the features that it has.
    Fraction,
}

/// The effect of a load above MAXLOAD (rule 3.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "UPPERCASE")]
pub enum LoadPolicy {
    /// The node counts as busy.
    #[default]
    AdjustState,
    /// The node has fewer processors left.
    AdjustProcs,
}

/// The property that the nodes of a set have in common.
#[derive(Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "UPPERCASE")]
enum NodeSetAttribute {
    Feature,
    ProcSpeed,
}

/// All options; unset ones have the manual's defaults, except for availability, whose default suits PBS dumps.
#[derive(Clone, Debug, Default)]
pub struct MauiOptions {
    /// NODEALLOCATIONPOLICY.
    pub policy: PolicyName,
    /// Whether the site set the policy; otherwise it is Maui's default.
    pub policy_is_set: bool,
    /// NODEALLOCATIONPOLICY of a queue (Maui's class) or of a partition, by name.
    pub class_policies: FxHashMap<Name, PolicyName>,
    /// The default PRIORITYF, if any.
    pub priorityf: Option<Arc<PriorityFormula>>,
    /// NODEAVAILABILITYPOLICY for processors.
    pub availability: AvailabilityPolicy,
    /// JOBNODEMATCHPOLICY.
    pub node_match: NodeMatchPolicy,
    /// NODEACCESSPOLICY.
    pub access: NodeAccessPolicy,
    /// NODELOADPOLICY.
    pub load_policy: LoadPolicy,
    /// `minresource_key`.
    pub min_resource: MinResourceKey,
    pub contiguous: ContiguousFit,
    /// `pref_mode`.
    pub pref: PrefMode,
    /// NODESET…, if configured.
    pub node_sets: Option<NodeSetOptions>,
    /// The resource that is local disk (`disk_resource`), if the site names one.
    pub disk: Option<Name>,
    /// NODECFG, by node; `DEFAULT` is the fallback of each.
    pub nodes: FxHashMap<Name, NodeConfig>,
    /// What could not be used, and other remarks, as sentences.
    pub remarks: Vec<String>,
    /// The remarks that are mistakes: options that do not do what they state.
    pub mistakes: Vec<String>,
}

impl MauiOptions {
    /// Reads the options of a cluster; an invalid one adds a remark and leaves the default.
    pub fn read(snap: &Snapshot) -> Self {
        let mut options = Self::default();
        for (name, value) in &snap.maui {
            options.set(name, value);
        }
        for node in &snap.nodes {
            let Some(text) = &node.extra.priorityf else { continue };
            let formula = options.formula(text);
            options.nodes.entry(node.name.clone()).or_default().priorityf = formula;
        }
        options
    }

    /// Returns the NODECFG of a node, without that of DEFAULT.
    pub fn node(&self, name: &str) -> Option<&NodeConfig> {
        self.nodes.get(name)
    }

    fn mistake(&mut self, what: String) {
        self.mistakes.push(what.clone());
        self.remarks.push(what);
    }

    fn allocation_policy(&mut self, name: &str, index: Option<&str>, value: &str) {
        match (PolicyName::parse(value), index) {
            (Ok(policy), Some(class)) => {
                self.class_policies.insert(class.into(), policy);
            }
            (Ok(policy), None) => (self.policy, self.policy_is_set) = (policy, true),
            (Err(error), _) => self.mistake(format!("{name}: {error}")),
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        let (base, index) = split_index(name);
        let base = base.to_ascii_uppercase();
        if let Some(index) = index.filter(|_| !matches!(&*base, "NODEALLOCATIONPOLICY" | "NODECFG")) {
            self.mistake(format!("{base} takes no index, so [{index}] cannot apply; the line is not used"));
            return;
        }
        match base.as_str() {
            "NODEALLOCATIONPOLICY" => self.allocation_policy(name, index, value),
            "PRIORITYF" => self.priorityf = self.formula(value),
            "NODECFG" => self.node_config(index.unwrap_or("DEFAULT"), value),
            "NODEAVAILABILITYPOLICY" | "RESOURCEAVAILABILITYPOLICY" => self.availability(value),
            "JOBNODEMATCHPOLICY" => self.set_word_option(name, value, |o, v| o.node_match = v),
            "NODEACCESSPOLICY" => self.set_word_option(name, value, |o, v| o.access = v),
            "NODELOADPOLICY" => self.set_word_option(name, value, |o, v| o.load_policy = v),
            "MINRESOURCE_KEY" => self.set_word_option(name, value, |o, v| o.min_resource = v),
            "CONTIGUOUS_FIT" => self.set_word_option(name, value, |o, v| o.contiguous = v),
            "PREF_MODE" => self.set_word_option(name, value, |o, v| o.pref = v),
            "DISK_RESOURCE" => self.disk = Some(value.into()),
            option if option.starts_with("NODESET") => self.node_set(option, value),
            _ => self.mistake(format!("`{name}` is no option of the allocation policies")),
        }
    }

    /// Sets an option that takes one of a few words.
    fn set_word_option<T: Copy + Into<&'static str> + VariantArray>(
        &mut self,
        name: &str,
        value: &str,
        put: impl FnOnce(&mut Self, T),
    ) {
        match T::VARIANTS.iter().find(|known| (**known).into().eq_ignore_ascii_case(value.trim())) {
            Some(found) => put(self, *found),
            None => {
                let words: Vec<&str> = T::VARIANTS.iter().map(|known| (*known).into()).collect();
                self.mistake(format!("{name}: `{value}` is none of {}", words.join(", ")));
            }
        }
    }

    /// Reads `DEDICATED`, or `DEDICATED:PROCS COMBINED:MEM`; dumps measure only the load, so only processors
    /// count.
    fn availability(&mut self, value: &str) {
        for part in value.split_whitespace() {
            let (word, resource) = part.split_once(':').unwrap_or((part, "PROCS"));
            if resource.eq_ignore_ascii_case("PROCS") {
                self.set_word_option("NODEAVAILABILITYPOLICY", word, |o, v| o.availability = v);
            } else {
                self.remarks
                    .push(format!("NODEAVAILABILITYPOLICY: no dump measures {resource}; dedicated counts"));
            }
        }
    }

    fn formula(&mut self, text: &str) -> Option<Arc<PriorityFormula>> {
        match PriorityFormula::parse(text) {
            Ok(formula) => {
                let remarks =
                    formula.remarks.iter().map(|remark| format!("PRIORITYF `{}`: {remark}", formula.text));
                self.remarks.extend(remarks);
                Some(Arc::new(formula))
            }
            Err(error) => {
                self.mistake(format!("{error}: `{}`", text.escape_debug()));
                None
            }
        }
    }

    fn node_set(&mut self, option: &str, value: &str) {
        let mut sets = self.node_sets.take().unwrap_or_default();
        match option {
            "NODESETPOLICY" => self.set_word_option(option, value, |_, v| sets.choice = v),
            "NODESETPRIORITYTYPE" => self.set_word_option(option, value, |_, v| sets.priority = v),
            "NODESETATTRIBUTE" => {
                self.set_word_option(option, value, |_, v: NodeSetAttribute| {
                    sets.by_speed = v == NodeSetAttribute::ProcSpeed;
                });
            }
            "NODESETLIST" => sets.list = value.split_whitespace().map(Into::into).collect(),
            "NODESETTOLERANCE" => match value.trim().parse::<f64>().ok().filter(|share| *share >= 0.0) {
                Some(tolerance) => sets.tolerance = tolerance,
                None => self.mistake(format!("{option}: `{value}` is no share such as .20")),
            },
            // Any delay other than zero is infinite in Maui 3.2 and later.
            "NODESETDELAY" => {
                let none =
                    value.chars().all(|c| matches!(c, '0' | ':')) || value.eq_ignore_ascii_case("besteffort");
                sets.mandatory = !none;
            }
            _ => self.mistake(format!("`{option}` is no option of the allocation policies")),
        }
        self.node_sets = Some(sets);
    }
}

/// Splits the name of an option from its index: `NODECFG[n1]` is NODECFG of n1.
fn split_index(name: &str) -> (&str, Option<&str>) {
    match name.split_once('[') {
        Some((base, rest)) => (base, Some(rest.trim_end_matches(']'))),
        None => (name, None),
    }
}

#[cfg(test)]
mod tests;
