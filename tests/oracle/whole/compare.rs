//! Compares requests with available resources (rule 2.4).

use qscope_engine::cluster::{Amount, Name, ResourceId};

use super::reason::{Code, No};
use super::world::{Given, Have, Want, World};

/// The availability of one resource.
pub(crate) enum There {
    Unset,
    /// Set but without a value, which is on another node.
    Valueless,
    /// Amount left and total amount.
    Amount(f64, f64),
    /// Whether some nodes have it True, and whether some have it False.
    Bool(bool, bool),
    Texts(Vec<Name>),
}

/// The mode of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct How {
    /// Whether the total is compared instead of what is left.
    pub(crate) in_all: bool,
    /// Whether an unset resource counts as 0.
    pub(crate) unset_is_zero: bool,
}

pub(crate) const NOW: How = How { in_all: false, unset_is_zero: true };
pub(crate) const IN_ALL: How = How { in_all: true, unset_is_zero: true };

/// Returns an amount as comments show it.
pub(crate) fn show(given: &Given, resource: ResourceId, amount: f64) -> String {
    Amount(amount).show(given.snap.catalogue.kind(resource))
}

/// Returns how often a request fits; none if the number is unlimited.
pub(crate) fn fits(
    given: &Given,
    (resource, want): &(ResourceId, Want),
    there: There,
    how: How,
) -> Result<Option<usize>, No> {
    let there = match there {
        There::Unset if given.infinite.contains(resource) || !how.unset_is_zero => return Ok(None),
        There::Unset | There::Valueless => match want {
            Want::Amount(wanted) if *wanted > 0.0 => return Err(short(given, *resource, *wanted, 0.0, None)),
            Want::Amount(_) => return Ok(None),
            Want::Bool(_) => There::Bool(false, true),
            Want::Text(_) => There::Texts(vec!["".into()]),
        },
        there => there,
    };
    match (want, there) {
        (Want::Amount(wanted), There::Amount(left, total)) => {
            let have = if how.in_all { total } else { left.max(0.0) };
            if *wanted <= 0.0 {
                Ok(None)
            } else if have < *wanted {
                Err(short(given, *resource, *wanted, have, Some(total)))
            } else {
                Ok(Some((have / wanted).floor() as usize))
            }
        }
        (Want::Bool(wanted), There::Bool(on, off)) => {
            let met = if *wanted { on } else { off };
            if met { Ok(None) } else { Err(differs(given, *resource, word(*wanted), word(!wanted))) }
        }
        (Want::Text(wanted), There::Texts(texts)) => {
            let equal = |text: &Name| match *resource == ResourceId::host() {
                true => text.eq_ignore_ascii_case(wanted),
                false => text == wanted,
            };
            if texts.iter().any(equal) {
                Ok(None)
            } else {
                Err(differs(given, *resource, wanted, &texts.join(",")))
            }
        }
        _ => Ok(None),
    }
}

fn word(on: bool) -> &'static str {
    if on { "True" } else { "False" }
}

fn differs(given: &Given, resource: ResourceId, wanted: &str, have: &str) -> No {
    let name = given.snap.catalogue.name(resource);
    No::of(Code::Resource, resource, format!("Insufficient amount of resource: {name} ({wanted} != {have})"))
}

/// Returns the text of a shortage; an unset total is shown as a bare 0.
fn short(given: &Given, resource: ResourceId, wanted: f64, left: f64, total: Option<f64>) -> No {
    let name = given.snap.catalogue.name(resource);
    let total = total.map_or("0".to_owned(), |total| show(given, resource, total));
    let (wanted, left) = (show(given, resource, wanted), show(given, resource, left));
    let text = format!("Insufficient amount of resource: {name} (R: {wanted} A: {left} T: {total})");
    No::of(Code::Resource, resource, text)
}

impl World {
    /// Returns what a node has of a resource, with more in use than its row has.
    pub(crate) fn there(&self, node: usize, resource: ResourceId, more_used: f64) -> There {
        match self.have(node, resource) {
            None => There::Unset,
            Some((at, Have::Amount(total))) => {
                let used = self.nodes[at].assigned.get(&resource).copied().unwrap_or(0.0) + more_used;
                There::Amount(total - used, *total)
            }
            Some((_, Have::Bool(on))) => There::Bool(*on, !*on),
            Some((_, Have::Texts(texts))) => There::Texts(texts.clone()),
            Some((_, Have::Away(_))) => There::Unset,
        }
    }
}
