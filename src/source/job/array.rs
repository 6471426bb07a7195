//! What only arrays and their subjobs have (rules 1.4 and 6.12).

use super::super::context::Context;
use super::super::log::Log;
use super::super::record::Record;
use crate::cluster::ArrayInfo;

/// More indices than any server allows; a range beyond this is cut.
const MOST_INDICES: usize = 1_000_000;

/// Reads the array part of a job's record, if it is an array or a subjob.
pub(super) fn decode(
    record: &Record<'_>,
    name: &str,
    cx: &mut Context<'_>,
    log: &mut Log,
) -> Option<Box<ArrayInfo>> {
    let (before, rest) = name.split_once('[')?;
    let (index, after) = rest.split_once(']')?;
    let is_parent = index.is_empty();
    let mut info = ArrayInfo { is_parent, ..ArrayInfo::default() };
    if !is_parent {
        info.parent = Some(cx.name(&format!("{before}[]{after}")));
        info.index = index.parse().ok();
    }
    for attribute in &record.attributes {
        match &*attribute.name {
            "array_index" if info.index.is_none() => info.index = cx.count(attribute, log),
            "array_indices_remaining" => {
                info.remaining = indices(&attribute.value).unwrap_or_else(|| {
                    log.warn("array-indices", attribute.spot(), || {
                        format!("found `{}`; expected indices such as 1-4,7", attribute.value)
                    });
                    Vec::new()
                });
            }
            "array_state_count" => info.running = count_of(&attribute.value, "Running"),
            "max_run_subjobs" => info.max_run_subjobs = cx.count(attribute, log),
            _ => {}
        }
    }
    Some(Box::new(info))
}

/// Reads `1-4,7,9-13:2`; `-` is none at all.
fn indices(text: &str) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "-") {
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (from, to): (u32, u32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        let step: usize = step.trim().parse().ok().filter(|step| *step > 0)?;
        let room = MOST_INDICES.saturating_sub(all.len());
        all.extend((from..=to).step_by(step).take(room));
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// Reads one number of `Queued:3 Running:1 Exiting:0 Expired:2`.
fn count_of(text: &str, state: &str) -> Option<u32> {
    text.split_whitespace().find_map(|word| word.strip_prefix(state)?.strip_prefix(':')?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_ranges_with_steps() {
        assert_eq!(indices("7,1-3,9-13:2"), Some(vec![1, 2, 3, 7, 9, 11, 13]));
        assert_eq!(indices("-"), Some(vec![]));
        assert_eq!(indices("1-x"), None);
        assert_eq!(indices("0-4294967295").unwrap().len(), MOST_INDICES);
    }

    #[test]
    fn state_counts_by_word() {
        assert_eq!(count_of("Queued:3 Running:1 Exiting:0 Expired:2 ", "Running"), Some(1));
    }
}
