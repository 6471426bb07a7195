//! Reduces a select with very many chunk specs to kinds of chunks: no one would read an answer for each of thousands,
//! and every cause compares all chunk specs with all nodes.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use qscope_engine::universe::{JobRequest, ShapeId, Spec};

/// Maximum number of chunk specs listed one by one and, beyond that, of kinds of chunks.
pub(super) const MAX_PARTS: usize = 100;

/// Returns a request as it is explained: unchanged or, if its select has very many chunk specs, with equal chunks
/// merged and reduced to the first kinds.
pub(super) fn merge_equal_specs(request: &JobRequest) -> Cow<'_, JobRequest> {
    if request.specs.len() <= MAX_PARTS {
        return Cow::Borrowed(request);
    }
    let mut at: FxHashMap<ShapeId, usize> = FxHashMap::default();
    let mut kinds: Vec<Spec> = Vec::new();
    for spec in request.specs.iter() {
        let next = kinds.len();
        let number = *at.entry(spec.shape).or_insert(next);
        if number == next && next < MAX_PARTS {
            kinds.push(spec.clone());
        } else if let Some(kind) = kinds.get_mut(number).filter(|_| number < next) {
            kind.count = kind.count.saturating_add(spec.count);
        }
    }
    for kind in &mut kinds {
        kind.text = format!("{}:{}", kind.count, kind.chunk_text()).into();
    }
    Cow::Owned(JobRequest { specs: kinds.into(), ..request.clone() })
}

/// Returns the note for a request that is explained by kinds; `None` if every chunk spec is listed.
pub(super) fn note(request: &JobRequest) -> Option<String> {
    let parts = request.specs.len();
    if parts <= MAX_PARTS {
        return None;
    }
    let kinds: rustc_hash::FxHashSet<ShapeId> = request.specs.iter().map(|spec| spec.shape).collect();
    let left_out = kinds.len().saturating_sub(MAX_PARTS);
    let what = format!("the select has {parts} parts: equal chunks are put together");
    Some(match left_out {
        0 => what,
        _ => format!(
            "{what}; of {} kinds of chunks the first {MAX_PARTS} are explained, {left_out} are left out",
            kinds.len()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(shapes: impl Iterator<Item = u32>) -> JobRequest {
        let spec = |shape| Spec { count: 2, shape: ShapeId(shape), text: "2:ncpus=1".into() };
        JobRequest { specs: shapes.map(spec).collect(), ..JobRequest::default() }
    }

    #[test]
    fn few_parts_stay_as_they_are() {
        let few = request(std::iter::repeat_n(0, MAX_PARTS));
        assert_eq!(merge_equal_specs(&few).specs.len(), MAX_PARTS);
        assert_eq!(note(&few), None);
    }

    #[test]
    fn equal_parts_are_one_and_the_rest_is_counted() {
        let many = request((0..10_000).map(|at| at % 3));
        let kinds = merge_equal_specs(&many);
        let counts: Vec<(u32, &str)> = kinds.specs.iter().map(|spec| (spec.count, &*spec.text)).collect();
        assert_eq!(counts, [(6668, "6668:ncpus=1"), (6666, "6666:ncpus=1"), (6666, "6666:ncpus=1")]);
        assert_eq!(note(&many).as_deref(), Some("the select has 10000 parts: equal chunks are put together"));
        let unlike = request(0..1000);
        assert_eq!(merge_equal_specs(&unlike).specs.len(), MAX_PARTS);
        assert!(note(&unlike).is_some_and(|note| note.ends_with("900 are left out")));
    }
}
