//! Resource definitions: type and flags.

use super::Name;

/// Type of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ResourceType {
    /// Whole numbers and durations.
    Long,
    /// Sizes, counted in kilobytes.
    Size,
    /// Floating-point numbers.
    Float,
    /// True or False.
    Boolean,
    #[strum(serialize = "string")]
    Text,
    /// Lists of texts.
    #[strum(serialize = "string_array")]
    TextArray,
}

impl ResourceType {
    /// Whether the scheduler treats it as consumable, whatever its flags (rule 1.10).
    pub fn is_consumable(self) -> bool {
        matches!(self, Self::Long | Self::Size | Self::Float)
    }

    /// Returns the type for a word that `qmgr` prints.
    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }

    /// Returns the word that `qmgr` prints.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Guesses the type of an undefined resource from a value.
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
pub struct ResourceFlags {
    /// `h`: hosts have it, so chunks may request it.
    pub host: bool,
    /// `q`, `n` or `f`: the server sums it over chunks.
    pub summed: bool,
    /// `q` itself: the job-wide total is compared with that of all nodes (rule 5.4).
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

impl ResourceFlags {
    /// Reads the letters that `qmgr` prints; unknown ones are ignored.
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
    pub kind: ResourceType,
    pub flags: ResourceFlags,
    /// Whether it is built in, not defined by the site.
    pub built_in: bool,
    /// Whether type and flags were guessed from values because there is no definition.
    pub guessed: bool,
}
