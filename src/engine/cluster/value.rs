//! Values of resources, and lists of them.

use super::{Amount, AmountError, Catalogue, Name, ResourceId, ResourceType};

/// One value of one resource.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A consumable amount.
    Amount(Amount),
    Bool(bool),
    /// A text or the elements of a text array; an empty text is one empty element (rule 2.4).
    Texts(Box<[Name]>),
    /// `@vnode`: the value is kept on another vnode (rule 1.1, indirect resources).
    Indirect(Name),
}

impl Value {
    /// Parses the text of a value of this kind.
    ///
    /// # Errors
    /// An invalid number or boolean.
    pub fn parse(kind: ResourceType, text: &str) -> Result<Self, AmountError> {
        if let Some(target) = text.strip_prefix('@') {
            return Ok(Self::Indirect(target.into()));
        }
        Self::parse_direct(kind, text)
    }

    /// Replaces its texts by the results of `name`, which must be equal, such as shared copies.
    #[must_use]
    pub fn with_names(self, mut name: impl FnMut(&Name) -> Name) -> Self {
        match self {
            Self::Texts(texts) => Self::Texts(texts.iter().map(name).collect()),
            Self::Indirect(target) => Self::Indirect(name(&target)),
            other => other,
        }
    }

    /// Parses a value that is not `@vnode`, such as a request of a job.
    ///
    /// # Errors
    /// An invalid number or boolean.
    pub fn parse_direct(kind: ResourceType, text: &str) -> Result<Self, AmountError> {
        match kind {
            ResourceType::Boolean => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "t" | "y" | "1" => Ok(Self::Bool(true)),
                "false" | "f" | "n" | "0" => Ok(Self::Bool(false)),
                _ => Err(AmountError { text: text.to_owned(), expected: "True or False" }),
            },
            ResourceType::Text => Ok(Self::Texts(Box::new([text.into()]))),
            ResourceType::TextArray => Ok(Self::Texts(elements(text))),
            _ => Amount::parse(kind, text).map(Self::Amount),
        }
    }

    /// Returns the amount, if it is one.
    pub fn amount(&self) -> Option<Amount> {
        match self {
            Self::Amount(amount) => Some(*amount),
            _ => None,
        }
    }

    /// Returns the texts; empty if it is not a text.
    pub fn texts(&self) -> &[Name] {
        match self {
            Self::Texts(texts) => texts,
            _ => &[],
        }
    }

    /// Whether another value is the same to the bit.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Amount(one), Self::Amount(other)) => one.key() == other.key(),
            (one, other) => one == other,
        }
    }

    /// Formats the value as dumps do.
    pub fn show(&self, kind: ResourceType) -> String {
        match self {
            Self::Amount(amount) => amount.show(kind),
            Self::Bool(on) => truth(*on).to_owned(),
            Self::Texts(texts) => texts.join(","),
            Self::Indirect(target) => format!("@{target}"),
        }
    }
}

/// Formats a boolean as dumps do.
pub fn truth(on: bool) -> &'static str {
    if on { "True" } else { "False" }
}

/// Splits a text array at commas; blanks are trimmed and empty elements dropped (rule 5.1). A text without elements
/// becomes one empty element.
fn elements(text: &str) -> Box<[Name]> {
    let found: Box<[Name]> =
        text.split(',').map(str::trim).filter(|element| !element.is_empty()).map(Name::from).collect();
    if found.is_empty() { Box::new(["".into()]) } else { found }
}

/// Values by resource, sorted by id, at most one per resource.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ResourceList(Vec<(ResourceId, Value)>);

impl ResourceList {
    /// Sets the value of a resource, replacing an earlier one.
    pub fn set(&mut self, id: ResourceId, value: Value) {
        match self.0.binary_search_by_key(&id, |(have, _)| *have) {
            Ok(at) => {
                if let Some(slot) = self.0.get_mut(at) {
                    slot.1 = value;
                }
            }
            Err(at) => self.0.insert(at, (id, value)),
        }
    }

    /// Sets the values of `defaults` for resources without one.
    pub fn fill_missing(&mut self, defaults: &Self) {
        for (id, value) in defaults.iter() {
            if self.get(id).is_none() {
                self.set(id, value.clone());
            }
        }
    }

    /// Releases unused capacity.
    pub fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }

    /// Removes the value of a resource.
    pub fn unset(&mut self, id: ResourceId) {
        self.0.retain(|(have, _)| *have != id);
    }

    pub fn get(&self, id: ResourceId) -> Option<&Value> {
        let at = self.0.binary_search_by_key(&id, |(have, _)| *have).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    /// Returns the amount of a consumable resource, if it is set.
    pub fn amount(&self, id: ResourceId) -> Option<Amount> {
        self.get(id).and_then(Value::amount)
    }

    /// Returns the number of cpus; 0 if unset.
    pub fn cpus(&self) -> f64 {
        self.amount(ResourceId::ncpus()).map_or(0.0, |cpus| cpus.0)
    }

    /// Returns all values in the order of ids.
    pub fn iter(&self) -> impl Iterator<Item = (ResourceId, &Value)> {
        self.0.iter().map(|(id, value)| (*id, value))
    }

    /// Returns all values in the order of names, ignoring case, as dumps list them.
    pub fn by_name<'a>(&'a self, catalogue: &Catalogue) -> Vec<(ResourceId, &'a Value)> {
        let mut all: Vec<_> = self.iter().collect();
        all.sort_by(|(one, _), (other, _)| catalogue.compare_names(*one, *other));
        all
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_drop_empty_elements() {
        let v = Value::parse(ResourceType::TextArray, "sw4,").unwrap();
        assert_eq!(v.texts(), ["sw4".into()]);
        assert_eq!(Value::parse(ResourceType::TextArray, "a, b").unwrap().texts().len(), 2);
        assert_eq!(Value::parse(ResourceType::Text, "").unwrap().texts(), ["".into()]);
    }

    #[test]
    fn indirect_values_name_their_vnode() {
        assert_eq!(Value::parse(ResourceType::Long, "@n1").unwrap(), Value::Indirect("n1".into()));
    }

    #[test]
    fn lists_keep_the_last_value() {
        let mut list = ResourceList::default();
        list.set(ResourceId::mem(), Value::Amount(Amount(1.0)));
        list.set(ResourceId::ncpus(), Value::Amount(Amount(4.0)));
        list.set(ResourceId::mem(), Value::Amount(Amount(2.0)));
        assert_eq!(list.amount(ResourceId::mem()), Some(Amount(2.0)));
        assert_eq!(list.len(), 2);
    }
}
