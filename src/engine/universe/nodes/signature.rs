//! Node signatures: what makes two nodes alike in this cycle, and how often a chunk fits a node (rules 2.4, 3.2).

use std::hash::{Hash, Hasher};

use crate::cluster::{Amount, Catalogue, Name, ResourceId, ResourceType, Value, truth};

use crate::universe::{ChunkShape, Interner, Reason, Requirement, Shortage};

crate::id!(
    /// Index of a distinct signature.
    SigId
);

/// The value of one resource within a signature.
#[derive(Clone, Debug)]
pub enum SigValue {
    /// `resources_available` of a consumable.
    Amount(Amount),
    Bool(bool),
    /// Elements of a text, as listed.
    Texts(Box<[Name]>),
    /// Set, but the value is kept on another vnode.
    OnOtherVnode,
}

impl PartialEq for SigValue {
    /// Texts are compared as sets (rule 3.2).
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Amount(a), Self::Amount(b)) => a.key() == b.key(),
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Texts(a), Self::Texts(b)) => {
                a == b || (a.iter().all(|x| b.contains(x)) && b.iter().all(|x| a.contains(x)))
            }
            (Self::OnOtherVnode, Self::OnOtherVnode) => true,
            _ => false,
        }
    }
}

impl Eq for SigValue {}

impl Hash for SigValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Amount(amount) => amount.key().hash(state),
            Self::Bool(value) => value.hash(state),
            Self::Texts(texts) => texts.iter().map(|t| t.len()).max().hash(state),
            Self::OnOtherVnode => 0u8.hash(state),
        }
    }
}

impl SigValue {
    /// Converts the value of a node's resource.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Amount(amount) => Self::Amount(*amount),
            Value::Bool(value) => Self::Bool(*value),
            Value::Texts(texts) => Self::Texts(texts.clone()),
            Value::Indirect(_) => Self::OnOtherVnode,
        }
    }

    /// Formats the value as bucket names do.
    pub fn show(&self, kind: ResourceType) -> String {
        match self {
            Self::Amount(amount) => amount.show(kind),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Texts(texts) => texts.join(","),
            Self::OnOtherVnode => String::new(),
        }
    }
}

/// Values by resource, sorted by id.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Signature {
    pub values: Vec<(ResourceId, SigValue)>,
}

/// How often a chunk fits a signature, by totals (rule 2.4).
#[derive(Clone, PartialEq, Debug)]
pub enum ChunkFit {
    /// Fits this many times on one node.
    Times(u32),
    /// No consumable limits the number.
    Unlimited,
    /// Does not fit; holds the first reason in checking order.
    Refused(Reason),
}

impl ChunkFit {
    pub fn fits(&self) -> bool {
        !matches!(self, Self::Refused(_))
    }
}

impl Signature {
    pub fn value(&self, resource: ResourceId) -> Option<&SigValue> {
        let at = self.values.binary_search_by_key(&resource, |(have, _)| *have).ok()?;
        self.values.get(at).map(|(_, value)| value)
    }

    /// Whether every value of this signature equals that of `other`; a False boolean equals a missing one (rule 3.2,
    /// quirk D2).
    pub fn is_within(&self, other: &Self) -> bool {
        self.values.iter().all(|(resource, mine)| match (mine, other.value(*resource)) {
            (SigValue::Bool(false), None) => true,
            (mine, Some(theirs)) => mine == theirs,
            (_, None) => false,
        })
    }

    /// Returns how often a chunk fits an empty node of this signature. `host` and `vnode` are not examined;
    /// `unset_ok` are the resources that are unlimited where unset.
    pub fn fit(&self, shape: &ChunkShape, unset_ok: &[ResourceId]) -> ChunkFit {
        let mut times: Option<u32> = None;
        for (resource, requirement) in &shape.requests {
            if resource.is_node_name() {
                continue;
            }
            let have = self.value(*resource);
            // A resource that is kept on another node is not unset (rule M25).
            if have.is_none() && unset_ok.contains(resource) {
                continue;
            }
            match check(*resource, requirement, have) {
                Ok(Some(n)) => times = Some(times.map_or(n, |t| t.min(n))),
                Ok(None) => {}
                Err(shortage) => return ChunkFit::Refused(Reason::Resource(shortage)),
            }
        }
        times.map_or(ChunkFit::Unlimited, ChunkFit::Times)
    }

    /// Returns the name of a bucket of this signature: resources in alphabetical order, then booleans (rule 3.3; the
    /// real order is that of a hash table).
    pub fn show(&self, catalogue: &Catalogue) -> String {
        let mut words: Vec<(bool, String)> = self
            .values
            .iter()
            .filter(|(_, value)| !matches!(value, SigValue::OnOtherVnode))
            .map(|(resource, value)| {
                let text = format!("{}={}", catalogue.name(*resource), value.show(catalogue.kind(*resource)));
                (matches!(value, SigValue::Bool(_)), text)
            })
            .collect();
        words.sort();
        words.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(":")
    }
}

/// Compares one request with one total: returns how often it fits (`None` for unlimited), or what is missing.
fn check(
    resource: ResourceId,
    requirement: &Requirement,
    have: Option<&SigValue>,
) -> Result<Option<u32>, Shortage> {
    match requirement {
        Requirement::Amount(requested) => {
            let (total, shown) = match have {
                Some(SigValue::Amount(total)) => (*total, *total),
                _ => (Amount::ZERO, Amount(f64::NAN)),
            };
            if requested.0 > 0.0 && total < *requested {
                return Err(Shortage::amounts(resource, *requested, total, shown));
            }
            Ok(total.times(*requested))
        }
        Requirement::Bool(requested) => {
            let have = matches!(have, Some(SigValue::Bool(true)));
            if have == *requested {
                Ok(None)
            } else {
                Err(Shortage::differs(resource, truth(*requested), truth(have)))
            }
        }
        Requirement::Text(requested) => {
            let found = match have {
                Some(SigValue::Texts(texts)) => texts.contains(requested),
                _ => requested.is_empty(),
            };
            let shown = || match have {
                Some(value) => value.show(ResourceType::Text),
                None => String::new(),
            };
            if found { Ok(None) } else { Err(Shortage::differs(resource, requested, &shown())) }
        }
    }
}

/// All distinct signatures.
pub type Signatures = Interner<SigId, Signature>;

#[cfg(test)]
mod tests {
    use super::*;

    fn sig(values: &[(ResourceId, SigValue)]) -> Signature {
        Signature { values: values.to_vec() }
    }
    fn cpus(n: f64) -> (ResourceId, SigValue) {
        (ResourceId::ncpus(), SigValue::Amount(Amount(n)))
    }
    fn shape(n: f64) -> ChunkShape {
        ChunkShape { requests: vec![(ResourceId::ncpus(), Requirement::Amount(Amount(n)))] }
    }

    #[test]
    fn fit_counts_whole_chunks() {
        assert_eq!(sig(&[cpus(24.0)]).fit(&shape(12.0), &[]), ChunkFit::Times(2));
        assert_eq!(sig(&[cpus(24.0)]).fit(&shape(0.0), &[]), ChunkFit::Unlimited);
        assert!(!sig(&[cpus(8.0)]).fit(&shape(9.0), &[]).fits());
        assert!(!sig(&[]).fit(&shape(1.0), &[]).fits());
        assert_eq!(sig(&[]).fit(&shape(1.0), &[ResourceId::ncpus()]), ChunkFit::Unlimited);
    }

    /// Rule 2.4.2: a resource that may be unset matches where it is absent, and not where it is False.
    #[test]
    fn an_open_boolean_is_left_out_of_the_signature() {
        let accelerator = ResourceId::accelerator();
        let requested = ChunkShape { requests: vec![(accelerator, Requirement::Bool(true))] };
        assert_eq!(sig(&[]).fit(&requested, &[accelerator]), ChunkFit::Unlimited);
        assert!(!sig(&[]).fit(&requested, &[]).fits());
        assert!(!sig(&[(accelerator, SigValue::Bool(false))]).fit(&requested, &[accelerator]).fits());
    }

    #[test]
    fn membership_is_one_sided() {
        let mem = (ResourceId::mem(), SigValue::Amount(Amount(1024.0)));
        let (poor, rich) = (sig(&[cpus(8.0)]), sig(&[cpus(8.0), mem]));
        assert!(poor.is_within(&rich));
        assert!(!rich.is_within(&poor));
        let off = sig(&[cpus(8.0), (ResourceId::accelerator(), SigValue::Bool(false))]);
        assert!(off.is_within(&poor));
    }

    #[test]
    fn texts_are_equal_as_sets() {
        let t = |words: &[&str]| SigValue::Texts(words.iter().map(|w| Name::from(*w)).collect());
        assert_eq!(t(&["a", "b"]), t(&["b", "a"]));
        assert_ne!(t(&["a", "b"]), t(&["a"]));
    }
}
