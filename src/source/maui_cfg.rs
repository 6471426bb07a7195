//! Reads `maui.cfg`: the parameters used by the node allocation policies.
//!
//! A line is `PARAMETER[INDEX] value…`; `#` starts a comment. Parameters of other parts of Maui are skipped and
//! reported.

use qscope_engine::cluster::{Diagnostic, FilePosition, Name, Severity};

/// Parameters that are used.
const USED: [&str; 6] = [
    "NODEALLOCATIONPOLICY",
    "NODECFG",
    "NODEACCESSPOLICY",
    "NODELOADPOLICY",
    "NODEAVAILABILITYPOLICY",
    "JOBNODEMATCHPOLICY",
];

/// Parameters that can be set, including those of the hand-written form for what a site decides elsewhere.
pub(crate) const NAMES: &[&str] = &[
    "NODEALLOCATIONPOLICY",
    "PRIORITYF",
    "NODECFG",
    "NODEACCESSPOLICY",
    "NODELOADPOLICY",
    "NODEAVAILABILITYPOLICY",
    "RESOURCEAVAILABILITYPOLICY",
    "JOBNODEMATCHPOLICY",
    "NODESETPOLICY",
    "NODESETATTRIBUTE",
    "NODESETLIST",
    "NODESETPRIORITYTYPE",
    "NODESETTOLERANCE",
    "NODESETDELAY",
    "MINRESOURCE_KEY",
    "CONTIGUOUS_FIT",
    "PREF_MODE",
    "DISK_RESOURCE",
];

/// Sets a parameter, or that of an index; an empty value removes it.
pub(crate) fn set(pairs: &mut Vec<(Name, Name)>, name: &str, value: &str) {
    pairs.retain(|(have, _)| !have.eq_ignore_ascii_case(name));
    if !value.is_empty() {
        pairs.push((name.into(), value.into()));
    }
}

/// Reads the lines that are used, in order: line number, name and value as written.
pub(crate) fn read(bytes: &[u8], file: &str, reported: &mut Vec<Diagnostic>) -> Vec<(usize, (Name, Name))> {
    let text = String::from_utf8_lossy(bytes);
    let mut pairs = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let (name, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let base = name.split('[').next().unwrap_or_default().to_ascii_uppercase();
        if USED.contains(&base.as_str())
            || base.starts_with("NODESET")
            || base == "RESOURCEAVAILABILITYPOLICY"
        {
            pairs.push((number, (name.into(), value.trim().into())));
            continue;
        }
        let message = format!("`{}` is not about node allocation; passed over", name.escape_debug());
        let spot = FilePosition::Line(number);
        reported.push(Diagnostic::new(Severity::Note, "maui-parameter", file, spot, message));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_set_again_counts_once() {
        let mut pairs = vec![("NODECFG[n1]".into(), "SLOT=1".into()), ("PREF_MODE".into(), "x".into())];
        set(&mut pairs, "nodecfg[n1]", "SLOT=2");
        set(&mut pairs, "PREF_MODE", "");
        assert_eq!(pairs, [("nodecfg[n1]".into(), "SLOT=2".into())]);
    }

    #[test]
    fn lines_that_count_are_kept_as_written() {
        let mut reported = Vec::new();
        let text = "# a site\nNODEALLOCATIONPOLICY PRIORITY\nNODECFG[DEFAULT] PRIORITYF='-LOAD - 5*USAGE' # desks\n\nRMPOLLINTERVAL 30\nPRIORITYNODECFG[DEFAULT] X\n";
        let pairs = read(text.as_bytes(), "maui.cfg", &mut reported);
        assert_eq!(pairs[0], (2, ("NODEALLOCATIONPOLICY".into(), "PRIORITY".into())));
        assert_eq!(pairs[1], (3, ("NODECFG[DEFAULT]".into(), "PRIORITYF='-LOAD - 5*USAGE'".into())));
        assert_eq!(pairs.len(), 2);
        let reported: Vec<String> = reported.iter().map(ToString::to_string).collect();
        assert!(
            reported[0].contains("maui.cfg:5") && reported[1].contains("PRIORITYNODECFG"),
            "{reported:?}"
        );
    }
}
