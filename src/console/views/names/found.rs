//! Names that stand in a sentence: of nodes, of sets and of folded lists by themselves, of jobs and queues behind a word that
//! names their kind, since numbers are amounts more often than jobs.

use crate::views::{Object, World};
use qscope_engine::cluster::each_once;

/// So many things of one sentence can be chosen.
const MOST: usize = 12;

/// Words after which numbers are jobs; but not those of a place in `the list of jobs 5`.
const OF_JOBS: [&str; 3] = ["job", "jobs", "behind"];

/// Pairs of words after which they are.
const TOWARDS_JOBS: [(&str, &str); 6] = [
    ("taken", "by"),
    ("kept", "by"),
    ("ahead", "of"),
    ("chunk", "of"),
    ("planned", "for"),
    ("trying", "for"),
];

/// What a word before a name states about it.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Any,
    Job,
    Queue,
}

/// The things that a sentence names, in the order in which they stand there.
pub(super) fn in_text(text: &str, world: World<'_>) -> Vec<Object> {
    let mut found = Vec::new();
    let (mut before, mut kind) = ("", Kind::Any);
    for word in words(text) {
        let name = match kind {
            Kind::Job => job(word, world),
            Kind::Queue => queue(word, world),
            Kind::Any => None,
        };
        let is_of_kind = name.is_some();
        found.extend(name.or_else(|| node_or_set(word, world)));
        kind = match word {
            // `jobs 2 6 4`: the numbers that follow are jobs as well.
            _ if is_of_kind && kind == Kind::Job => Kind::Job,
            "queue" => Kind::Queue,
            _ if before != "of" && OF_JOBS.contains(&word) || TOWARDS_JOBS.contains(&(before, word)) => {
                Kind::Job
            }
            _ => Kind::Any,
        };
        before = word;
        if found.len() >= MOST {
            break;
        }
    }
    each_once(found)
}

/// The words of a text without the signs around them; a folded list is one word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let parts = text.split(move |letter: char| {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter.is_whitespace() || matches!(letter, '(' | ')' | ';' | ':') || depth == 0 && letter == ','
    });
    parts.map(|word| word.trim_matches(['.', '"'])).filter(|word| !word.is_empty())
}

fn job(word: &str, world: World<'_>) -> Option<Object> {
    let snap = world.snapshot();
    let first = first_of_folded(word);
    let id = snap.job_meant(first.as_deref().unwrap_or(word))?;
    Some(Object::of_job(id, snap))
}

fn queue(word: &str, world: World<'_>) -> Option<Object> {
    world.snapshot().queue_named(word).map(|_| Object::Queue(word.to_owned()))
}

fn node_or_set(word: &str, world: World<'_>) -> Option<Object> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nodes = &world.plan().bit_named;
    let node = |name: &str| nodes.contains_key(name).then(|| Object::Node(name.to_owned()));
    let value = word.rsplit_once('=').and_then(|(_, value)| node(value));
    let first = || first_of_folded(word).and_then(|first| node(&first));
    node(word).or(value).or_else(first).or_else(|| {
        let state = world.state();
        let mut in_pools =
            state.pools.iter().flat_map(|pool| pool.order.iter()).filter(|_| word.contains('='));
        in_pools.any(|ix| &*state.sets[*ix].shape.name == word).then(|| Object::Set(word.to_owned()))
    })
}

/// The first name of a folded list: `n021` of `n[021-024]`; of subjobs `66[1]` of `66[1,3]`.
fn first_of_folded(word: &str) -> Option<String> {
    let (head, list) = word.split_once('[')?;
    let (list, tail) = list.split_once(']')?;
    let first = list.split([',', '-']).next().filter(|first| !first.is_empty())?;
    match head.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Some(format!("{head}[{first}]{tail}")),
        false => Some(format!("{head}{first}{tail}")),
    }
}

/// Whether a folded list has a name in it: `n[021-024]` has `n022`.
pub(super) fn folds(list: &str, name: &str) -> bool {
    let has = || {
        let (head, rest) = list.split_once('[')?;
        let (inner, tail) = rest.split_once(']')?;
        let part = name.strip_prefix(head)?.strip_suffix(tail)?;
        let number = |text: &str| text.parse::<u64>().ok().filter(|_| text.len() == part.len());
        let here = number(part)?;
        let is_in = |range: &str| match range.split_once('-') {
            Some((from, to)) => {
                number(from).zip(number(to)).is_some_and(|(from, to)| (from..=to).contains(&here))
            }
            None => number(range) == Some(here),
        };
        Some(inner.split(',').any(is_in))
    };
    has().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folded_list_is_one_word_and_signs_around_words_are_none() {
        let found: Vec<&str> = words("0 left: jobs 2 6 +1, n[001-003,008] (n020).").collect();
        assert_eq!(found, ["0", "left", "jobs", "2", "6", "+1", "n[001-003,008]", "n020"]);
        assert_eq!(first_of_folded("n[001-003,008]").as_deref(), Some("n001"));
        assert_eq!(first_of_folded("66[1,3]").as_deref(), Some("66[1]"));
        assert!(folds("n[001-003,008]", "n002") && folds("n[001-003,008]", "n008"));
        assert!(!folds("n[001-003,008]", "n004") && !folds("n[001-003]", "n2") && !folds("n", "n1"));
    }
}
