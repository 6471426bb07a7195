//! From names in a line to the things that have them, and what keys do with these.

mod found;

use std::ops::Range;

use crate::bucket_names::BucketNames;
use crate::views::{Object, World};
use crate::widgets::text::is_in_name;
use qscope_engine::cluster::{each_once, short_id};

/// The things that a line is about and that a view shows, each once, then what else its text names.
pub(crate) fn of(about: &[String], text: &str, world: World<'_>) -> Vec<Object> {
    let about = about.iter().filter_map(|name| object(name, world));
    each_once(about.chain(found::in_text(text, world)))
}

/// These things, and what else a text names.
pub(crate) fn with_text(known: Vec<Object>, text: &str, world: World<'_>) -> Vec<Object> {
    each_once(known.into_iter().chain(found::in_text(text, world)))
}

/// The thing of that name; a job is rather meant than a node, a node than a queue.
fn object(name: &str, world: World<'_>) -> Option<Object> {
    let snap = world.snapshot();
    if let Some(id) = snap.job_named(name) {
        return Some(Object::of_job(id, snap));
    }
    if world.plan().node_named(name).is_some() {
        return Some(Object::Node(name.to_owned()));
    }
    if snap.queue_named(name).is_some() {
        return Some(Object::Queue(name.to_owned()));
    }
    let state = world.state();
    if state.buckets.iter().any(|bucket| bucket.name(world.plan()) == name) {
        return Some(Object::Bucket(name.to_owned()));
    }
    let mut in_pools = state.pools.iter().flat_map(|pool| pool.order.iter());
    in_pools.any(|ix| &*state.sets[*ix].shape.name == name).then(|| Object::Set(name.to_owned()))
}

/// Where the name of a thing stands in a text as a whole word: as the screen writes it, its full name, or its short one.
pub(crate) fn place_in(text: &str, object: &Object, buckets: &BucketNames) -> Option<Range<usize>> {
    let name = object.name();
    let written = buckets.whole(name);
    let whole = || [&written, name, short_id(name)].into_iter().find_map(|name| whole_word(text, name));
    let in_list = || match object {
        Object::Node(name) => folded(text, name),
        _ => None,
    };
    whole().or_else(|| subjobs(text, short_id(name).strip_suffix("[]")?)).or_else(in_list)
}

/// Where a list stands in which a name is folded: `n[021-024]`.
fn folded(text: &str, name: &str) -> Option<Range<usize>> {
    text.match_indices('[').find_map(|(at, _)| {
        let head = text.get(..at)?;
        let start = at
            - head.chars().rev().take_while(|letter| is_in_name(*letter)).map(char::len_utf8).sum::<usize>();
        let end = at + text.get(at..)?.find(']')? + 1;
        found::folds(text.get(start..end)?, name).then_some(start..end)
    })
}

/// Where subjobs of an array stand, which goes by their name there: `66[7,9]`.
fn subjobs(text: &str, array: &str) -> Option<Range<usize>> {
    text.match_indices(array).find_map(|(at, _)| {
        let inner = text.get(at + array.len()..)?.strip_prefix('[')?;
        let end = at + array.len() + 2 + inner.find(']')?;
        (!text.get(..at)?.chars().next_back().is_some_and(is_in_name)).then_some(at..end)
    })
}

fn whole_word(text: &str, word: &str) -> Option<Range<usize>> {
    // A number with a sign is no name: `−1` nodes are not job 1.
    let part = |letter: Option<char>| letter.is_some_and(|c| is_in_name(c) || matches!(c, '−' | '+'));
    let stands = |(at, _): &(usize, &str)| {
        let after = text.get(at + word.len()..).unwrap_or_default();
        // A full stop ends a sentence more often than it goes on with a name.
        let after = after.strip_prefix('.').filter(|rest| !part(rest.chars().next())).unwrap_or(after);
        !part(text.get(..*at).unwrap_or_default().chars().next_back()) && !part(after.chars().next())
    };
    text.match_indices(word).find(stands).map(|(at, _)| at..at + word.len())
}

/// What Enter opens, if the line names something; of several things which one it is, and how another is chosen. `explains` is
/// whether the key of the question is about it as well.
pub(crate) fn opens_words(objects: &[Object], chosen: Option<&Object>, explains: bool) -> Option<String> {
    let object = chosen?;
    let which = match objects.len() {
        1 => String::new(),
        all => format!("{} of {all}: ", objects.iter().position(|one| one == object).unwrap_or(0) + 1),
    };
    let why = if explains && object.has_why() { " · a: why" } else { "" };
    let others = if objects.len() > 1 { " · h l: choose" } else { "" };
    Some(format!("{which}Enter: {} {}{why}{others}", object.kind(), short_id(object.name())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words() {
        let place = |text: &str, object: &Object| place_in(text, object, &BucketNames::default());
        let node = Object::Node("n1".to_owned());
        assert_eq!(place("n10 and n1, n11", &node), Some(8..10));
        assert_eq!(place("on n1.", &node), Some(3..5));
        assert_eq!(place("n1-ib", &node), None);
        let job = Object::Job("12.head1".to_owned());
        assert_eq!(place("12 waits for 12.head1", &job), Some(13..21));
        assert_eq!(place("12 waits", &job), Some(0..2));
        let array = Object::Job("66[].head1".to_owned());
        assert_eq!(place("but 58 166[1] 66[7,9] 67[0-1] wait", &array), Some(14..21));
        assert_eq!(place("−12 left +12 job 12", &job), Some(19..21));
    }
}
