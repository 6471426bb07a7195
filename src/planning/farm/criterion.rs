//! The criterion by which jobs fall into classes: the deck's criterion X.

use std::fmt;

use super::FarmError;

/// The class of a job that does not match the pattern or lacks the resource.
pub const OTHER: &str = "other";

/// The property of a job that determines its class.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Criterion {
    #[default]
    Queue,
    /// The group; in grids, the virtual organisation.
    Group,
    User,
    Project,
    /// The partition, which only SWF traces have.
    Partition,
    /// Whether the job's name matches a pattern with `*` and `?`.
    Name(String),
    /// The value of a resource that the job requests; with a pattern, whether it matches.
    Resource(String, Option<String>),
}

/// The properties of a job that can determine its class.
pub trait JobProperties {
    /// Returns the queue, group, user, project or partition.
    fn attribute(&self, criterion: &Criterion) -> Option<String>;
    fn name(&self) -> Option<String>;
    /// Returns the requested value of a resource; by default jobs have none.
    fn resource(&self, _name: &str) -> Option<String> {
        None
    }
}

impl Criterion {
    /// Reads `queue`, `group`, `user`, `project`, `partition`, `name:PATTERN`, `resource:NAME` or
    /// `resource:NAME=PATTERN`.
    ///
    /// # Errors
    /// The text is none of these.
    pub fn parse(text: &str) -> Result<Self, FarmError> {
        Ok(match text.split_once(':') {
            Some(("name", pattern)) if !pattern.is_empty() => Self::Name(pattern.to_owned()),
            Some(("resource", rest)) if !rest.is_empty() => match rest.split_once('=') {
                Some((name, pattern)) => Self::Resource(name.to_owned(), Some(pattern.to_owned())),
                None => Self::Resource(rest.to_owned(), None),
            },
            _ => match text {
                "queue" => Self::Queue,
                "group" => Self::Group,
                "user" => Self::User,
                "project" => Self::Project,
                "partition" => Self::Partition,
                _ => return Err(FarmError::Criterion { found: text.to_owned() }),
            },
        })
    }

    pub fn class_of(&self, job: &impl JobProperties) -> String {
        let fits = |pattern: &str, value: Option<String>| {
            let fits = value.is_some_and(|value| glob(pattern.as_bytes(), value.as_bytes()));
            if fits { class_of_pattern(pattern) } else { OTHER.to_owned() }
        };
        match self {
            Self::Name(pattern) => fits(pattern, job.name()),
            Self::Resource(name, Some(pattern)) => fits(pattern, job.resource(name)),
            Self::Resource(name, None) => job.resource(name).unwrap_or_else(|| OTHER.to_owned()),
            _ => job.attribute(self).filter(|value| !value.is_empty()).unwrap_or_else(|| OTHER.to_owned()),
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Queue => f.write_str("queue"),
            Self::Group => f.write_str("group"),
            Self::User => f.write_str("user"),
            Self::Project => f.write_str("project"),
            Self::Partition => f.write_str("partition"),
            Self::Name(pattern) => write!(f, "name:{pattern}"),
            Self::Resource(name, None) => write!(f, "resource:{name}"),
            Self::Resource(name, Some(pattern)) => write!(f, "resource:{name}={pattern}"),
        }
    }
}

/// Returns the name of a pattern's class, its letters and digits: `sim_*` gives `sim`.
fn class_of_pattern(pattern: &str) -> String {
    let name: String = pattern.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let name = name.trim_matches('_');
    if name.is_empty() { "match".to_owned() } else { name.to_owned() }
}

/// Returns whether a text matches a pattern in which `*` is any text and `?` any byte.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == b'?' || text.get(t) == Some(byte) => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                p = at + 1;
                t = taken + 1;
            }
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_in_a_shell() {
        for (pattern, text, fits) in [
            ("sim*", "sim_12", true),
            ("sim*", "asim", false),
            ("*_v?", "run_v2", true),
            ("*_v?", "run_v22", false),
            ("*a*b*", "xxaxxbxx", true),
            ("", "", true),
            ("", "x", false),
        ] {
            assert_eq!(glob(pattern.as_bytes(), text.as_bytes()), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn every_criterion_reads_as_it_prints() {
        for text in
            ["queue", "group", "user", "project", "partition", "name:sim*", "resource:io", "resource:io=a*"]
        {
            assert_eq!(Criterion::parse(text).unwrap().to_string(), text);
        }
        for wrong in ["", "name", "name:", "resource:", "color"] {
            assert!(Criterion::parse(wrong).is_err());
        }
    }
}
