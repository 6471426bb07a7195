//! Access lists of a queue: who may submit to it (`acl_users`, `acl_groups`, `acl_hosts`, each with a switch).

use super::Name;

/// One list and its switch; a list that is switched off has no effect.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AccessList {
    /// Whether the list is in force (`acl_user_enable` and the like).
    pub enabled: bool,
    /// The entries as written: `+ann`, `-bob@host`, `*.site.org`.
    pub entries: Vec<Name>,
}

/// All lists of a queue.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QueueAccess {
    /// Users who may submit (`acl_users`).
    pub users: AccessList,
    /// Groups that may submit (`acl_groups`).
    pub groups: AccessList,
    /// Hosts from which jobs may be submitted (`acl_hosts`).
    pub hosts: AccessList,
    /// Whether only routing queues may pass jobs on to it (`from_route_only`).
    pub from_route_only: bool,
}

/// Whether a queue accepts a user's jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// It accepts them.
    Open,
    /// It refuses them, because of this attribute.
    Closed(&'static str),
    /// It depends on this attribute, for which the dump lacks the data.
    Depends(&'static str),
}

impl QueueAccess {
    /// Determines whether the queue accepts the jobs of a user and group.
    pub fn admits(&self, user: &str, group: &str) -> Admission {
        if self.from_route_only {
            return Admission::Closed("from_route_only");
        }
        for (list, name, attribute) in [(&self.users, user, "acl_users"), (&self.groups, group, "acl_groups")]
        {
            if !list.admits(name) {
                return Admission::Closed(attribute);
            }
        }
        if self.hosts.enabled { Admission::Depends("acl_hosts") } else { Admission::Open }
    }
}

impl AccessList {
    /// Whether the list admits a name: the first entry of that name decides, and a name without an entry is refused.
    /// Of `user@host` only the user is compared, because a dump does not show where a job would be moved from.
    fn admits(&self, name: &str) -> bool {
        let entry = |text: &Name| {
            let (allows, rest) = match text.strip_prefix('-') {
                Some(rest) => (false, rest),
                None => (true, text.strip_prefix('+').unwrap_or(text)),
            };
            let who = rest.split('@').next().unwrap_or(rest);
            (who == name || who == "*" || who.is_empty()).then_some(allows)
        };
        !self.enabled || self.entries.iter().find_map(entry).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn users(enabled: bool, entries: &[&str]) -> QueueAccess {
        let list = AccessList { enabled, entries: entries.iter().map(|text| Name::from(*text)).collect() };
        QueueAccess { users: list, ..QueueAccess::default() }
    }

    #[test]
    fn a_list_counts_only_when_switched_on() {
        assert_eq!(users(false, &["bob"]).admits("ann", "g"), Admission::Open);
        assert_eq!(users(true, &["bob"]).admits("ann", "g"), Admission::Closed("acl_users"));
        assert_eq!(users(true, &[]).admits("ann", "g"), Admission::Closed("acl_users"));
    }

    #[test]
    fn the_first_entry_of_a_name_counts() {
        let list = users(true, &["-ann", "+ann@login", "bob@*", "*"]);
        assert_eq!(list.admits("ann", "g"), Admission::Closed("acl_users"));
        assert_eq!(list.admits("bob", "g"), Admission::Open);
        assert_eq!(list.admits("cara", "g"), Admission::Open);
    }

    #[test]
    fn hosts_are_not_known_and_routes_are_their_own_way_in() {
        let hosts = AccessList { enabled: true, entries: vec!["*.site.org".into()] };
        let queue = QueueAccess { hosts, ..QueueAccess::default() };
        assert_eq!(queue.admits("ann", "g"), Admission::Depends("acl_hosts"));
        let routed = QueueAccess { from_route_only: true, ..QueueAccess::default() };
        assert_eq!(routed.admits("ann", "g"), Admission::Closed("from_route_only"));
    }
}
