//! Definitions of resources, and the scheduler's files other than its options.

use qscope_engine::cluster::{Epoch, Holidays, ResourceDef, ShareGroup, Snapshot};

use qscope_simulate::dump::usage;

use super::DumpFile;

pub(super) fn files(snap: &Snapshot) -> Vec<DumpFile> {
    let mut files: Vec<DumpFile> = Vec::new();
    let mut add = |name, text: String| {
        if !text.is_empty() {
            files.push((name, text.into_bytes()));
        }
    };
    add("resources.txt", resources(snap));
    add("holidays", snap.holidays.as_ref().map(holidays).unwrap_or_default());
    add("dedicated_time", dedicated(snap));
    add("resource_group", snap.share_groups.iter().map(share_group).collect());
    if !snap.usage.is_empty() {
        let decayed = snap.usage.iter().find_map(|record| record.decayed).unwrap_or_default();
        let leaves = snap.usage.iter().map(|record| (&record.name, record.usage));
        files.push(("usage", usage(decayed, leaves)));
    }
    files
}

/// Returns the resources of the site, as `qmgr -c "list resource"` prints them.
fn resources(snap: &Snapshot) -> String {
    let own = snap.catalogue.iter().filter(|(_, def)| !def.built_in);
    own.map(|(_, def)| resource(def)).collect()
}

fn resource(def: &ResourceDef) -> String {
    let flags = def.flags;
    // For a consumable, only `f` and `n` state how it is counted.
    let letters = [
        (flags.host, 'h'),
        (flags.compared_in_all, 'q'),
        (flags.every_node, 'n'),
        (flags.first_node, 'f'),
        (flags.invisible, 'i'),
        (flags.read_only, 'r'),
    ];
    let letters: String = letters.into_iter().filter(|(is, _)| *is).map(|(_, letter)| letter).collect();
    let flag = if letters.is_empty() { String::new() } else { format!("    flag = {letters}\n") };
    format!("Resource {}\n    type = {}\n{flag}\n", def.name, def.kind.word())
}

fn holidays(holidays: &Holidays) -> String {
    let mut text = holidays.year.map_or(String::new(), |year| format!("YEAR {year}\n"));
    for line in &holidays.days {
        text += &format!("{} {} {}\n", line.days.name(), line.prime.words(""), line.non_prime.words(""));
    }
    for day in &holidays.holidays {
        text += &format!("{day} day-{day} holiday\n");
    }
    text
}

fn dedicated(snap: &Snapshot) -> String {
    let moment =
        |at: Epoch| snap.date(at).map(|at| at.strftime("%m/%d/%Y %H:%M").to_string()).unwrap_or_default();
    let slots = snap.dedicated_time.iter();
    slots.map(|slot| format!("{} {}\n", moment(slot.from), moment(slot.to))).collect()
}

fn share_group(group: &ShareGroup) -> String {
    format!("{} {} {} {}\n", group.name, group.number, group.parent, group.shares)
}
