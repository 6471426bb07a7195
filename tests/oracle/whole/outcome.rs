//! The result for each job, in the words of the real scheduler.

use qscope_engine::cluster::{Name, ResourceType};

use super::check::Answer;
use super::nodes_step::Path;
use super::reason::No;
use super::world::{Allocation, World};

/// The decision about a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Run,
    NotNow,
    Never,
    NotConsidered,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::NotNow => "not_now",
            Self::Never => "never",
            Self::NotConsidered => "not_considered",
        }
    }
}

/// One job's row of the answer.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub name: Name,
    /// Its position in the order of first consideration.
    pub order: Option<usize>,
    pub verdict: Verdict,
    /// The path that was entered last in the main pass.
    pub path: Option<Path>,
    pub would_use: Option<Path>,
    pub exec_vnode: Option<String>,
    pub comment: Option<String>,
    pub estimate: Option<(i64, String)>,
    pub shrunk: Option<i64>,
    pub tried: Vec<String>,
    pub set: Option<String>,
}

impl Outcome {
    pub(crate) fn new(name: &Name) -> Self {
        Self {
            name: name.clone(),
            order: None,
            verdict: Verdict::NotConsidered,
            path: None,
            would_use: None,
            exec_vnode: None,
            comment: None,
            estimate: None,
            shrunk: None,
            tried: Vec::new(),
            set: None,
        }
    }

    /// Keeps the path that was entered and adds the sets that were tried.
    pub(crate) fn note(&mut self, answer: &Answer) {
        self.path = answer.path.or(self.path);
        self.tried.extend(answer.tried.iter().cloned());
    }

    /// Notes a refusal; an array that has begun gets no comment (rule 6.12).
    pub(crate) fn refuse(&mut self, no: &No, begun: bool) {
        if self.verdict != Verdict::Run {
            self.verdict = if no.never { Verdict::Never } else { Verdict::NotNow };
        }
        if !begun {
            self.comment = Some(no.comment());
        }
    }
}

/// Formats an allocation as `exec_vnode` (rule 1.4).
pub(crate) fn exec_vnode(world: &World, allocation: &Allocation) -> String {
    let catalogue = &world.snap().catalogue;
    let chunks = allocation.iter().map(|chunk| {
        let parts = chunk.iter().map(|(node, amounts)| {
            let amounts = amounts.iter().map(|(id, amount)| {
                let unit = if catalogue.kind(*id) == ResourceType::Size { "kb" } else { "" };
                format!(":{}={amount}{unit}", catalogue.name(*id))
            });
            format!("{}{}", world.nodes[*node].name, amounts.collect::<String>())
        });
        format!("({})", parts.collect::<Vec<_>>().join("+"))
    });
    chunks.collect::<Vec<_>>().join("+")
}

/// Merges an allocation into one group for each vnode, as in estimates: resources that come later are put in
/// front.
pub(crate) fn merged(allocation: &Allocation) -> Allocation {
    let mut merged: Allocation = Vec::new();
    for (node, amounts) in allocation.iter().flatten() {
        match merged.iter_mut().flatten().find(|(have, _)| have == node) {
            None => merged.push(vec![(*node, amounts.clone())]),
            Some((_, have)) => {
                for (id, amount) in amounts {
                    match have.iter_mut().find(|(other, _)| other == id) {
                        Some((_, sum)) => *sum += amount,
                        None => have.insert(0, (*id, *amount)),
                    }
                }
            }
        }
    }
    merged
}
