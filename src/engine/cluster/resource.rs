//! What a resource is: the values it takes, where it lives and how it is counted.

use super::Name;

/// What values a resource takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Kind {
    /// Whole numbers and times.
    Long,
    /// Bytes, counted in kilobytes.
    Size,
    /// Fractions.
    Float,
    /// True or False.
    Boolean,
    #[strum(serialize = "string")]
    Text,
    /// Several texts at once.
    #[strum(serialize = "string_array")]
    TextArray,
}

impl Kind {
    /// Consumable for the scheduler whatever its flags are (rule 1.10).
    pub fn is_consumable(self) -> bool {
        matches!(self, Self::Long | Self::Size | Self::Float)
    }

    /// The kind that `qmgr` prints as this word.
    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }

    /// The word that `qmgr` prints for this kind.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The kind that a value of an undefined resource most likely has.
    pub fn guess(value: &str) -> Self {
        let value = value.trim();
        if value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false") {
            return Self::Boolean;
        }
        if value.parse::<i64>().is_ok() {
            return Self::Long;
        }
        if value.parse::<f64>().is_ok_and(f64::is_finite) {
            return Self::Float;
        }
        let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = value.get(number.len()..).unwrap_or_default().to_ascii_lowercase();
        if number.parse::<u64>().is_ok() && matches!(unit.as_str(), "b" | "kb" | "mb" | "gb" | "tb" | "pb") {
            return Self::Size;
        }
        Self::TextArray
    }
}

/// The flags of a resource (rule 1.10).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// `h`: a host has it, so chunks may request it.
    pub host: bool,
    /// `q`, `n` or `f`: the server sums it over chunks.
    pub summed: bool,
    /// `q` itself: what a job requests in all is compared with what all nodes have (rule 5.4).
    pub compared_in_all: bool,
    /// `n`: accounted on every vnode of a chunk.
    pub every_node: bool,
    /// `f`: accounted on the first vnode of a chunk.
    pub first_node: bool,
    /// `i`: hidden from users.
    pub invisible: bool,
    /// `r`: users may read it but not request it.
    pub read_only: bool,
}

impl Flags {
    /// Reads the letters that `qmgr` prints; unknown ones are skipped.
    pub fn from_letters(letters: &str) -> Self {
        let has = |c| letters.contains(c);
        Self {
            host: has('h'),
            summed: has('q') || has('n') || has('f'),
            compared_in_all: has('q'),
            every_node: has('n'),
            first_node: has('f'),
            invisible: has('i'),
            read_only: has('r'),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceDef {
    pub name: Name,
    /// What values it takes.
    pub kind: Kind,
    /// Where it lives and how it is counted.
    pub flags: Flags,
    /// Whether the batch system brings it, not the site.
    pub built_in: bool,
    /// Whether kind and flags were guessed from values, because no definition was at hand.
    pub guessed: bool,
}
