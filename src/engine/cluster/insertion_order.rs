//! Collections in the order of first occurrence, with lookup.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Returns the first item for which `is_it` holds; if there is none, appends what `make` returns.
#[expect(clippy::indexing_slicing, reason = "what stands there was found, or put there just before")]
pub fn found_or_added<T>(
    list: &mut Vec<T>,
    is_it: impl FnMut(&T) -> bool,
    make: impl FnOnce() -> T,
) -> &mut T {
    let at = list.iter().position(is_it).unwrap_or_else(|| {
        list.push(make());
        list.len() - 1
    });
    &mut list[at]
}

/// Returns the value of a key in a short list of pairs, appending the default if the key is missing.
#[expect(clippy::indexing_slicing, reason = "what stands there was found, or put there just before")]
pub fn value_of<K: PartialEq, V: Default>(list: &mut Vec<(K, V)>, key: K) -> &mut V {
    let at = list.iter().position(|(have, _)| *have == key);
    let at = at.unwrap_or(list.len());
    if at == list.len() {
        list.push((key, V::default()));
    }
    &mut list[at].1
}

/// Returns each item once, in the order of first occurrence. Meant for few items, where a linear search is faster
/// than hashing.
pub fn deduplicated<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    for one in all {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}

/// One value per key, in the order of first occurrence of the keys.
#[derive(Clone, Debug)]
pub struct InsertionOrderMap<K, T> {
    index: FxHashMap<K, usize>,
    values: Vec<T>,
}

impl<K, T> Default for InsertionOrderMap<K, T> {
    fn default() -> Self {
        Self { index: FxHashMap::default(), values: Vec::new() }
    }
}

impl<K: Eq + Hash, T> InsertionOrderMap<K, T> {
    /// Returns the value of a key, created by `make` if the key is new.
    #[expect(clippy::indexing_slicing, reason = "what stands there was found, or put there just before")]
    pub fn of(&mut self, key: K, make: impl FnOnce() -> T) -> &mut T {
        let Self { index, values } = self;
        let at = *index.entry(key).or_insert_with(|| {
            values.push(make());
            values.len() - 1
        });
        &mut values[at]
    }

    /// Returns the value of a known key.
    pub fn met(&mut self, key: &K) -> Option<&mut T> {
        self.values.get_mut(*self.index.get(key)?)
    }

    /// Returns all values.
    pub fn into_all(self) -> Vec<T> {
        self.values
    }

    /// Returns all values with their keys.
    pub fn into_pairs(self) -> impl Iterator<Item = (K, T)> {
        let mut keys: Vec<(usize, K)> = self.index.into_iter().map(|(key, at)| (at, key)).collect();
        keys.sort_unstable_by_key(|(at, _)| *at);
        keys.into_iter().map(|(_, key)| key).zip(self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_met_again_is_found_in_its_first_place() {
        let mut met: InsertionOrderMap<char, String> = InsertionOrderMap::default();
        for letter in "banana".chars() {
            met.of(letter, String::new).push(letter);
        }
        assert_eq!((met.met(&'n').map(|text| text.len()), met.met(&'x')), (Some(2), None));
        assert_eq!(met.clone().into_all(), ["b", "aaa", "nn"]);
        let pairs: Vec<(char, String)> = met.into_pairs().collect();
        assert_eq!(pairs, [('b', "b".to_owned()), ('a', "aaa".to_owned()), ('n', "nn".to_owned())]);
        let mut list = vec![(1, 'a')];
        found_or_added(&mut list, |one| one.0 == 1, || (1, 'x')).1 = 'b';
        found_or_added(&mut list, |one| one.0 == 2, || (2, 'c'));
        assert_eq!(list, [(1, 'b'), (2, 'c')]);
        assert_eq!(deduplicated("banana".chars()), ['b', 'a', 'n']);
    }
}
