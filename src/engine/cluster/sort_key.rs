//! Sort keys of `sched_config`: `"ncpus HIGH unused"` (rule 1.11).

use super::Name;

/// Direction of a sort key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum SortDirection {
    /// Largest first.
    High,
    /// Smallest first.
    Low,
}

/// The amount of a consumable that a node key reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum SortField {
    /// `resources_available`.
    #[default]
    Total,
    /// `resources_assigned`.
    Assigned,
    /// Amount left.
    Unused,
}

/// What a node key compares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NodeSortTerm {
    /// The node's `Priority`.
    Priority,
    /// `last_used_time`.
    LastUsed,
    /// A resource, by name; unknown ones compare as 0.
    Resource(Name, SortField),
}

/// One `node_sort_key`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeSortKey {
    pub term: NodeSortTerm,
    pub direction: SortDirection,
}

/// One `node_group_sort_key`, which orders placement sets. Designed but never released (rule 5.6).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupSortKey {
    /// Name of the resource: compares the value of a group key, or the sum of a consumable.
    pub resource: Name,
    pub direction: SortDirection,
    /// Which sum of a consumable; ignored for texts.
    pub field: SortField,
}

/// What a job key compares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobSortTerm {
    Priority,
    /// The job's share in the fair share tree.
    FairsharePercentage,
    PreemptPriority,
    /// A resource of the job's `Resource_List`, by name.
    Resource(Name),
}

/// One `job_sort_key`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobSortKey {
    pub term: JobSortTerm,
    pub direction: SortDirection,
}

/// Why a text is not a sort key.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("sort key `{text}`: {what}")]
pub struct SortKeyError {
    pub text: String,
    pub what: &'static str,
}

impl SortDirection {
    fn from_word(word: &str) -> Option<Self> {
        match word {
            "HIGH" | "High" | "high" => Some(Self::High),
            "LOW" | "Low" | "low" => Some(Self::Low),
            _ => None,
        }
    }
}

impl NodeSortKey {
    /// Parses `resource HIGH|LOW [total|assigned|unused]`.
    ///
    /// # Errors
    /// No direction, or an unknown field.
    pub fn parse(text: &str) -> Result<Self, SortKeyError> {
        let (name, direction, field) = amount_key(text)?;
        let term = match name {
            "sort_priority" => NodeSortTerm::Priority,
            "last_used_time" => NodeSortTerm::LastUsed,
            resource => NodeSortTerm::Resource(resource.into(), field),
        };
        Ok(Self { term, direction })
    }

    /// Whether the order changes as jobs start: a key on `unused` or `assigned`.
    pub fn is_per_job(&self) -> bool {
        matches!(self.term, NodeSortTerm::Resource(_, SortField::Unused | SortField::Assigned))
    }
}

impl GroupSortKey {
    /// Parses `resource HIGH|LOW [total|assigned|unused]`.
    ///
    /// # Errors
    /// No direction, an unknown field, or further words.
    pub fn parse(text: &str) -> Result<Self, SortKeyError> {
        let (resource, direction, field) = amount_key(text)?;
        if let Some(more) = text.split_whitespace().nth(3) {
            let what = if more.eq_ignore_ascii_case("all") || more.to_lowercase().contains("prime") {
                "the period stands after the closing quote"
            } else {
                "expected nothing behind the third word"
            };
            return Err(SortKeyError { text: text.to_owned(), what });
        }
        Ok(Self { resource: resource.into(), direction, field })
    }

    /// Returns the key as written in `sched_config`.
    pub fn show(&self) -> String {
        let direction = match self.direction {
            SortDirection::High => "HIGH",
            SortDirection::Low => "LOW",
        };
        let field = match self.field {
            SortField::Total => "",
            SortField::Assigned => " assigned",
            SortField::Unused => " unused",
        };
        format!("{} {direction}{field}", self.resource)
    }
}

/// Splits `resource HIGH|LOW [total|assigned|unused]`; further words are ignored.
fn amount_key(text: &str) -> Result<(&str, SortDirection, SortField), SortKeyError> {
    let (name, direction, field) = directed(text)?;
    let field = match field {
        None | Some("total") => SortField::Total,
        Some("assigned") => SortField::Assigned,
        Some("unused") => SortField::Unused,
        Some(_) => {
            return Err(SortKeyError { text: text.to_owned(), what: "expected total, assigned or unused" });
        }
    };
    Ok((name, direction, field))
}

/// Splits `name HIGH|LOW`, and returns the next word too.
fn directed(text: &str) -> Result<(&str, SortDirection, Option<&str>), SortKeyError> {
    let fail = |what| SortKeyError { text: text.to_owned(), what };
    let mut words = text.split_whitespace();
    let name = words.next().ok_or_else(|| fail("it is empty"))?;
    let direction =
        words.next().and_then(SortDirection::from_word).ok_or_else(|| fail("expected HIGH or LOW"))?;
    Ok((name, direction, words.next()))
}

impl JobSortKey {
    /// Parses `resource HIGH|LOW`.
    ///
    /// # Errors
    /// No direction.
    pub fn parse(text: &str) -> Result<Self, SortKeyError> {
        let (name, direction, _) = directed(text)?;
        let term = match name {
            "job_priority" | "sort_priority" => JobSortTerm::Priority,
            "fair_share_perc" => JobSortTerm::FairsharePercentage,
            "preempt_priority" => JobSortTerm::PreemptPriority,
            resource => JobSortTerm::Resource(resource.into()),
        };
        Ok(Self { term, direction })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_keys_have_a_field() {
        let k = NodeSortKey::parse("ncpus HIGH unused").unwrap();
        assert!(k.is_per_job());
        assert_eq!(NodeSortKey::parse("sort_priority LOW").unwrap().direction, SortDirection::Low);
        assert!(NodeSortKey::parse("ncpus").is_err());
        assert!(NodeSortKey::parse("ncpus HIGH most").is_err());
    }

    #[test]
    fn rule_5_6_group_keys_name_a_resource_a_direction_and_a_sum() {
        let key = GroupSortKey::parse("switch HIGH").unwrap();
        assert_eq!(
            (&*key.resource, key.direction, key.field),
            ("switch", SortDirection::High, SortField::Total)
        );
        for text in ["ncpus LOW unused", "mem HIGH assigned", "router LOW"] {
            assert_eq!(GroupSortKey::parse(text).unwrap().show(), text);
        }
        for bad in ["", "switch", "switch UP", "ncpus LOW most", "ncpus LOW total all", "ncpus LOW all"] {
            assert!(GroupSortKey::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn job_keys_know_the_special_names() {
        assert_eq!(JobSortKey::parse("job_priority HIGH").unwrap().term, JobSortTerm::Priority);
        assert_eq!(JobSortKey::parse("walltime LOW").unwrap().term, JobSortTerm::Resource("walltime".into()));
    }
}
