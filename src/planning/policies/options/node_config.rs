//! NODECFG: the site's settings of a node (rules 2.1, 3.4).

use std::sync::Arc;

use crate::policies::{MauiOptions, PriorityFormula};
use qscope_engine::cluster::Name;

/// The settings of NODECFG lines for one node; a node's own take precedence over DEFAULT's.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodeConfig {
    /// PRIORITY, the value of the component of that name.
    pub priority: Option<f64>,
    /// PRIORITYF; it replaces the default one.
    pub priorityf: Option<Arc<PriorityFormula>>,
    /// SPEED, relative.
    pub speed: Option<f64>,
    pub procspeed: Option<f64>,
    pub slot: Option<i64>,
    /// FEATURES, added to the node's own.
    pub features: Vec<Name>,
    /// MAXJOB.
    pub max_job: Option<u32>,
    /// MAXJOBPERUSER.
    pub max_job_per_user: Option<u32>,
    /// MAXLOAD.
    pub max_load: Option<f64>,
}

impl MauiOptions {
    /// Reads `NODECFG[name] ATTR=VALUE …`; values with white space are quoted.
    pub(super) fn node_config(&mut self, node: &str, value: &str) {
        let mut config = self.nodes.remove(node).unwrap_or_default();
        for part in parts(value) {
            let Some((name, value)) = part.split_once('=') else {
                let looks = part.contains(['*', '+', '-']);
                let hint = if looks { "; a PRIORITYF with blanks wants quotes" } else { "" };
                self.mistake(format!("NODECFG[{node}]: `{part}` is no ATTRIBUTE=VALUE{hint}"));
                continue;
            };
            self.node_attribute(node, &mut config, name, value);
        }
        self.nodes.insert(node.into(), config);
    }

    fn node_attribute(&mut self, node: &str, config: &mut NodeConfig, name: &str, value: &str) {
        let mut odd = Vec::new();
        let mut number = |slot: &mut Option<f64>| match value.parse::<f64>().ok().filter(|n| n.is_finite()) {
            Some(found) => *slot = Some(found),
            None => odd.push(format!("NODECFG[{node}]: {name}=`{value}` is no number")),
        };
        match name.to_ascii_uppercase().as_str() {
            "PRIORITY" => number(&mut config.priority),
            "SPEED" => number(&mut config.speed),
            "PROCSPEED" => number(&mut config.procspeed),
            "MAXLOAD" => number(&mut config.max_load),
            "SLOT" => config.slot = value.parse().ok(),
            "MAXJOB" => config.max_job = value.parse().ok(),
            "MAXJOBPERUSER" => config.max_job_per_user = value.parse().ok(),
            "FEATURES" => config.features = value.split([',', ':']).map(Into::into).collect(),
            "PRIORITYF" => config.priorityf = self.formula(value),
            _ => odd.push(format!("NODECFG[{node}]: `{name}` is not used by the allocation policies")),
        }
        odd.into_iter().for_each(|what| self.mistake(what));
    }
}

/// Splits at white space outside quotes, and removes the quotes.
fn parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut quote = None;
    for char in text.chars() {
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (None, '\'' | '"') => quote = Some(char),
            (None, _) if char.is_whitespace() => {
                if !part.is_empty() {
                    parts.push(std::mem::take(&mut part));
                }
            }
            _ => part.push(char),
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}
