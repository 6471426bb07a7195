//! Decodes the attributes of arrays and their subjobs (rules 1.4 and 6.12).

use crate::context::{AttributeReader, ReadContext};
use crate::log::DiagnosticLog;
use crate::record::Record;
use qscope_engine::cluster::{ArrayAttributes, array_id};

/// Decodes the array part of a job's record, if it is an array or a subjob.
pub(super) fn decode(
    record: &Record<'_>,
    name: &str,
    cx: &mut ReadContext<'_>,
    log: &mut DiagnosticLog,
) -> Option<Box<ArrayAttributes>> {
    let (array, index) = array_id(name)?;
    let is_parent = index.is_empty();
    let mut info = ArrayAttributes { is_parent, ..ArrayAttributes::default() };
    if !is_parent {
        info.parent = Some(cx.name(&array));
        info.index = index.parse().ok();
    }
    for attribute in &record.attributes {
        let mut count = || AttributeReader { attribute, cx, log }.count();
        match &*attribute.name {
            "array_index" if info.index.is_none() => info.index = count(),
            "array_indices_remaining" => match indices(&attribute.value, cx.max_indices) {
                Some(remaining) => {
                    cx.max_indices = cx.max_indices.saturating_sub(remaining.len());
                    info.remaining = remaining;
                }
                None => log.warn("array-indices", attribute.spot(), || {
                    let found: String = attribute.value.chars().take(60).collect();
                    format!(
                        "found `{found}`; expected indices such as 1-4,7, all arrays' no more than 10,000,000"
                    )
                }),
            },
            "array_state_count" => info.running = count_of(&attribute.value, "Running"),
            "max_run_subjobs" => info.max_run_subjobs = count(),
            _ => {}
        }
    }
    Some(Box::new(info))
}

/// Parses `1-4,7,9-13:2`; `-` means no index. Returns `None` if there are more than `most`.
pub fn indices(text: &str, most: usize) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "-") {
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (from, to): (u32, u32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        let step: usize = step.trim().parse().ok().filter(|step| *step > 0)?;
        let length = (to.checked_sub(from)? as usize) / step + 1;
        if length > most.saturating_sub(all.len()) {
            return None;
        }
        all.extend((from..=to).step_by(step));
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// Parses one number of `Queued:3 Running:1 Exiting:0 Expired:2`.
fn count_of(text: &str, state: &str) -> Option<u32> {
    text.split_whitespace().find_map(|word| word.strip_prefix(state)?.strip_prefix(':')?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_ranges_with_steps() {
        assert_eq!(indices("7,1-3,9-13:2", 100), Some(vec![1, 2, 3, 7, 9, 11, 13]));
        assert_eq!(indices("-", 100), Some(vec![]));
        assert_eq!(indices("1-x", 100), None);
        assert_eq!(indices("0-99", 100).map(|all| all.len()), Some(100));
        assert_eq!(indices("0-100", 100), None);
        assert_eq!(indices("0-4294967295", 100), None);
    }

    #[test]
    fn state_counts_by_word() {
        assert_eq!(count_of("Queued:3 Running:1 Exiting:0 Expired:2 ", "Running"), Some(1));
    }
}
