//! Names in a sentence: nodes, sets and folded lists by themselves; jobs and queues only after a word for their kind,
//! since numbers are amounts more often than jobs.

use super::NameLink;
use super::words::{Word, WordKind};
use crate::views::{Object, ViewContext};
use qscope_engine::cluster::NameList;

/// Maximum number of links in one sentence.
const MOST: usize = 12;

/// The objects that a sentence of these words names, in their order there.
pub(super) fn linked_names(words: &[Word<'_>], cx: ViewContext<'_>) -> Vec<NameLink> {
    let named = words.iter().filter_map(|word| named(word, cx));
    let mut found: Vec<NameLink> = Vec::new();
    for link in named {
        if found.len() >= MOST {
            break;
        }
        if !found.iter().any(|known| known.object == link.object) {
            found.push(link);
        }
    }
    found
}

fn named(word: &Word<'_>, cx: ViewContext<'_>) -> Option<NameLink> {
    let of_kind = match word.kind {
        WordKind::Job => job(word.text, cx),
        WordKind::Queue => cx.names().queue(word.text),
        WordKind::Any | WordKind::Amount => None,
    };
    let whole = of_kind.or_else(|| node_or_set(word.text, cx));
    if let Some(object) = whole {
        return Some(NameLink { object, at: Some(word.place()) });
    }
    // In `host=n1` only the value is the name.
    let (_, value) = word.text.rsplit_once('=')?;
    let object = node(value, cx)?;
    Some(NameLink { object, at: Some(word.start + word.text.len() - value.len()..word.place().end) })
}

fn job(word: &str, cx: ViewContext<'_>) -> Option<Object> {
    let first = NameList::of(word).and_then(NameList::first);
    cx.names().job(first.as_deref().unwrap_or(word), cx.snapshot())
}

fn node(name: &str, cx: ViewContext<'_>) -> Option<Object> {
    cx.plan().bit_named.contains_key(name).then(|| Object::Node(name.to_owned()))
}

fn node_or_set(word: &str, cx: ViewContext<'_>) -> Option<Object> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let list = || NameList::of(word);
    let first = || {
        let plain = list().and_then(NameList::first).and_then(|first| node(&first, cx));
        let bracketed = || list().and_then(NameList::first_in_brackets);
        plain.or_else(|| node(&bracketed()?, cx))
    };
    node(word, cx).or_else(first).or_else(|| cx.names().set(word))
}
