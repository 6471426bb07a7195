//! Limits on what users, groups and projects may run (rule 6.6).

use super::caret::message_excerpt;
use super::{Amount, Name, ResourceId, ResourceType};

/// Kind of entity that a limit applies to.
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
    pub scope: LimitScope,
    /// Name of the entity; `None` for PBS_GENERIC and PBS_ALL.
    pub entity: Option<Name>,
    /// Limited resource; `None` for a limit on the number of jobs.
    pub resource: Option<ResourceId>,
    pub amount: Amount,
    pub soft: bool,
}

impl LimitEntry {
    /// Returns the holder of the limit in PBS syntax: `u:ann`, `g:PBS_GENERIC`, `o:PBS_ALL`.
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
    pub what: String,
}

/// All limits of a server or a queue, with old attributes converted to new ones.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Limits {
    /// Entries in the order found.
    pub entries: Vec<LimitEntry>,
    /// Whether they are written in the old style; one object uses one style only.
    pub old_style: bool,
}

impl Limits {
    /// Returns the attribute that limits the jobs of a scope, or their use of a resource (rule 6.6).
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

    /// Adds the valid entries of a new-style attribute such as `[u:PBS_GENERIC=3],[o:PBS_ALL=10]`, and returns the
    /// errors of the others.
    #[must_use]
    pub fn add(
        &mut self,
        text: &str,
        resource: Option<(ResourceId, ResourceType)>,
        soft: bool,
    ) -> Vec<LimitError> {
        let mut wrong = Vec::new();
        for entry in entries(text) {
            match entry.and_then(|entry| read_entry(entry, resource, soft)) {
                Ok(entry) => self.entries.push(entry),
                Err(error) => wrong.push(error),
            }
        }
        wrong
    }

    /// Adds an old-style limit, which has one amount for every entity of its scope.
    pub fn add_old(&mut self, scope: LimitScope, resource: Option<ResourceId>, amount: Amount, soft: bool) {
        self.old_style = true;
        self.entries.push(LimitEntry { scope, entity: None, resource, amount, soft });
    }

    /// Whether an entry applies to an entity of its scope: an individual entry to the entity that it names, a generic
    /// one to those without an entry of their own (rule 6.6).
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

    /// Whether there are no limits.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Limits on jobs in a queue or at the server. They apply when a job is submitted or moved; no cycle reads them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct QueuedLimits {
    /// `max_queued` and `max_queued_res`: limits on all jobs, including running ones.
    pub all: Limits,
    /// `queued_jobs_threshold` and `queued_jobs_threshold_res`: limits on jobs in state Q.
    pub waiting: Limits,
}

impl LimitError {
    fn new(text: &str, what: impl Into<String>) -> Self {
        Self { text: message_excerpt(text), what: what.into() }
    }
}

/// Splits an attribute into its entries without brackets; a single entry may have none.
fn entries(text: &str) -> Vec<Result<&str, LimitError>> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|letter: char| letter == ',' || letter.is_whitespace());
        if rest.is_empty() {
            return found;
        }
        let inside = rest.strip_prefix('[');
        let from = inside.unwrap_or(rest);
        let (entry, after) = from.split_at(from.find(['[', ']']).unwrap_or(from.len()));
        let closed = after.strip_prefix(']');
        found.push(match (inside, closed) {
            (Some(_), Some(_)) | (None, None) => Ok(entry),
            (Some(_), None) => Err(LimitError::new(rest, "the `[` is not closed")),
            (None, Some(_)) => Err(LimitError::new(rest, "a `]` without its `[`")),
        });
        rest = closed.unwrap_or(after);
    }
}

/// Parses an entry such as `u:bob=3`.
fn read_entry(
    text: &str,
    resource: Option<(ResourceId, ResourceType)>,
    soft: bool,
) -> Result<LimitEntry, LimitError> {
    let fail = |what: &str| LimitError::new(text, what);
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
    if entity.is_empty() || entity.contains('=') {
        return Err(fail("expected one name and one amount, as [u:ann=4]"));
    }
    let entity = (entity != "PBS_GENERIC" && entity != "PBS_ALL").then(|| entity.into());
    let amount = limit_amount(resource.map(|(_, kind)| kind), amount).map_err(|what| fail(&what))?;
    Ok(LimitEntry { scope, entity, resource: resource.map(|(id, _)| id), amount, soft })
}

/// Parses the amount of a limit: of a resource of this kind, or without a kind, a number of jobs.
///
/// # Errors
/// The text is not such an amount, or it is negative.
pub fn limit_amount(kind: Option<ResourceType>, text: &str) -> Result<Amount, String> {
    let text = text.trim();
    let shown = || message_excerpt(text);
    let Some(kind) = kind else {
        // Digits only: a sign, a point or a colon is not allowed.
        let is_count = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let count = if is_count { Amount::parse(ResourceType::Float, text).ok() } else { None };
        return count.ok_or_else(|| format!("`{}` is no number of jobs", shown()));
    };
    let amount = Amount::parse(kind, text).map_err(|error| error.to_string())?;
    if amount.0 < 0.0 {
        return Err(format!("`{}` is below 0", shown()));
    }
    if kind == ResourceType::Long && amount.0.fract() != 0.0 {
        return Err(format!("`{}` is no whole number", shown()));
    }
    Ok(amount)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_accumulate() {
        let mut l = Limits::default();
        assert_eq!(l.add("[u:PBS_GENERIC=3],[o:PBS_ALL=10]", None, false), []);
        assert_eq!(l.add("[u:bob=5]", Some((ResourceId::mem(), ResourceType::Size)), true), []);
        assert_eq!(l.entries.len(), 3);
        assert_eq!(l.entries[1].scope, LimitScope::Overall);
        assert_eq!(l.entries[2].entity.as_deref(), Some("bob"));
        assert_eq!(l.add("[x:bob=5]", None, false).len(), 1);
        assert_eq!(l.attribute(LimitScope::User, Some("mem")), "max_run_res.mem");
        l.add_old(LimitScope::User, None, Amount(1.0), false);
        assert_eq!(l.attribute(LimitScope::User, None), "max_user_run");
    }
    #[test]
    fn what_is_no_limit_is_named_and_the_others_are_kept() {
        for (text, what) in [
            ("[u:ann=-1]", "limit `u:ann=-1`: `-1` is no number of jobs"),
            ("[u:ann=1.5]", "limit `u:ann=1.5`: `1.5` is no number of jobs"),
            ("[u:ann=1:00]", "limit `u:ann=1:00`: `1:00` is no number of jobs"),
            ("[u:ann=3", "limit `[u:ann=3`: the `[` is not closed"),
            ("u:ann=3]", "limit `u:ann=3]`: a `]` without its `[`"),
            ("[u:=3]", "limit `u:=3`: expected one name and one amount, as [u:ann=4]"),
            ("[u:ann=3,g:b=4]", "limit `u:ann=3,g:b=4`: expected one name and one amount, as [u:ann=4]"),
        ] {
            let mut limits = Limits::default();
            let wrong = limits.add(&format!("[o:PBS_ALL=10],{text}, [u:bob=0]"), None, false);
            let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            // An unclosed entry ends where the next one begins.
            let wrong = wrong.join(";").replace("`[u:ann=3, [u:bob=0]`", "`[u:ann=3`");
            assert_eq!(wrong.replace("`u:ann=3], [u:bob=0]`", "`u:ann=3]`"), what, "{text}");
            assert_eq!(limits.entries.len(), 2, "{text}");
        }
        let mut limits = Limits::default();
        let long = Some((ResourceId::ncpus(), ResourceType::Long));
        assert_eq!(limits.add("[u:ann=1.5],[u:bob=-4],[u:eve=8]", long, false).len(), 2);
        assert_eq!((limits.entries.len(), limits.add("u:ann=3", None, false).len()), (1, 0));
        assert_eq!(limits.add(&"[".repeat(3000), None, false).len(), 3000);
    }
}
