//! The entries of the command line's list: verbs and their objects, objects alone, views, actions.

use rustc_hash::FxHashSet;

use super::entry::{MAX_OBJECTS, PaletteEntry};
use super::jobs::jobs;
use super::tables::of_columns;
use super::verb::{Verb, VerbArgument};
use super::{Context, PaletteColumn, PaletteCommand};
use crate::action::{Action, TABLE};
use crate::keymap::Keymap;
use crate::screen::NameIndex;
use crate::theme::{AUTO, BUILT_IN};
use crate::views::nodes::use_words;
use crate::views::{Object, ViewContext, ViewName};
use crate::wording;
use qscope_engine::cluster::{Id, NodeId, Reservation, Snapshot, short_id};
use qscope_session::complete;

/// Maximum number of matching names that are compared for it: the first ones found.
const MAX_FITTING: usize = 4 * MAX_OBJECTS;

/// Returns everything a line may mean, the likeliest first.
pub(super) fn all_found(
    line: &str,
    about: Context,
    columns: &[PaletteColumn],
    keymap: &Keymap,
    cx: Option<ViewContext<'_>>,
) -> Vec<PaletteEntry> {
    if let Some((verb, object)) = Verb::parse(line).filter(|_| line.trim_start().contains(' ')) {
        // After a blank the next column begins.
        return match line.ends_with(' ') && !object.is_empty() {
            true => objects_of(verb, &format!("{object} "), columns, cx),
            false => objects_of(verb, object, columns, cx),
        };
    }
    let text = line.trim().to_lowercase();
    let mut ranked: Vec<(u8, PaletteEntry)> = views()
        .chain(verbs())
        .chain(actions(keymap, about))
        .fold(Vec::new(), put)
        .into_iter()
        .filter_map(|found| Some((rank(&found, &text)?, found)))
        .collect();
    // The sort is stable: within a rank, views come first, then verbs, then actions in the order of the help.
    ranked.sort_by_key(|(rank, found)| (*rank, found.name != text));
    let exact = ranked.iter().take_while(|(_, found)| found.name == text).count();
    let mut found: Vec<PaletteEntry> =
        ranked.into_iter().map(|(rank, found)| PaletteEntry { is_loose: rank >= LOOSE, ..found }).collect();
    if let Some(cx) = cx.filter(|_| !text.is_empty()) {
        found.splice(exact..exact, bare_objects(cx, &text));
        found.sort_by_key(|found| found.is_loose);
    }
    found
}

/// Adds an entry. A view, a verb and a key of one name become one entry: the first, with another's key if it has none.
fn put(mut all: Vec<PaletteEntry>, next: PaletteEntry) -> Vec<PaletteEntry> {
    match all.iter_mut().find(|known| known.name == next.name) {
        Some(known) if known.keys.is_empty() => known.keys = next.keys,
        Some(_) => {}
        None => all.push(next),
    }
    all
}

fn views() -> impl Iterator<Item = PaletteEntry> {
    ViewName::ALL.iter().map(|view| PaletteEntry {
        keys: view.number().map(|number| number.to_string()).unwrap_or_default(),
        ..PaletteEntry::new(view.word(), view.purpose(), PaletteCommand::OpenView(Object::View(*view)))
    })
}

fn verbs() -> impl Iterator<Item = PaletteEntry> {
    Verb::ALL.iter().map(|verb| {
        let line = if verb.takes() == VerbArgument::Nothing {
            verb.name().to_owned()
        } else {
            format!("{} ", verb.name())
        };
        PaletteEntry {
            line,
            ..PaletteEntry::new(verb.name(), verb.doc(), PaletteCommand::Run(*verb, String::new()))
        }
    })
}

/// The actions of a context, without those that only make sense as keys (moving, typing, views by number).
fn actions(keymap: &Keymap, context: Context) -> impl Iterator<Item = PaletteEntry> {
    let sensible = |action: Action| {
        let here = matches!(action, Action::Close | Action::Palette);
        let is_verb = Verb::ALL.iter().any(|verb| verb.name() == action.entry().name);
        !action.moves() && action.view().is_none() && !here && !is_verb
    };
    TABLE.iter().filter(move |entry| sensible(entry.action)).filter_map(move |entry| {
        let keys: Vec<String> = keymap.keys(entry.action, context).map(|key| key.to_string()).collect();
        let found = PaletteEntry::new(entry.name, entry.doc, PaletteCommand::RunAction(entry.action));
        (!keys.is_empty()).then(|| PaletteEntry { keys: keys.join(" "), ..found })
    })
}

/// From this rank on a match is only loose: the entry is suggested, but the typed line does not run it.
const LOOSE: u8 = 2;

/// Returns the rank of a match: 0 if the name begins with the text, 1 if it contains it, 2 if it contains its letters
/// in order, 3 if the description contains it.
fn rank(entry: &PaletteEntry, text: &str) -> Option<u8> {
    let name = entry.name.as_str();
    if name.starts_with(text) {
        return Some(0);
    }
    if name.contains(text) {
        return Some(1);
    }
    let mut letters = name.chars();
    if text.chars().all(|letter| letters.any(|c| c == letter)) {
        return Some(2);
    }
    entry.doc.to_lowercase().contains(text).then_some(3)
}

fn objects_of(
    verb: Verb,
    text: &str,
    columns: &[PaletteColumn],
    cx: Option<ViewContext<'_>>,
) -> Vec<PaletteEntry> {
    let words = |words: &mut dyn Iterator<Item = &str>| {
        let fits = |word: &&str| word.starts_with(text.trim_start_matches('-'));
        let sign = if text.starts_with('-') { "-" } else { "" };
        let found = |word: &str| {
            let object = format!("{sign}{word}");
            PaletteEntry::new(format!("{} {object}", verb.name()), "", PaletteCommand::Run(verb, object))
        };
        words.filter(fits).map(found).collect::<Vec<_>>()
    };
    match verb.takes() {
        VerbArgument::Theme => words(&mut [AUTO].into_iter().chain(BUILT_IN.iter().map(|(name, _)| *name))),
        VerbArgument::Column => words(&mut columns.iter().map(|(title, _)| title.as_str())),
        VerbArgument::Columns => of_columns(text, columns),
        VerbArgument::Grouping => words(&mut ["bucket", "set", "host", "name"].into_iter()),
        VerbArgument::ExportForm => words(&mut ["text", "ansi", "svg", "csv", "json", "policy"].into_iter()),
        VerbArgument::Text | VerbArgument::Filter | VerbArgument::Nothing => Vec::new(),
        kind => cx.map(|cx| named(verb, kind, text, cx)).unwrap_or_default(),
    }
}

/// Returns the objects of the cluster that a verb can take.
fn named(verb: Verb, kind: VerbArgument, text: &str, cx: ViewContext<'_>) -> Vec<PaletteEntry> {
    let mut objects = match kind {
        VerbArgument::JobOrNode => [jobs(cx, text), nodes(cx, text)].concat(),
        VerbArgument::Job => jobs(cx, text),
        VerbArgument::Node => nodes(cx, text),
        VerbArgument::Queue => queues(cx, text),
        VerbArgument::Bucket => buckets(cx, text),
        VerbArgument::Reservation => reservations(cx, text),
        VerbArgument::SetOrSetting => {
            let mut all = sets(cx, text);
            let keys = complete(text, cx.snapshot()).into_iter().take(MAX_OBJECTS);
            all.extend(keys.map(|key| {
                let line = format!("set {key}");
                PaletteEntry {
                    line,
                    ..PaletteEntry::new(format!("set {key}"), "what-if", PaletteCommand::Run(verb, key))
                }
            }));
            return with_the_named_first(all, text, cx);
        }
        _ => Vec::new(),
    };
    objects = with_the_named_first(objects, text, cx);
    for found in &mut objects {
        found.name = format!("{} {}", verb.name(), found.name);
        found.line = format!("{} {}", verb.name(), found.line);
        if let Some(target) = &found.object {
            found.command = PaletteCommand::Run(verb, target.name().to_owned());
        }
    }
    objects
}

/// Returns the objects whose name contains the text: `12` finds job 12.
fn bare_objects(cx: ViewContext<'_>, text: &str) -> Vec<PaletteEntry> {
    let pools = [sets(cx, text), reservations(cx, text), queues(cx, text)].concat();
    with_the_named_first([jobs(cx, text), nodes(cx, text), pools].concat(), text, cx)
}

/// Marks the objects that the text only finds and does not name, and puts them last: Enter never opens job 57 for
/// `7`, and the vnode `pbs01` comes before job `192.pbs01`.
fn with_the_named_first(mut all: Vec<PaletteEntry>, text: &str, cx: ViewContext<'_>) -> Vec<PaletteEntry> {
    let meant = cx.job_meant(text).map(|id| &*cx.snapshot().jobs[id].name);
    let same = |name: &str| name.eq_ignore_ascii_case(text);
    let is_named = |object: &Object| match object {
        Object::Job(name) => meant == Some(name.as_str()) || same(name),
        Object::Reservation(name) => same(name) || same(short_id(name)),
        other => same(other.name()),
    };
    // The names of buckets and sets are compound, so a part that only one has is enough.
    let is_compound = |object: &Object| matches!(object, Object::Bucket(_) | Object::Set(_));
    let is_only =
        all.iter().filter_map(|found| found.object.as_ref()).filter(|it| is_compound(it)).count() == 1;
    for found in &mut all {
        let Some(object) = found.object.as_ref().filter(|_| !text.is_empty()) else { continue };
        found.is_loose = !(is_named(object) || is_only && is_compound(object));
    }
    all.sort_by_key(|found| found.is_loose);
    all
}

/// Returns the names that contain the text: equal ones first, then those that begin with it, then by length.
pub(super) fn fitting<'n>(names: impl Iterator<Item = &'n str>, text: &str) -> Vec<&'n str> {
    let text = text.to_lowercase();
    by_likelihood(names.filter(|name| name.to_lowercase().contains(&text)).take(MAX_FITTING).collect(), &text)
}

/// The same for very many names, found by their index.
pub(super) fn fitting_of<'n>(names: &NameIndex, name: impl Fn(usize) -> &'n str, text: &str) -> Vec<&'n str> {
    let text = text.to_lowercase();
    by_likelihood(names.containing(&text, MAX_FITTING).into_iter().map(name).collect(), &text)
}

fn by_likelihood<'n>(mut some: Vec<&'n str>, text: &str) -> Vec<&'n str> {
    some.sort_by_key(|name| (short_id(name) != text, !name.starts_with(text), name.len()));
    some.truncate(MAX_OBJECTS);
    some
}

pub(super) fn object(name: &str, doc: String, object: Object) -> PaletteEntry {
    let command = PaletteCommand::Open(object.clone());
    PaletteEntry { object: Some(object), ..PaletteEntry::new(name, doc, command) }
}

fn nodes(cx: ViewContext<'_>, text: &str) -> Vec<PaletteEntry> {
    let snap = cx.snapshot();
    let state = |name: &str| match cx.plan().bit_named.get(name) {
        Some(bit) => use_words(cx.state(), *bit),
        None => cx.plan().node_named(name).map_or_else(String::new, |id| snap.nodes[id].states.to_string()),
    };
    let doc = |name: &str| format!("node  {}", state(name));
    let name = |at| &*snap.nodes[NodeId::at(at)].name;
    let names = fitting_of(&cx.names().all_nodes, name, text);
    names.into_iter().map(|name| object(name, doc(name), Object::Node(name.to_owned()))).collect()
}

fn queues(cx: ViewContext<'_>, text: &str) -> Vec<PaletteEntry> {
    let names = fitting(cx.snapshot().queues.iter().map(|queue| &*queue.name), text);
    names.into_iter().map(|name| object(name, "queue".to_owned(), Object::Queue(name.to_owned()))).collect()
}

fn sets(cx: ViewContext<'_>, text: &str) -> Vec<PaletteEntry> {
    // Pools may have sets of one name, which have one page.
    let mut seen = FxHashSet::default();
    let sets = cx.state().sets.iter().map(|set| &*set.shape.name);
    let names = fitting(sets.filter(|name| name.contains('=') && seen.insert(*name)), text);
    names.into_iter().map(|name| object(name, "set".to_owned(), Object::Set(name.to_owned()))).collect()
}

fn buckets(cx: ViewContext<'_>, text: &str) -> Vec<PaletteEntry> {
    let state = cx.state();
    let all: Vec<(String, usize)> =
        state.buckets.iter().map(|bucket| (bucket.name(cx.plan()), bucket.members.count())).collect();
    let written = &cx.names().written;
    let entry = |name: &str| {
        let nodes = all.iter().find(|(known, _)| known == name).map_or(0, |(_, nodes)| *nodes);
        let doc = format!("bucket  {}", wording::count(nodes, "node"));
        // The list shows what distinguishes it; the line has the name by which it is looked up.
        PaletteEntry { name: written.full_name(name), ..object(name, doc, Object::Bucket(name.to_owned())) }
    };
    fitting(all.iter().map(|(name, _)| name.as_str()), text).into_iter().map(entry).collect()
}

fn reservations(cx: ViewContext<'_>, text: &str) -> Vec<PaletteEntry> {
    let snap = cx.snapshot();
    let entry = |name: &str| {
        let one = snap.reservation_named(name).map(|id| &snap.reservations[id]);
        let doc = one.map_or_else(String::new, |one| about_reservation(snap, one));
        object(short_id(name), format!("reservation  {doc}"), Object::Reservation(name.to_owned()))
    };
    fitting(snap.reservations.iter().map(|one| &*one.name), text).into_iter().map(entry).collect()
}

/// The time, the nodes and the state of a reservation.
fn about_reservation(snap: &Snapshot, reservation: &Reservation) -> String {
    let times = reservation.start.zip(reservation.end).map(|(start, end)| {
        format!("{}-{}", wording::time_of_day(snap, start), wording::time_of_day(snap, end))
    });
    let nodes =
        reservation.nodes.as_ref().map(|nodes| wording::compact(nodes.parts().map(|part| &*part.vnode)));
    times.into_iter().chain(nodes).chain([reservation.state.word()]).collect::<Vec<_>>().join(" ")
}
