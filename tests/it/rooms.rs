//! Dependencies between modules ("rooms") that Cargo does not enforce: within the engine, and from other crates into
//! it. Each room imports only from those to its left.

mod circles;

use std::fs;
use std::path::{Path, PathBuf};

use crate::system_house::sources;

/// The engine's rooms, each of which imports only from those before it.
const ENGINE: [&str; 4] = ["cluster", "universe", "placement", "cycle"];

/// Crates other than the engine that depend on the cluster, but on nothing that the scheduler derives from it.
const OF_THE_CLUSTER: [&str; 2] = ["source", "record"];

/// The rooms of the planning crate: the others import from the farm, but not from each other.
const PLANNING: [&str; 3] = ["farm", "capacity", "policies"];

/// Returns the beginnings of import paths that the file with this path below `src` may not use.
fn barred(path: &Path) -> Vec<String> {
    let mut parts = path.iter().filter_map(|part| part.to_str()).map(|part| part.trim_end_matches(".rs"));
    let (home, room) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let places = |rooms: &[&str]| rooms.iter().position(|known| *known == room);
    let of_crate = |rooms: &[&str]| -> Vec<String> {
        rooms.iter().flat_map(|room| [format!("crate::{room}"), format!("super::{room}")]).collect()
    };
    match home {
        "engine" => places(&ENGINE).map_or_else(Vec::new, |at| of_crate(&ENGINE[at + 1..])),
        "planning" if PLANNING.contains(&room) => {
            of_crate(&PLANNING[1..].iter().copied().filter(|other| *other != room).collect::<Vec<_>>())
        }
        home if OF_THE_CLUSTER.contains(&home) => {
            ENGINE[1..].iter().map(|room| format!("qscope_engine::{room}")).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns whether code mentions a path, and not another one with the same beginning.
fn mentions(code: &str, path: &str) -> bool {
    let (root, room) = path.rsplit_once("::").unwrap();
    let whole = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let direct = code.match_indices(path).any(|(at, _)| whole(&code[at + path.len()..]));
    // In braces: `use crate::{cluster, universe::Plan};`.
    let grouped = code.split(&format!("{root}::{{")).skip(1).any(|rest| {
        let names = rest.split([',', '{', '}']).map(str::trim);
        names
            .take_while(|name| !name.starts_with(';'))
            .any(|name| name.strip_prefix(room).is_some_and(|rest| whole(rest) && !name.contains('(')))
    });
    direct || grouped
}

#[test]
fn rooms_import_from_their_left_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths: Vec<PathBuf> = Vec::new();
    sources(&root, &mut paths);
    let (mut found, mut looked_at) = (Vec::new(), 0);
    for path in paths {
        let name = path.strip_prefix(&root).unwrap();
        let barred = barred(name);
        looked_at += usize::from(!barred.is_empty());
        let text = fs::read_to_string(&path).unwrap();
        let program = text.split("#[cfg(test)]\nmod ").next().unwrap();
        for (number, line) in (1..).zip(program.lines()) {
            let code = line.split("//").next().unwrap();
            if barred.iter().any(|path| mentions(code, path)) {
                found.push(format!("{}:{number}: {}", name.display(), line.trim()));
            }
        }
    }
    assert_eq!(found, [""; 0]);
    assert!(looked_at > 200, "files are looked at: {looked_at}");
}

#[test]
fn a_wrong_arrow_is_found_in_each_form() {
    let barred = barred(Path::new("source/cross.rs"));
    let is_wrong = |code: &str| barred.iter().any(|path| mentions(code, path));
    assert!(is_wrong("use qscope_engine::universe::both;"));
    assert!(is_wrong("use qscope_engine::{cluster::Node, universe::Plan};"));
    assert!(is_wrong("let plan: qscope_engine::cycle::Run = run;"));
    assert!(!is_wrong("use qscope_engine::cluster::{Node, universe_of};"));
    assert!(!is_wrong("use qscope_engine::cycles_of;"));
}
