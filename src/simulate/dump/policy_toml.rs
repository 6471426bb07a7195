//! `policy.toml` beside dumps that already contain the options.

use qscope_engine::cluster::Snapshot;
use rustc_hash::FxHashMap;
use toml::{Table, Value};

/// Returns the file without the sections that the dumps replace, which would override them, and with the current
/// options of the allocation policies. Text that is not TOML is kept, for its reader to report.
pub(super) fn as_changed(text: &[u8], snap: &Snapshot) -> Vec<u8> {
    let Some(mut table) = std::str::from_utf8(text).ok().and_then(|text| text.parse::<Table>().ok()) else {
        return text.to_vec();
    };
    for section in ["sched_config", "server", "scheduler", "maui"] {
        table.remove(section);
    }
    if !snap.maui.is_empty() {
        let options =
            maui_options(snap).into_iter().map(|(name, value)| (name.to_owned(), Value::from(value)));
        table.insert("maui".to_owned(), Value::Table(options.collect()));
    }
    table.to_string().into_bytes()
}

/// Returns the options of the allocation policies in order, each once as TOML requires: of one that is set repeatedly the
/// last value, and for a node all of them, which add up.
pub fn maui_options(snap: &Snapshot) -> Vec<(&str, String)> {
    let mut all: Vec<(&str, String)> = Vec::with_capacity(snap.maui.len());
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    for (name, value) in &snap.maui {
        let at = *places.entry(name).or_insert(all.len());
        match all.get_mut(at) {
            None => all.push((name, value.to_string())),
            Some((_, known)) if name.to_ascii_uppercase().starts_with("NODECFG") => {
                *known += &format!(" {value}");
            }
            Some((_, known)) => *known = value.to_string(),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::Epoch;

    #[test]
    fn resources_stay_and_options_go_where_the_dumps_have_them() {
        let text = "zone = \"UTC\"\n[[resource]]\nname = \"tape\"\n[sched_config]\nstrict_ordering = true\n\
                    [server]\nbackfill_depth = 1\n[maui]\nNODEALLOCATIONPOLICY = \"FASTEST\"\n";
        let mut snap = Snapshot::empty("", Epoch(0));
        snap.maui = vec![("NODEALLOCATIONPOLICY".into(), "PRIORITY".into())];
        let changed = String::from_utf8(as_changed(text.as_bytes(), &snap)).unwrap();
        let changed: Table = changed.parse().unwrap();
        assert_eq!(changed.keys().collect::<Vec<_>>(), ["maui", "resource", "zone"]);
        assert_eq!(changed["maui"]["NODEALLOCATIONPOLICY"].as_str(), Some("PRIORITY"));
    }

    #[test]
    fn the_options_of_a_node_on_several_lines_are_all_kept() {
        let mut snap = Snapshot::empty("", Epoch(0));
        snap.maui = ["SLOT=1", "PRIORITYF='LOAD'"].map(|value| ("NODECFG[n1]".into(), value.into())).into();
        let changed: Table = String::from_utf8(as_changed(b"", &snap)).unwrap().parse().unwrap();
        assert_eq!(changed["maui"]["NODECFG[n1]"].as_str(), Some("SLOT=1 PRIORITYF='LOAD'"));
    }

    #[test]
    fn what_is_no_toml_stays() {
        let snap = Snapshot::empty("", Epoch(0));
        assert_eq!(as_changed(b"zone =", &snap), b"zone =");
        assert_eq!(as_changed(b"\xff", &snap), b"\xff");
    }
}
