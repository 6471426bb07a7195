//! `policy.toml` beside dumps that already contain the options.

use qscope_engine::cluster::Snapshot;
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
        let options = snap.maui.iter().map(|(name, value)| (name.to_string(), Value::from(&**value)));
        table.insert("maui".to_owned(), Value::Table(options.collect()));
    }
    table.to_string().into_bytes()
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
    fn what_is_no_toml_stays() {
        let snap = Snapshot::empty("", Epoch(0));
        assert_eq!(as_changed(b"zone =", &snap), b"zone =");
        assert_eq!(as_changed(b"\xff", &snap), b"\xff");
    }
}
