//! The names of buckets on the screen: their parts in one order of resources for the whole cluster, without what all
//! buckets of a list have in common.
//!
//! ```text
//! color=red ncpus=16    2
//! color=blue ncpus=16   4
//! all: gpu=False mem=64gb
//! ```

mod distinct_names;

use rustc_hash::FxHashMap;

use crate::widgets::text::width;

pub(crate) use distinct_names::cut_apart;
use qscope_engine::cluster::deduplicated;
use qscope_engine::universe::State;

/// The separator of parts, at which lines may break.
const BETWEEN: &str = " ";

/// Maximum number of names that are put in order: a longer list is searched rather than read.
const MAX_NAMED: usize = 300;

/// The order of resources in the names of a cluster's buckets.
#[derive(Debug, Default)]
pub(crate) struct BucketNames {
    names: Vec<String>,
    /// The resources that distinguish them, then the others.
    order: Vec<String>,
    /// The name of each bucket's first node.
    first_nodes: Vec<String>,
}

/// Names as values in columns, for lists without room for whole names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NameColumns {
    /// The names of the resources; empty if there are no columns.
    pub(crate) headings: String,
    /// The values of each name.
    pub(crate) rows: Vec<String>,
}

impl BucketNames {
    pub(crate) fn of(state: &State) -> Self {
        if state.buckets.len() > MAX_NAMED {
            return Self::default();
        }
        let firsts = state.buckets.iter().map(|bucket| bucket.members.iter().next());
        let firsts = firsts.map(|bit| bit.map(|bit| state.plan.node_name(bit).to_string()));
        let named = Self::from_names(state.buckets.iter().map(|bucket| bucket.name(&state.plan)).collect());
        Self { first_nodes: firsts.map(Option::unwrap_or_default).collect(), ..named }
    }

    fn from_names(names: Vec<String>) -> Self {
        let common = common(&names, &holders(&names));
        let own = resources_by_kinds(&names, &common);
        let order =
            own.into_iter().chain(common.iter().map(|part| key_of(part))).map(str::to_owned).collect();
        Self { names, order, first_nodes: Vec::new() }
    }

    /// The first node of a bucket; empty if unknown.
    pub(crate) fn first_node(&self, name: &str) -> &str {
        let at = self.names.iter().position(|known| known == name);
        at.and_then(|at| self.first_nodes.get(at)).map_or("", |first| first)
    }

    /// The parts of a name in the order of the cluster.
    fn order_parts<'n>(&self, parts: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
        let mut parts: Vec<&str> = parts.collect();
        let place = |part: &str| self.order.iter().position(|key| key == key_of(part)).unwrap_or(usize::MAX);
        parts.sort_by_key(|part| place(part));
        parts
    }

    /// The full name of a bucket in order; other texts are returned unchanged.
    pub(crate) fn full_name(&self, name: &str) -> String {
        if self.names.iter().any(|known| known == name) { self.spelled(name) } else { name.to_owned() }
    }

    /// The full name of a bucket in order, also of one that only exists in a set.
    pub(crate) fn spelled(&self, name: &str) -> String {
        self.order_parts(name.split(':')).join(BETWEEN)
    }

    /// The parts common to all names, and the names without them; a single name stays whole. The parts that distinguish
    /// buckets come first, so that names differ even if they are cut.
    pub(crate) fn split_common(&self, names: &[String]) -> (String, Vec<String>) {
        if names.len() > MAX_NAMED {
            return without_common(names);
        }
        let of_these = if self.order.is_empty() { Some(Self::from_names(names.to_vec())) } else { None };
        let order = of_these.as_ref().unwrap_or(self);
        let common = common(names, &holders(names));
        let own = |name: &String| {
            let parts = order.order_parts(name.split(':').filter(|part| !common.contains(part)));
            if parts.is_empty() { "nothing else".to_owned() } else { parts.join(BETWEEN) }
        };
        let own = names.iter().map(own).collect();
        (order.order_parts(common.iter().copied()).join(BETWEEN), own)
    }

    /// The values of the parts that [`split_common`](Self::split_common) keeps, aligned in a column per resource.
    pub(crate) fn in_columns<'n>(&self, names: &'n [String]) -> NameColumns {
        if self.order.is_empty() {
            return NameColumns { headings: String::new(), rows: vec![String::new(); names.len()] };
        }
        let common = common(names, &holders(names));
        let is_of = |part: &&str, key: &str| key_of(part) == key && !common.contains(part);
        let part = |name: &'n String, key: &str| name.split(':').find(|part| is_of(part, key));
        let is_there = |key: &&String| names.iter().any(|name| part(name, key).is_some());
        let keys: Vec<&String> = self.order.iter().filter(is_there).collect();
        let value_of = |name, key: &str| {
            part(name, key).map_or("-", |part| part.split_once('=').map_or(part, |(_, value)| value))
        };
        let column = |key: &&String| -> Vec<String> {
            let values: Vec<&str> = names.iter().map(|name| value_of(name, key)).collect();
            let wide = values.iter().map(|value| width(value)).max().unwrap_or(0);
            values.iter().map(|value| format!("{}{value}", " ".repeat(wide - width(value)))).collect()
        };
        let columns: Vec<Vec<String>> = keys.iter().map(column).collect();
        let row = |at: usize| {
            let values = columns.iter().filter_map(|column| column.get(at));
            values.map(String::as_str).collect::<Vec<_>>().join(BETWEEN)
        };
        let headings = keys.iter().map(|key| key.as_str()).collect::<Vec<_>>().join(BETWEEN);
        NameColumns { headings, rows: (0..names.len()).map(row).collect() }
    }
}

/// The same for very many names, each with its rarest parts first.
fn without_common(names: &[String]) -> (String, Vec<String>) {
    let holders = holders(names);
    let common = common(names, &holders);
    let times = |part: &str| holders.get(part).copied().unwrap_or(0);
    let own = |name: &String| {
        let mut parts: Vec<&str> = name.split(':').filter(|part| !common.contains(part)).collect();
        parts.sort_by_key(|part| times(part));
        if parts.is_empty() { "nothing else".to_owned() } else { parts.join(BETWEEN) }
    };
    (common.join(BETWEEN), names.iter().map(own).collect())
}

/// The number of names with each part.
fn holders(names: &[String]) -> FxHashMap<&str, usize> {
    let mut holders: FxHashMap<&str, usize> = FxHashMap::default();
    for name in names {
        name.split(':').for_each(|part| *holders.entry(part).or_default() += 1);
    }
    holders
}

/// The parts common to all names; empty for a single name.
fn common<'n>(names: &'n [String], holders: &FxHashMap<&str, usize>) -> Vec<&'n str> {
    let Some((first, _)) = names.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return Vec::new();
    };
    first.split(':').filter(|part| holders.get(part).is_some_and(|with| *with == names.len())).collect()
}

/// The names of the resources in the order in which they distinguish buckets: first the one with the most values, then
/// the one that splits most of what those before leave alike. With it, the parts of all names line up.
fn resources_by_kinds<'n>(names: &'n [String], common: &[&str]) -> Vec<&'n str> {
    let own = |name: &'n String| name.split(':').filter(|part| !common.contains(part));
    let keys = deduplicated(names.iter().flat_map(own).map(key_of));
    let values_of = |key: &str| {
        let value = |name| own(name).find(|part| key_of(part) == key).unwrap_or_default();
        names.iter().map(value).collect()
    };
    let mut left: Vec<(&str, Vec<&str>)> = keys.into_iter().map(|key| (key, values_of(key))).collect();
    // Which names are alike so far, as a number for each kind.
    let (mut kinds, mut alike) = (1, vec![0; names.len()]);
    let mut order = Vec::with_capacity(left.len());
    while let Some((at, (more, split))) = most_kinds(&left, &alike) {
        if more <= kinds {
            break;
        }
        (kinds, alike) = (more, split);
        order.push(left.remove(at).0);
    }
    order.extend(left.into_iter().map(|(key, _)| key));
    order
}

/// The column of values that splits names into the most kinds, the first of equals: its index, the number of kinds, and
/// the kind of each name.
fn most_kinds(columns: &[(&str, Vec<&str>)], alike: &[usize]) -> Option<(usize, (usize, Vec<usize>))> {
    let split = |values: &[&str]| {
        let mut kinds: FxHashMap<(usize, &str), usize> = FxHashMap::default();
        let mut split = Vec::with_capacity(alike.len());
        for (before, value) in alike.iter().zip(values) {
            let next = kinds.len();
            split.push(*kinds.entry((*before, *value)).or_insert(next));
        }
        (kinds.len(), split)
    };
    let all = columns.iter().map(|(_, values)| split(values)).enumerate();
    all.min_by_key(|(at, (kinds, _))| (std::cmp::Reverse(*kinds), *at))
}

/// The resource of a part of a bucket's name: `mem` for `mem=4gb`.
fn key_of(part: &str) -> &str {
    part.split('=').next().unwrap_or(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_show_what_differs() {
        let short = |given: &[&str]| BucketNames::from_names(names(given)).split_common(&names(given));
        let (common, own) = short(&["a=1:mem=4gb:n=8", "a=2:mem=4gb:n=8", "mem=4gb:n=8"]);
        assert_eq!((&*common, own), ("mem=4gb n=8", names(&["a=1", "a=2", "nothing else"])));
        assert_eq!(short(&["a=1"]), (String::new(), names(&["a=1"])));
    }

    #[test]
    fn values_stand_below_each_other() {
        let all = names(&["mem=64gb:n=8:all=1", "mem=128gb:n=16:g=4:all=1"]);
        let columns = BucketNames::from_names(all.clone()).in_columns(&all);
        assert_eq!((&*columns.headings, columns.rows), ("mem n g", names(&[" 64gb  8 -", "128gb 16 4"])));
        assert_eq!(BucketNames::default().in_columns(&all).headings, "");
    }

    #[test]
    fn a_list_of_some_buckets_has_the_order_of_the_whole_cluster() {
        let all = names(&["g=4:n=32:c=red", "g=4:n=32:c=blue", "n=8:c=red", "n=8:c=blue", "n=8"]);
        let order = BucketNames::from_names(all.clone());
        let own = ["c=red g=4 n=32", "c=blue g=4 n=32", "c=red n=8", "c=blue n=8", "n=8"];
        assert_eq!(order.split_common(&all).1, names(&own));
        // On their own, these two would begin with `n`.
        let some = names(&["g=4:n=32:c=red", "n=8:c=red"]);
        assert_eq!(order.split_common(&some), ("c=red".to_owned(), names(&["g=4 n=32", "n=8"])));
        assert_eq!(order.split_common(&all[..1]).1, names(&["c=red g=4 n=32"]));
        assert_eq!(order.full_name("n=8:c=blue"), "c=blue n=8");
        assert_eq!(order.full_name("chunk 1"), "chunk 1");
    }
}
