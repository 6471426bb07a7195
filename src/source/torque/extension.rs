//! Parses the extensions of Maui and Moab in a job: `x = KEY:value;KEY:value` (sites 4.5).

/// Known keys. Anything else continues the previous value, because values contain colons, and old files separate keys
/// by commas or blanks.
const KEYS: [&str; 33] = [
    "FEATURE",
    "PREF",
    "NODESET",
    "NODESETISOPTIONAL",
    "NODESETDELAY",
    "QOS",
    "PARTITION",
    "ADVRES",
    "HOSTLIST",
    "EXCLUDENODES",
    "TPN",
    "PMEM",
    "DMEM",
    "VMEM",
    "DDISK",
    "NACCESSPOLICY",
    "NALLOCPOLICY",
    "NMATCHPOLICY",
    "GRES",
    "GEOMETRY",
    "TASKGEOMETRY",
    "FLAGS",
    "JOBFLAGS",
    "DEPEND",
    "MINWCLIMIT",
    "SID",
    "SJID",
    "SRMJID",
    "NODESETPOLICY",
    "TRL",
    "QUEUEJOB",
    "LOGLEVEL",
    "NODESETATTRIBUTE",
];

/// Returns keys in upper case, and their values.
pub(super) fn pairs(text: &str) -> Vec<(String, &str)> {
    let text = text.trim();
    let parts: Box<dyn Fn(char) -> bool> =
        if text.contains(';') { Box::new(|c| c == ';') } else { Box::new(|c| c == ',' || c == ' ') };
    let mut starts: Vec<(usize, String, usize)> = Vec::new();
    let mut at = 0;
    for part in text.split(&*parts) {
        let key = part.split([':', '=']).next().unwrap_or_default();
        let name = key.trim().to_ascii_uppercase();
        let begins =
            part.len() > key.len() && (text.contains(';') && !name.is_empty() || KEYS.contains(&&*name));
        if begins || name == "NODESETISOPTIONAL" {
            starts.push((at, name, (at + key.len() + 1).min(at + part.len())));
        }
        at += part.len() + 1;
    }
    let ends = starts.iter().skip(1).map(|(at, ..)| at.saturating_sub(1)).chain([text.len()]);
    let pairs = starts.iter().zip(ends);
    pairs
        .map(|((_, name, value), end)| (name.clone(), text.get(*value..end).unwrap_or_default().trim()))
        .collect()
}

pub(super) fn value<'a>(pairs: &[(String, &'a str)], key: &str) -> Option<&'a str> {
    pairs.iter().find(|(have, _)| have == key).map(|(_, value)| *value)
}

/// Returns the features that a job prefers: `PREF(FEATURE:FAST,FEATURE:TAPE)`, or `PREF:fast:tape` (allocation
/// policies, rule 3.2). Conditions on memory, swap and disk have no effect, as in the last Maui.
pub fn preferences(text: &str) -> Vec<&str> {
    let upper = text.to_ascii_uppercase();
    let Some(at) = upper.find("PREF(") else {
        let all = pairs(text);
        let listed = all.iter().find(|(key, _)| key == "PREF").map(|(_, value)| *value);
        return listed.into_iter().flat_map(words).collect();
    };
    let rest = text.get(at + "PREF(".len()..).unwrap_or_default();
    let list = rest.split(')').next().unwrap_or_default();
    let feature = |word: &'_ str| -> Option<usize> {
        let (key, _) = word.split_once([':', '='])?;
        key.trim().eq_ignore_ascii_case("FEATURE").then_some(key.len() + 1)
    };
    let kept = |part| -> Option<&str> {
        let part: &str = part;
        match feature(part) {
            Some(at) => part.get(at..),
            None => (!part.contains([':', '=', '<', '>'])).then_some(part),
        }
    };
    list.split(',').map(str::trim).filter_map(kept).map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// Returns the allocation policy that a job requests: `NALLOCPOLICY:FASTEST` (rule 3.1).
pub fn policy(text: &str) -> Option<&str> {
    let all = pairs(text);
    let policy = value(&all, "NALLOCPOLICY")?.split([';', ',', ' ']).next()?.trim();
    (!policy.is_empty()).then_some(policy)
}

/// Returns the words of a list separated by `:` or `,`.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([':', ',']).map(str::trim).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_hold_colons() {
        let all = pairs("SID:Moab;SJID:Moab.12;pref:fast;NODESET:ONEOF:FEATURE:rackA:rackB");
        assert_eq!(value(&all, "SJID"), Some("Moab.12"));
        assert_eq!(value(&all, "PREF"), Some("fast"));
        assert_eq!(value(&all, "NODESET"), Some("ONEOF:FEATURE:rackA:rackB"));
        assert_eq!(words("a:b,c").collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn preferences_stand_in_brackets_or_behind_a_colon() {
        assert_eq!(preferences("PREF(FEATURE:FAST,FEATURE:TAPE)"), ["FAST", "TAPE"]);
        assert_eq!(preferences("QOS:high;pref(feature=fast, MEM:>512)"), ["fast"]);
        assert_eq!(preferences("FEATURE:ib;PREF:fast:tape"), ["fast", "tape"]);
        assert!(preferences("PREFER:fast").is_empty() && preferences("").is_empty());
    }

    #[test]
    fn a_policy_stands_alone_or_beside_preferences() {
        assert_eq!(policy("NALLOCPOLICY:CPULOAD;PREF(FEATURE:FAST)"), Some("CPULOAD"));
        assert_eq!(policy("PREF(FEATURE:FAST,FEATURE:TAPE);nallocpolicy=FASTEST"), Some("FASTEST"));
        assert_eq!(policy("NALLOCPOLICY:FASTEST,PREF:fast"), Some("FASTEST"));
        assert!(policy("PREF(FEATURE:FAST)").is_none() && policy("NALLOCPOLICY:").is_none());
    }

    #[test]
    fn old_files_part_by_commas_and_blanks() {
        let all = pairs("FEATURE:a,NALLOCPOLICY:FASTEST HOSTLIST:n1,n2");
        assert_eq!(value(&all, "FEATURE"), Some("a"));
        assert_eq!(value(&all, "NALLOCPOLICY"), Some("FASTEST"));
        assert_eq!(value(&all, "HOSTLIST"), Some("n1,n2"));
        assert!(pairs("").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_extension_is_read(text in "[A-Za-z:;=, é]{0,80}") {
            let _read = pairs(&text);
        }
    }
}
