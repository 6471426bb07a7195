//! Import cycles: the imports of a file never lead back to it, except for pairs of files that belong
//! together.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::system_house::sources;

/// Maximum number of files in one cycle.
const LARGEST: usize = 2;

type Words = Vec<String>;

/// Returns the files of `src` by the path of their module, which begins with the name of the crate's folder;
/// their code as tokens.
fn modules(src: &Path) -> BTreeMap<Words, Vec<String>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    sources(src, &mut paths);
    let tokens_of = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let place = path.strip_prefix(src).unwrap().with_extension("");
        let mut words: Words = place.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        words.retain(|word| word != "lib");
        (words, tokens(text.split("#[cfg(test)]\nmod ").next().unwrap()))
    };
    paths.into_iter().map(tokens_of).filter(|(module, _)| !module.is_empty()).collect()
}

/// Splits code into names, `::` and single characters, without comments.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut rest = line.split("//").next().unwrap().trim_start();
        while let Some(first) = rest.chars().next() {
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            let end = match rest {
                path if path.starts_with("::") => 2,
                name if is_name(first) => name.find(|c| !is_name(c)).unwrap_or(name.len()),
                _ => first.len_utf8(),
            };
            tokens.push(rest[..end].to_owned());
            rest = rest[end..].trim_start();
        }
    }
    tokens
}

/// Reads `a::{b, c::d}` from a position as the paths that it names; returns the position after it.
fn read_paths(tokens: &[String], mut at: usize, mut path: Words, into: &mut Vec<Words>) -> usize {
    let token = |at: usize| tokens.get(at).map_or("", String::as_str);
    loop {
        if token(at) == "{" {
            while !["}", ""].contains(&token(at)) {
                at = read_paths(tokens, at + 1, path.clone(), into);
                // Skips another name after `as`.
                at +=
                    tokens.iter().skip(at).take_while(|token| ![",", "}"].contains(&token.as_str())).count();
            }
            return at + 1;
        }
        if !token(at).starts_with(|c: char| c.is_alphabetic() || c == '_') {
            break;
        }
        path.push(token(at).to_owned());
        at += 1;
        if token(at) != "::" {
            break;
        }
        at += 1;
    }
    into.push(path);
    at
}

/// Resolves a path in a module; none if it leads outside.
fn resolved(path: &[String], module: &[String], crates: &HashSet<String>) -> Option<Words> {
    let is_crate = crates.contains(&module[0]);
    let mut here = module.to_vec();
    let mut words = path.iter();
    let inside = |word: &str| ["crate", "super", "self"].contains(&word);
    while let Some(word) = words.clone().next().filter(|word| inside(word)) {
        words.next();
        match word.as_str() {
            "crate" => here.truncate(usize::from(is_crate)),
            "super" => here.truncate(here.len().saturating_sub(1)),
            _ => {}
        }
    }
    if let Some(name) = path[0].strip_prefix("qscope_") {
        return Some(std::iter::once(name.to_owned()).chain(path[1..].iter().cloned()).collect());
    }
    (words.len() < path.len()).then(|| here.into_iter().chain(words.cloned()).collect())
}

/// Returns the names that each module re-exports from others by `pub use`, and where they come from.
fn faces(all: &BTreeMap<Words, Vec<String>>, crates: &HashSet<String>) -> HashMap<Words, Words> {
    let mut faces = HashMap::new();
    for (module, tokens) in all {
        for at in 1..tokens.len() {
            if tokens[at] != "use" || !["pub", ")"].contains(&tokens[at - 1].as_str()) {
                continue;
            }
            let mut found = Vec::new();
            read_paths(tokens, at + 1, Vec::new(), &mut found);
            for mut path in found {
                let name = path.last().unwrap().clone();
                if resolved(&path, module, crates).is_none() {
                    path.insert(0, "self".to_owned());
                }
                let goal = resolved(&path, module, crates).unwrap();
                faces.insert(module.iter().cloned().chain([name]).collect(), goal);
            }
        }
    }
    faces
}

/// Returns the module from which a path names something, followed through the re-exports of others.
fn home(all: &BTreeMap<Words, Vec<String>>, faces: &HashMap<Words, Words>, path: &[String]) -> Option<Words> {
    let mut path = path.to_vec();
    for _ in 0..9 {
        let module =
            (1..=path.len()).rev().map(|length| &path[..length]).find(|part| all.contains_key(*part))?;
        let (module, rest) = (module.to_vec(), path[module.len()..].to_vec());
        let shown = rest
            .first()
            .and_then(|name| faces.get(&[module.as_slice(), std::slice::from_ref(name)].concat()));
        let Some(onward) = shown else { return Some(module) };
        path = [onward.as_slice(), &rest[1..]].concat();
    }
    None
}

/// Returns the modules from which each one names something, except its parents and children, which are one
/// unit in several files.
fn imports(all: &BTreeMap<Words, Vec<String>>) -> BTreeMap<Words, BTreeSet<Words>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let is_crate = |name: &&String| src.join(name.as_str()).join("Cargo.toml").exists();
    let crates: HashSet<String> =
        all.keys().filter_map(|module| module.first()).filter(is_crate).cloned().collect();
    let faces = faces(all, &crates);
    let mut imports: BTreeMap<Words, BTreeSet<Words>> = BTreeMap::new();
    for (module, tokens) in all {
        let mut found = Vec::new();
        for at in 0..tokens.len() {
            let begins = ["crate", "super", "self"].contains(&tokens[at].as_str())
                || tokens[at].starts_with("qscope_");
            if begins && (at == 0 || tokens[at - 1] != "::") {
                read_paths(tokens, at, Vec::new(), &mut found);
            }
        }
        let goals = found.iter().filter_map(|path| home(all, &faces, &resolved(path, module, &crates)?));
        let others = goals.filter(|goal| !goal.starts_with(module) && !module.starts_with(goal));
        imports.insert(module.clone(), others.collect());
    }
    imports
}

/// Returns all modules that a module leads to.
fn reached<'a>(imports: &'a BTreeMap<Words, BTreeSet<Words>>, from: &'a Words) -> BTreeSet<&'a Words> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(imports.get(module).into_iter().flatten().filter(|goal| reached.insert(*goal)));
    }
    reached
}

#[test]
fn files_import_in_one_direction() {
    let all = modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let imports = imports(&all);
    let edges: usize = imports.values().map(BTreeSet::len).sum();
    assert!(edges > 4000, "imports are found: {edges}");
    let reached: BTreeMap<&Words, BTreeSet<&Words>> =
        imports.keys().map(|module| (module, reached(&imports, module))).collect();
    let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
    for (module, goals) in &reached {
        let back = goals.iter().filter(|goal| reached.get(*goal).is_some_and(|goals| goals.contains(module)));
        let circle: Vec<String> = back.map(|module| module.join("::")).collect();
        if circle.len() > LARGEST {
            circles.insert(circle);
        }
    }
    assert_eq!(circles, BTreeSet::new());
}

#[test]
fn paths_are_read_in_each_form() {
    let text = "use crate::{a::B, c as d}; // crate::no\nlet x = super::e::F::<u8>::new(qscope_g::h());";
    let tokens = tokens(text);
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| ["crate", "super", "qscope_g"].contains(&tokens[*at].as_str())) {
        read_paths(&tokens, at, Vec::new(), &mut found);
    }
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a::B", "crate::c", "super::e::F", "qscope_g::h"]);
}
