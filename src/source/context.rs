//! Context of all decoders: resources, dates, shared names.

mod attribute;

pub(crate) use self::attribute::AttributeReader;

use rustc_hash::{FxHashMap, FxHashSet};

use super::guesses::KindGuesses;
use super::zone::Zone;
use qscope_engine::cluster::{Catalogue, ExactList, Name, Select, SelectError, SharedList};

/// Context shared by all decoders of one load.
pub(crate) struct ReadContext<'c> {
    /// All resources; undefined ones are added when first met.
    pub(crate) catalogue: &'c mut Catalogue,
    /// The zone of dates.
    pub(crate) zone: &'c Zone,
    /// Number of array indices that may still be stored: a short text can name billions.
    pub(crate) max_indices: usize,
    /// Whether an empty value removes the previous one.
    removes_empty: bool,
    guesses: &'c mut KindGuesses,
    names: FxHashSet<Name>,
    /// Parsed selects by their texts.
    selects: FxHashMap<Name, Select>,
    /// Lists of what jobs request.
    lists: FxHashSet<ExactList<SharedList>>,
}

impl<'c> ReadContext<'c> {
    pub(crate) fn new(catalogue: &'c mut Catalogue, zone: &'c Zone, guesses: &'c mut KindGuesses) -> Self {
        Self {
            catalogue,
            zone,
            max_indices: 10_000_000,
            removes_empty: false,
            guesses,
            names: FxHashSet::default(),
            selects: FxHashMap::default(),
            lists: FxHashSet::default(),
        }
    }

    /// Creates a context for values set over existing ones, where an empty value removes the existing one.
    pub(crate) fn for_overrides(
        catalogue: &'c mut Catalogue,
        zone: &'c Zone,
        guesses: &'c mut KindGuesses,
    ) -> Self {
        Self { removes_empty: true, ..Self::new(catalogue, zone, guesses) }
    }

    /// Whether values are set over existing ones rather than read for the first time.
    pub(crate) fn replaces(&self) -> bool {
        self.removes_empty
    }

    /// Returns this name, shared with all equal ones.
    pub(crate) fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name = Name::from(text);
        self.names.insert(name.clone());
        name
    }

    /// Returns the select of a text, shared with all of the same text.
    ///
    /// # Errors
    /// The text is not a select.
    pub(crate) fn select(&mut self, text: &str) -> Result<Select, SelectError> {
        match self.selects.get(text) {
            Some(select) => Ok(select.clone()),
            None => Select::parse(text).map(|select| self.shared_select(select)),
        }
    }

    /// Returns this select, shared with all of the same text.
    pub(crate) fn shared_select(&mut self, select: Select) -> Select {
        self.selects.entry(select.text.clone()).or_insert(select).clone()
    }

    /// Shares a list with all equal ones.
    pub(crate) fn share_list(&mut self, list: &mut SharedList) {
        let key = ExactList(list.clone());
        match self.lists.get(&key) {
            Some(ExactList(known)) => *list = known.clone(),
            None => {
                self.lists.insert(key);
            }
        }
    }

    /// Returns this name without the part from `@` on, shared.
    pub(crate) fn user(&mut self, text: &str) -> Name {
        self.name(text.split('@').next().unwrap_or(text))
    }

    /// Whether a value widened the guessed kind of a resource.
    pub(crate) fn is_guess_wider(&self) -> bool {
        self.guesses.is_wider()
    }

    /// Returns names separated by commas, trimmed, without empty ones.
    pub(crate) fn list(&mut self, text: &str) -> Vec<Name> {
        let text = text.trim().trim_matches('"');
        text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(|word| self.name(word)).collect()
    }

    /// Returns the first occurrence of this name; thousands of vnodes have the same.
    fn shared(&mut self, name: &Name) -> Name {
        if let Some(have) = self.names.get(name) {
            return have.clone();
        }
        self.names.insert(name.clone());
        name.clone()
    }

    /// Returns a shared name unless the text is empty.
    pub(crate) fn shared_name_unless_empty(&mut self, text: &str) -> Option<Name> {
        let text = text.trim();
        (!text.is_empty()).then(|| self.name(text))
    }
}

/// Removes the quotes that some values were set with. Two quotes alone are a value of their own.
pub(crate) fn unquoted(value: &str) -> &str {
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(value)
}
