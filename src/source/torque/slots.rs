//! Parses slots: how many slots of a node each job holds, and where a job runs.

use qscope_engine::cluster::InsertionOrderMap;

/// Returns the number of slots in a list of indices: `0-3,6` is 5.
fn count(part: &str) -> Option<u32> {
    match part.split_once('-') {
        None => part.parse::<u32>().ok().map(|_| 1),
        Some((from, to)) => {
            let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
            to.checked_sub(from)?.checked_add(1)
        }
    }
}

/// Returns the jobs of a node with the number of slots of each, in order of first occurrence. One rule covers all
/// three generations of the format: a part with a slash ends a group of indices (sites 4.1.1).
///
/// # Errors
/// The part that is not an index, or belongs to no job.
pub(crate) fn slots_by_job(text: &str) -> Result<Vec<(&str, u32)>, &str> {
    let mut jobs: InsertionOrderMap<&str, (&str, u32)> = InsertionOrderMap::default();
    let mut waiting = 0_u32;
    let mut open = None;
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (indices, id) =
            part.split_once('/').map_or((part, None), |(indices, id)| (indices, Some(id.trim())));
        waiting = waiting.saturating_add(count(indices.trim()).ok_or(part)?);
        open = Some(part);
        let Some(id) = id.filter(|id| !id.is_empty()) else { continue };
        let (_, slots) = jobs.of(id, || (id, 0));
        *slots = slots.saturating_add(waiting);
        (waiting, open) = (0, None);
    }
    open.map_or(Ok(jobs.into_all()), Err)
}

/// Returns the number of slots by host of `n1/0+n1/1+n2/0` or `n1/0-3+n2/0-1,4`, in order.
///
/// # Errors
/// The part that is invalid.
pub(crate) fn slots_by_host(text: &str) -> Result<Vec<(&str, u32)>, &str> {
    let mut hosts: InsertionOrderMap<&str, (&str, u32)> = InsertionOrderMap::default();
    for part in text.split('+').map(str::trim).filter(|part| !part.is_empty()) {
        let (host, indices) = part.split_once('/').unwrap_or((part, "0"));
        let mut slots = indices.split(',').map(|index| count(index.trim()));
        let slots = slots.try_fold(0_u32, |sum, one| Some(sum.saturating_add(one?))).ok_or(part)?;
        let (_, sum) = hosts.of(host, || (host, 0));
        *sum = sum.saturating_add(slots);
    }
    Ok(hosts.into_all())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_generations_of_lists() {
        assert_eq!(slots_by_job("0-3,6/12.srv,4-5/13.srv"), Ok(vec![("12.srv", 5), ("13.srv", 2)]));
        assert_eq!(slots_by_job("0/12.srv, 1/12.srv"), Ok(vec![("12.srv", 2)]));
        assert_eq!(slots_by_job("7/a[3].srv"), Ok(vec![("a[3].srv", 1)]));
        assert_eq!(slots_by_job("0-3"), Err("0-3"));
        assert_eq!(slots_by_job(""), Ok(vec![]));
        assert_eq!(slots_by_job("3-1/12.srv"), Err("3-1/12.srv"));
    }

    #[test]
    fn both_generations_of_places() {
        assert_eq!(slots_by_host("n1/0+n1/1+n2/0"), Ok(vec![("n1", 2), ("n2", 1)]));
        assert_eq!(slots_by_host("n1/0-3+n2/0-1,4"), Ok(vec![("n1", 4), ("n2", 3)]));
        assert_eq!(slots_by_host("n1/x"), Err("n1/x"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_counted(text in "[0-9a-z,/+\\- \\[\\].]{0,60}") {
            let _read = (slots_by_job(&text), slots_by_host(&text));
        }
    }
}
