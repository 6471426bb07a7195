//! Limits on what users, groups and projects may run (rule 6.6).

use super::{Amount, Kind, Name, ResourceId};

/// Whom a limit is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum LimitScope {
    /// `u:`.
    User,
    /// `g:`.
    Group,
    /// `p:`.
    Project,
    /// `o:PBS_ALL`.
    Overall,
}

/// One entry of a limit attribute.
#[derive(Clone, PartialEq, Debug)]
pub struct LimitEntry {
    /// Whom it is for.
    pub scope: LimitScope,
    /// The one it names; none for PBS_GENERIC and PBS_ALL.
    pub entity: Option<Name>,
    /// The limited resource; none for a limit on the number of jobs.
    pub resource: Option<ResourceId>,
    /// The limit.
    pub amount: Amount,
    pub soft: bool,
}

impl LimitEntry {
    /// Whom it is for, as the batch system writes it: `u:ann`, `g:PBS_GENERIC`, `o:PBS_ALL`.
    pub fn holder(&self) -> String {
        let (letter, rest) = match self.scope {
            LimitScope::User => ('u', "PBS_GENERIC"),
            LimitScope::Group => ('g', "PBS_GENERIC"),
            LimitScope::Project => ('p', "PBS_GENERIC"),
            LimitScope::Overall => ('o', "PBS_ALL"),
        };
        format!("{letter}:{}", self.entity.as_deref().unwrap_or(rest))
    }
}

/// Why a text is not a limit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("limit `{text}`: {what}")]
pub struct LimitError {
    /// The entry.
    pub text: String,
    /// What is wrong.
    pub what: String,
}

/// All limits of a server or a queue, old attributes mapped to new ones.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Limits {
    /// The entries in the order found.
    pub entries: Vec<LimitEntry>,
    /// Whether they are written in the old style; one object has one style only.
    pub old_style: bool,
}

impl Limits {
    /// The attribute that limits the jobs of a scope, or what they use of a resource (rule 6.6).
    pub fn attribute(&self, scope: LimitScope, resource: Option<&str>) -> String {
        let name = match (scope, self.old_style, resource) {
            (LimitScope::Overall, true, None) => "max_running",
            (LimitScope::User, true, None) => "max_user_run",
            (LimitScope::User, true, Some(_)) => "max_user_res",
            (LimitScope::Group, true, None) => "max_group_run",
            (LimitScope::Group, true, Some(_)) => "max_group_res",
            (_, _, None) => "max_run",
            (_, _, Some(_)) => "max_run_res",
        };
        resource.map_or_else(|| name.to_owned(), |resource| format!("{name}.{resource}"))
    }

    /// Adds the entries of a new-style attribute such as `[u:PBS_GENERIC=3],[o:PBS_ALL=10]`.
    ///
    /// # Errors
    /// The first entry that cannot be read; the ones before it are kept.
    pub fn add(
        &mut self,
        text: &str,
        resource: Option<(ResourceId, Kind)>,
        soft: bool,
    ) -> Result<(), LimitError> {
        for entry in
            text.split('[').map(|part| part.trim().trim_end_matches(',').trim().trim_end_matches(']'))
        {
            if entry.is_empty() {
                continue;
            }
            self.entries.push(read_entry(entry, resource, soft)?);
        }
        Ok(())
    }

    /// Adds an old-style limit, which has one amount for every entity of its scope.
    pub fn add_old(&mut self, scope: LimitScope, resource: Option<ResourceId>, amount: Amount, soft: bool) {
        self.old_style = true;
        self.entries.push(LimitEntry { scope, entity: None, resource, amount, soft });
    }

    /// Whether an entry is for an entity of its scope: an individual one for the entity that it names, a generic one for
    /// those without one of their own (rule 6.6).
    pub fn is_for(&self, entry: &LimitEntry, entity: &str) -> bool {
        let is_own = |other: &LimitEntry| {
            (other.scope, other.resource, other.soft) == (entry.scope, entry.resource, entry.soft)
                && other.entity.as_deref() == Some(entity)
        };
        match &entry.entity {
            Some(name) => **name == *entity,
            None => !self.entries.iter().any(is_own),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Limits on what may be in a queue or at the server, which count when a job is submitted or moved; no cycle looks at them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct QueuedLimits {
    /// `max_queued` and `max_queued_res`: of all jobs, those that run included.
    pub all: Limits,
    /// `queued_jobs_threshold` and `queued_jobs_threshold_res`: of jobs in state Q.
    pub waiting: Limits,
}

/// Whose limit it is and how much, as `u:bob=3`.
fn read_entry(
    text: &str,
    resource: Option<(ResourceId, Kind)>,
    soft: bool,
) -> Result<LimitEntry, LimitError> {
    let fail = |what: &str| LimitError { text: text.to_owned(), what: what.to_owned() };
    let (kind, rest) = text.split_once(':').ok_or_else(|| fail("expected u:, g:, p: or o:"))?;
    let (entity, amount) = rest.rsplit_once('=').ok_or_else(|| fail("expected `=` and an amount"))?;
    let scope = match kind.trim() {
        "u" => LimitScope::User,
        "g" => LimitScope::Group,
        "p" => LimitScope::Project,
        "o" => LimitScope::Overall,
        _ => return Err(fail("expected u:, g:, p: or o:")),
    };
    let entity = entity.trim().trim_matches(['"', '\'']);
    let entity = (entity != "PBS_GENERIC" && entity != "PBS_ALL").then(|| entity.into());
    let amount = Amount::parse(resource.map_or(Kind::Long, |(_, kind)| kind), amount)
        .map_err(|e| fail(&e.to_string()))?;
    Ok(LimitEntry { scope, entity, resource: resource.map(|(id, _)| id), amount, soft })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_accumulate() {
        let mut l = Limits::default();
        l.add("[u:PBS_GENERIC=3],[o:PBS_ALL=10]", None, false).unwrap();
        l.add("[u:bob=5]", Some((ResourceId::mem(), Kind::Size)), true).unwrap();
        assert_eq!(l.entries.len(), 3);
        assert_eq!(l.entries[1].scope, LimitScope::Overall);
        assert_eq!(l.entries[2].entity.as_deref(), Some("bob"));
        assert!(l.add("[x:bob=5]", None, false).is_err());
        assert_eq!(l.attribute(LimitScope::User, Some("mem")), "max_run_res.mem");
        l.add_old(LimitScope::User, None, Amount(1.0), false);
        assert_eq!(l.attribute(LimitScope::User, None), "max_user_run");
    }
}
