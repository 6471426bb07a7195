//! Links from names in a line to their objects: the place of each name, and what keys do with it.

mod links;
mod words;

use std::ops::Range;

use crate::bucket_names::BucketNames;
use crate::views::{Object, ViewContext};
use qscope_engine::cluster::{NameList, short_id};
use words::{Word, WordKind};

/// An object that a line leads to, and the place of its name in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameLink {
    pub(crate) object: Object,
    /// Byte range in the line; `None` if the line is about the object without naming it.
    pub(crate) at: Option<Range<usize>>,
}

impl NameLink {
    /// A link to the object that a line is about.
    pub(crate) fn to(object: Object) -> Self {
        Self { object, at: None }
    }
}

/// Links to the objects named in `about` that a view shows, each once, then to what else the text names.
pub(crate) fn of(about: &[String], text: &str, cx: ViewContext<'_>) -> Vec<NameLink> {
    with_text(about.iter().filter_map(|name| cx.names().object(name, cx)), text, cx)
}

/// Links to the known objects, and to what else a text names.
pub(crate) fn with_text(
    known: impl IntoIterator<Item = Object>,
    text: &str,
    cx: ViewContext<'_>,
) -> Vec<NameLink> {
    let words = words::words(text);
    let in_text = links::linked_names(&words, cx);
    let mut links = placed(known, (text, &words), &in_text, &cx.names().written);
    for link in in_text {
        let is_known = |known: &NameLink| known.object == link.object || known.at == link.at;
        if !links.iter().any(is_known) {
            links.push(link);
        }
    }
    links
}

/// Links to the known objects where a text names them.
pub(crate) fn in_text(known: impl IntoIterator<Item = Object>, text: &str) -> Vec<NameLink> {
    placed(known, (text, &words::words(text)), &[], &BucketNames::default())
}

/// Each object once with the place of its name: a known place, or else the best one not taken by another name.
fn placed(
    things: impl IntoIterator<Item = Object>,
    (text, words): (&str, &[Word<'_>]),
    known: &[NameLink],
    written: &BucketNames,
) -> Vec<NameLink> {
    let mut links: Vec<NameLink> = Vec::new();
    for object in things {
        if links.iter().any(|link| link.object == object) {
            continue;
        }
        let there = known.iter().find(|link| link.object == object).and_then(|link| link.at.clone());
        let is_free = |place: &Range<usize>| {
            let taken = links.iter().filter_map(|link| link.at.as_ref());
            !taken.into_iter().any(|taken| taken.start < place.end && place.start < taken.end)
        };
        let at = there.or_else(|| place(&object, (text, words), written, is_free));
        links.push(NameLink { object, at });
    }
    links
}

/// The place of a name in a text: where the words around it show that it is a name rather than possibly an amount, and
/// by itself rather than in a folded list.
fn place(
    object: &Object,
    (text, words): (&str, &[Word<'_>]),
    names: &BucketNames,
    is_free: impl Fn(&Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let name = object.name();
    let whole = names.full_name(name);
    let is_it = |word: &&Word<'_>| [&*whole, name, short_id(name)].contains(&word.text);
    let rank = |word: &Word<'_>| match word.kind {
        // A full id is never an amount.
        _ if word.text == name && name != short_id(name) => 0,
        WordKind::Job | WordKind::Queue => 0,
        WordKind::Any => 1,
        WordKind::Amount => 2,
    };
    let free = |word: &&Word<'_>| is_free(&word.place());
    let by_itself = words.iter().filter(is_it).filter(free).min_by_key(|word| rank(word)).map(Word::place);
    let within = || {
        let spelled = [&*whole, name, short_id(name)].into_iter();
        spelled.flat_map(|name| words::whole_word_places(text, name)).find(&is_free)
    };
    let in_list = || words.iter().filter(|word| lists(word.text, object)).find(free).map(Word::place);
    by_itself.or_else(in_list).or_else(within)
}

/// Whether a word is a folded list with that object in it: `n[021-024]` for a node, `66[7,9]` for the array of these
/// subjobs.
fn lists(word: &str, object: &Object) -> bool {
    let Some(list) = NameList::of(word) else { return false };
    match object {
        Object::Node(name) => list.has(name),
        Object::Job(name) => short_id(name).strip_suffix("[]") == Some(list.stem),
        _ => false,
    }
}

/// What Enter opens in a line that names something; with several names also which one is selected and how to select
/// another. `explains` is whether the why key applies to it as well.
pub(crate) fn opens_words(
    chosen: Option<&Object>,
    (at, all): (usize, usize),
    explains: bool,
) -> Option<String> {
    let object = chosen?;
    let which = if all == 1 { String::new() } else { format!("{} of {all}: ", at + 1) };
    let why = if explains && object.has_why() { " · a: why" } else { "" };
    let others = if all > 1 { " · h l: choose" } else { "" };
    Some(format!("{which}Enter: {} {}{why}{others}", object.kind(), object.brief_name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words() {
        let place = |text: &str, object: &Object| in_text([object.clone()], text).remove(0).at;
        let node = Object::Node("n1".to_owned());
        assert_eq!(place("n10 and n1, n11", &node), Some(8..10));
        assert_eq!(place("on n1.", &node), Some(3..5));
        assert_eq!(place("n1-ib", &node), None);
        assert_eq!(place("on n[0-3] of 4", &node), Some(3..9));
        let job = Object::Job("12.head1".to_owned());
        assert_eq!(place("12 waits for 12.head1", &job), Some(13..21));
        assert_eq!(place("12 waits", &job), Some(0..2));
        let array = Object::Job("66[].head1".to_owned());
        assert_eq!(place("but 58 166[1] 66[7,9] 67[0-1] wait", &array), Some(14..21));
        assert_eq!(place("−12 left +12 job 12", &job), Some(19..21));
    }

    /// An amount is not marked as the name of a job, and no place is marked for two names.
    #[test]
    fn a_name_is_marked_where_it_is_a_name() {
        let jobs =
            |names: &[&str]| names.iter().map(|name| Object::Job(format!("{name}.s"))).collect::<Vec<_>>();
        let places = |text: &str, names: &[&str]| -> Vec<_> {
            in_text(jobs(names), text).into_iter().map(|link| link.at).collect()
        };
        assert_eq!(places("2 ncpus short of 6: jobs 2 6", &["2", "6"]), [Some(25..26), Some(27..28)]);
        assert_eq!(places("5 of 16 whole nodes: 5 16", &["16", "5"]), [Some(23..25), Some(21..22)]);
        assert_eq!(places("not before 7: 7 17", &["17", "7", "9"]), [Some(16..18), Some(11..12), None]);
    }
}
