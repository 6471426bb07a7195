//! PRIORITY: nodes by a formula of the site (rules 1.3, 2).

use std::sync::Arc;

use super::policy::{AllocationPolicy, CandidateKey, PolicyQuery, key_of};
use super::{Candidate, Component, PolicyName, PrefMode, PriorityFormula};
use qscope_engine::cluster::{Name, ResourceId};
use qscope_engine::universe::Bit;

/// The highest value of PRIORITYF first.
pub(super) struct Priority {
    default: Arc<PriorityFormula>,
}

impl Priority {
    /// Creates the policy with the site's default formula, or Maui's own.
    pub(super) fn new(default: Option<Arc<PriorityFormula>>) -> Self {
        Self { default: default.unwrap_or_else(|| Arc::new(PriorityFormula::unset())) }
    }

    /// Returns the formula of a node: its own replaces the default.
    fn formula<'a>(&'a self, question: &'a PolicyQuery<'_>, candidate: &Candidate) -> &'a PriorityFormula {
        let site = question.site_request.site;
        let name = &site.plan().snap.nodes[candidate.node].name;
        let own = |name: &str| site.options.node(name).and_then(|config| config.priorityf.as_deref());
        own(name).or_else(|| own("DEFAULT")).unwrap_or(&self.default)
    }

    fn value(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> f64 {
        let components = ComponentValues { question, candidate };
        self.formula(question, candidate).value(|component| components.value(component).unwrap_or(0.0))
    }
}

impl AllocationPolicy for Priority {
    fn name(&self) -> PolicyName {
        PolicyName::Priority
    }

    fn key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> CandidateKey {
        key_of(-rounded(self.value(question, candidate)))
    }

    /// Refuses a component that no node has, rather than counting it as 0 (rule 2.6).
    fn can_answer(&self, question: &PolicyQuery<'_>) -> Result<(), String> {
        let site = question.site_request.site;
        let nodes = site.plan().snap.nodes.len();
        let absent = self.default.components().find(|component| site.traits.lacking(*component) == nodes);
        absent.map_or(Ok(()), |component| Err(format!("{} is not present in this dump", component.word())))
    }

    fn show_key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> String {
        let components = ComponentValues { question, candidate };
        let formula = self.formula(question, candidate);
        let later = !question.is_now();
        let terms = formula.terms.iter().map(|(component, weight)| {
            let word = component.word();
            match components.value(*component) {
                _ if later && component.is_now_only() => format!("{weight}*{word}(known for now only)"),
                Some(value) => format!("{weight}*{word}({})", plain(value)),
                None => format!("{weight}*{word}(?)"),
            }
        });
        let terms: Vec<String> = terms.collect();
        format!("{} = {}", plain(self.value(question, candidate)), terms.join(" + "))
    }
}

/// Rounds a value so that values that differ by less than a billionth are equal.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10_f64.powi(10 - value.abs().log10().floor() as i32);
    if scale.is_finite() { (value * scale).round() / scale } else { value }
}

fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The components of one node for one question.
struct ComponentValues<'q, 'a> {
    question: &'q PolicyQuery<'a>,
    candidate: &'q Candidate,
}

impl ComponentValues<'_, '_> {
    /// Returns the value; 0 if it is only known for now and the start is later; none if it is unknown.
    fn value(&self, component: Component) -> Option<f64> {
        if component.is_now_only() && !self.question.is_now() {
            return Some(0.0);
        }
        self.source(component)
    }

    fn source(&self, component: Component) -> Option<f64> {
        let site = self.question.site_request.site;
        let traits = &site.traits.by_node[self.candidate.node];
        let bit = self.candidate.bit;
        Some(match component {
            Component::Amem => free_mb(self.question, bit, ResourceId::mem())?,
            Component::Adisk => free_mb(self.question, bit, site.traits.disk?)?,
            Component::Aswap => free_mb(self.question, bit, site.traits.swap?)?,
            Component::Aprocs => site.configured_procs(bit) - self.question.site_request.dedicated_procs(bit),
            Component::Cmem => configured_mb(self.question, bit, ResourceId::mem())?,
            Component::Cdisk => configured_mb(self.question, bit, site.traits.disk?)?,
            Component::Cswap => configured_mb(self.question, bit, site.traits.swap?)?,
            Component::Cprocs => site.configured_procs(bit),
            Component::JobCount => f64::from(site.state.occupancy.load[bit].jobs),
            Component::Load => traits.load?,
            Component::Pref => {
                let snap = &site.plan().snap;
                let features = || traits.all_features(&snap.nodes[self.candidate.node], &snap.catalogue);
                preferred(&self.question.site_request.request.prefer, features, site.options.pref)
            }
            Component::Priority => traits.priority,
            Component::ResAffinity => self.candidate.tier.affinity(),
            Component::Speed => traits.procspeed.unwrap_or_else(|| traits.relative_speed()),
            Component::Usage => traits.usage?,
        })
    }
}

/// Returns the configured amount in whole MB; none if the node has no such resource.
fn configured_mb(question: &PolicyQuery<'_>, bit: Bit, id: ResourceId) -> Option<f64> {
    let plan = question.site_request.site.plan();
    Some((plan.node(bit).available.amount(id)?.0 / 1024.0).floor())
}

/// Returns the configured minus the assigned amount in MB; none if the node has no such resource.
fn free_mb(query: &PolicyQuery<'_>, bit: Bit, id: ResourceId) -> Option<f64> {
    let site = query.site_request.site;
    let plan = site.plan();
    let node = plan.node(bit);
    let available = node.available.amount(id)?.0;
    let assigned = match plan.consumables.ix(id) {
        Some(ix) => site.state.occupancy.assigned[ix][plan.capacity.keeper(ix, bit)],
        None => node.assigned.amount(id).map_or(0.0, |amount| amount.0),
    };
    Some((available - assigned) / 1024.0)
}

/// Returns how well a node of these features matches the job's preferences, from 0 to 1 (rule 3.2).
fn preferred(prefer: &[Name], features: impl FnOnce() -> Vec<Name>, mode: PrefMode) -> f64 {
    if prefer.is_empty() {
        return 0.0;
    }
    let features = features();
    let matched = prefer.iter().filter(|wanted| features.contains(wanted)).count();
    match mode {
        PrefMode::Any => f64::from(u8::from(matched > 0)),
        PrefMode::All => f64::from(u8::from(matched == prefer.len())),
        PrefMode::Fraction => matched as f64 / prefer.len() as f64,
    }
}
