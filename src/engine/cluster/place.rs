//! The place language: arrangement, sharing, grouping (rule 2.1).

use std::fmt;

use super::Name;

/// Arrangement of chunks on nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Arrangement {
    /// On any nodes, several on one node if they fit.
    #[default]
    Free,
    /// All on one host.
    Pack,
    /// At most one per host.
    Scatter,
    /// At most one per vnode.
    Vscatter,
}

impl Arrangement {
    /// Whether each chunk needs a host or vnode of its own.
    pub fn is_spread(self) -> bool {
        matches!(self, Self::Scatter | Self::Vscatter)
    }
}

/// Sharing of nodes that a job requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum PlaceSharing {
    /// Not specified: the nodes decide.
    #[default]
    #[strum(disabled)]
    Unsaid,
    Shared,
    Excl,
    /// `exclhost`, which implies `excl`.
    Exclhost,
}

/// A parsed place.
#[derive(Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct Place {
    pub arrangement: Arrangement,
    /// Whether an arrangement was given explicitly.
    pub arranged: bool,
    pub sharedness: PlaceSharing,
    /// `group=RESOURCE`.
    pub group: Option<Name>,
}

/// Why a text is not a place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("place `{text}`: {what}")]
pub struct PlaceError {
    /// The whole text.
    pub text: String,
    pub what: String,
}

impl Place {
    /// Returns the place of a job that requests neither a select nor a place (rule 2.1).
    pub fn of_old_style() -> Self {
        Self { arrangement: Arrangement::Pack, arranged: true, ..Self::default() }
    }

    /// Parses a place. Words must be lower case, as in the scheduler (rule 2.1).
    ///
    /// # Errors
    /// An unknown word, or two of one kind.
    pub fn parse(text: &str) -> Result<Self, PlaceError> {
        let fail = |what: String| PlaceError { text: text.to_owned(), what };
        let mut place = Self::default();
        let mut shared_seen = false;
        for word in text.split(':').filter(|word| !word.is_empty()) {
            if let Some(resource) = word.strip_prefix("group=") {
                place.group = Some(resource.into());
                continue;
            }
            match (word.parse(), word.parse()) {
                (Ok(found), _) if !place.arranged => {
                    place.arrangement = found;
                    place.arranged = true;
                }
                (_, Ok(found)) if !shared_seen => {
                    place.sharedness = found;
                    shared_seen = true;
                }
                (Err(_), Err(_)) => return Err(fail(format!("`{word}` is not a place word"))),
                _ => return Err(fail(format!("`{word}` is a second word of its kind"))),
            }
        }
        Ok(place)
    }

    /// Whether it requests exclusive nodes (`excl` or `exclhost`).
    pub fn is_excl(&self) -> bool {
        matches!(self.sharedness, PlaceSharing::Excl | PlaceSharing::Exclhost)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.arrangement.into())?;
        if self.sharedness != PlaceSharing::Unsaid {
            write!(f, ":{}", <&str>::from(self.sharedness))?;
        }
        match &self.group {
            Some(group) => write!(f, ":group={group}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_any_order() {
        let p = Place::parse("excl:scatter:group=switch").unwrap();
        assert_eq!(p.arrangement, Arrangement::Scatter);
        assert!(p.is_excl());
        assert_eq!(p.to_string(), "scatter:excl:group=switch");
        assert_eq!(Place::parse("excl").unwrap().arrangement, Arrangement::Free);
    }

    #[test]
    fn unknown_and_doubled_words_are_refused() {
        assert!(Place::parse("Scatter").is_err());
        assert!(Place::parse("scatter:share").is_err());
        assert!(Place::parse("free:pack").is_err());
    }
}
