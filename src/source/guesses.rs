//! Guesses the kinds of undefined resources from all their values.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Name, ResourceType};

/// The guesses so far. A value that does not fit widens its resource's kind, and the files are read again.
#[derive(Clone, Default)]
pub(crate) struct KindGuesses {
    kinds: FxHashMap<Name, ResourceType>,
    is_wider: bool,
}

impl KindGuesses {
    /// Returns the kind of a resource, as widened by earlier values that did not fit, else guessed from this value.
    pub(crate) fn kind(&self, name: &str, value: &str) -> ResourceType {
        self.kinds.get(name).copied().unwrap_or_else(|| ResourceType::guess(value))
    }

    /// Whether the kind was derived from several values.
    pub(crate) fn is_common(&self, name: &str) -> bool {
        self.kinds.contains_key(name)
    }

    /// Widens the guessed kind for a value that does not fit; returns whether another kind fits too.
    pub(crate) fn widen(&mut self, name: &Name, kind: ResourceType, value: &str) -> bool {
        let common = common(kind, ResourceType::guess(value));
        if common == kind {
            return false;
        }
        self.kinds.insert(name.clone(), common);
        self.is_wider = true;
        true
    }

    /// Whether a kind was widened, so that the files must be read again.
    pub(crate) fn is_wider(&self) -> bool {
        self.is_wider
    }

    /// Whether a kind was widened since the last call.
    pub(crate) fn take_widened(&mut self) -> bool {
        std::mem::take(&mut self.is_wider)
    }
}

/// Returns the kind that fits the values of both.
fn common(one: ResourceType, other: ResourceType) -> ResourceType {
    match (one, other) {
        (a, b) if a == b => a,
        (ResourceType::Long, ResourceType::Float) | (ResourceType::Float, ResourceType::Long) => {
            ResourceType::Float
        }
        (ResourceType::Long, ResourceType::Size) | (ResourceType::Size, ResourceType::Long) => {
            ResourceType::Size
        }
        _ => ResourceType::TextArray,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Files, LoadOptions, load};
    use qscope_engine::cluster::ResourceType;

    /// Returns the kind of `r`, and the number of vnodes with a value of it, if vnodes have these values.
    fn guessed(values: &[&str]) -> (ResourceType, usize) {
        let node = |(at, value): (usize, &&str)| {
            format!("n{at}\n     Mom = n{at}\n     state = free\n     resources_available.r = {value}\n\n")
        };
        let text: String = values.iter().enumerate().map(node).collect();
        let mut files = Files::new("t");
        files.insert("nodes.txt", text, None);
        let snapshot = load(&files, &LoadOptions::default()).unwrap();
        let id = snapshot.catalogue.id("r").unwrap();
        let reported: Vec<_> =
            snapshot.diagnostics.iter().filter(|d| d.code.starts_with("resource-")).collect();
        assert_eq!(reported.len(), 1, "{reported:?}");
        let set = snapshot.nodes.iter().filter(|node| node.available.get(id).is_some()).count();
        (snapshot.catalogue.kind(id), set)
    }

    #[test]
    fn all_values_count_not_the_first() {
        assert_eq!(guessed(&["4", "8"]), (ResourceType::Long, 2));
        assert_eq!(guessed(&["4", "red"]), (ResourceType::TextArray, 2));
        assert_eq!(guessed(&["0", "4gb"]), (ResourceType::Size, 2));
        assert_eq!(guessed(&["4gb", "0"]), (ResourceType::Size, 2));
        assert_eq!(guessed(&["True", "maybe", "1"]), (ResourceType::TextArray, 3));
        assert_eq!(guessed(&["4", "1.5", "red"]), (ResourceType::TextArray, 3));
    }
}
