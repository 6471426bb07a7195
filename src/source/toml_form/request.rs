//! What the server makes of a request: `schedselect`, and the sums in `Resource_List` (rules 1.4, 2.2).

use crate::cluster::{Amount, Catalogue, ChunkSpec, Kind, Name, ResourceId, ResourceList, Select, Value};
use crate::source::did_you_mean::unknown_resource;

/// A chunk's default resources, the queue's before the server's.
pub(super) struct ChunkDefaults<'a> {
    pub(super) queue: &'a [(Name, Name)],
    pub(super) server: &'a [(Name, Name)],
}

impl ChunkDefaults<'_> {
    fn all(&self) -> impl Iterator<Item = &(Name, Name)> {
        self.queue.iter().chain(self.server)
    }

    /// `default_chunk.nchunk`, for chunks without a count.
    fn count(&self) -> Option<u32> {
        self.all().find(|(name, _)| &**name == "nchunk").and_then(|(_, value)| value.parse().ok())
    }
}

/// The select that the scheduler reads: counts written out, defaults added, values in one form.
///
/// # Errors
/// A resource that nobody has, or a value that is not one of its kind.
pub(super) fn sched_select(
    asked: &Select,
    defaults: &ChunkDefaults<'_>,
    catalogue: &Catalogue,
) -> Result<Select, Vec<String>> {
    let mut wrong = Vec::new();
    let chunks: Vec<String> =
        asked.chunks.iter().map(|chunk| sched_chunk(chunk, defaults, catalogue, &mut wrong)).collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    Select::parse(&chunks.join("+")).map_err(|error| vec![error.to_string()])
}

fn sched_chunk(
    chunk: &ChunkSpec,
    defaults: &ChunkDefaults<'_>,
    catalogue: &Catalogue,
    wrong: &mut Vec<String>,
) -> String {
    let count = if chunk.counted { chunk.count } else { defaults.count().unwrap_or(chunk.count) };
    let mut requests: Vec<(&str, &str)> =
        chunk.requests.iter().map(|request| (&*request.resource, &*request.value)).collect();
    for (name, value) in defaults.all().filter(|(name, _)| &**name != "nchunk") {
        if !requests.iter().any(|(have, _)| have.eq_ignore_ascii_case(name)) {
            requests.push((name, value));
        }
    }
    let mut text = count.to_string();
    for (name, value) in requests {
        match normal(name, value, catalogue) {
            Ok(value) => text.push_str(&format!(":{name}={value}")),
            Err(what) => wrong.push(what),
        }
    }
    text
}

/// A value as the server writes it: True and False, sizes with their `b`, quotes where they are needed.
fn normal(name: &str, value: &str, catalogue: &Catalogue) -> Result<String, String> {
    let id = catalogue.id(name).ok_or_else(|| unknown_resource(name, catalogue))?;
    let kind = catalogue.kind(id);
    let parsed = Value::parse_direct(kind, value).map_err(|error| format!("`{name}`: {error}"))?;
    Ok(match kind {
        Kind::Boolean => parsed.show(kind),
        Kind::Size if !value.ends_with(['b', 'B', 'w', 'W']) => format!("{value}b"),
        Kind::Text | Kind::TextArray if value.contains(['+', ':', '=', '(', ')', '\'']) => {
            format!("\"{value}\"")
        }
        Kind::Text | Kind::TextArray if value.contains('"') => format!("'{value}'"),
        _ => value.to_owned(),
    })
}

/// Adds the sums over all chunks of everything that the server sums, and the number of chunks.
pub(super) fn add_sums(select: &Select, catalogue: &Catalogue, list: &mut ResourceList) {
    for (id, sum) in select.sums(catalogue).iter() {
        list.set(id, sum.clone());
    }
    list.set(ResourceId::nodect(), Value::Amount(Amount(select.total_chunks() as f64)));
}

/// The select of a job that has none: one chunk of all it asks for on hosts, by name (rule 2.1).
pub(super) fn select_of(requested: &ResourceList, catalogue: &Catalogue) -> String {
    let mut text = "1".to_owned();
    let in_chunks = |id| catalogue.def(id).flags.host;
    let mut parts: Vec<_> = requested.iter().filter(|(id, _)| in_chunks(*id)).collect();
    parts.sort_by_key(|(id, _)| catalogue.name(*id).clone());
    for (id, value) in parts {
        text.push_str(&format!(":{}={}", catalogue.name(id), value.show(catalogue.kind(id))));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(select: &str, queue: &[(&str, &str)]) -> Result<String, Vec<String>> {
        let pairs = |list: &[(&str, &str)]| -> Vec<(Name, Name)> {
            list.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect()
        };
        let (queue, server) = (pairs(queue), pairs(&[("ncpus", "1")]));
        let defaults = ChunkDefaults { queue: &queue, server: &server };
        let asked = Select::parse(select).unwrap();
        sched_select(&asked, &defaults, &Catalogue::default()).map(|select| select.text.to_string())
    }

    #[test]
    fn defaults_fill_what_a_chunk_leaves_out() {
        assert_eq!(made("3", &[]).unwrap(), "3:ncpus=1");
        assert_eq!(made("mem=1gb+2:NCPUS=4", &[]).unwrap_err().len(), 1);
        assert_eq!(made("2:mem=1g", &[("mem", "4gb"), ("ncpus", "2")]).unwrap(), "2:mem=1gb:ncpus=2");
    }

    #[test]
    fn a_default_count_is_for_chunks_without_one() {
        let nchunk = [("nchunk", "4")];
        assert_eq!(made("ncpus=2+1:ncpus=3", &nchunk).unwrap(), "4:ncpus=2+1:ncpus=3");
    }

    #[test]
    fn values_get_one_form() {
        assert_eq!(
            made("1:accelerator=t:mem=5:arch='a:b'", &[]).unwrap(),
            "1:accelerator=True:mem=5b:arch=\"a:b\":ncpus=1"
        );
        assert!(made("1:ncpus=many", &[]).unwrap_err()[0].contains("`many` is not a number"));
        assert!(made("1:ncpu=1", &[]).unwrap_err()[0].contains("did you mean `ncpus`?"));
    }

    #[test]
    fn sums_are_over_all_chunks() {
        let catalogue = Catalogue::default();
        let mut list = ResourceList::default();
        add_sums(
            &Select::parse("2:ncpus=3:mem=1gb+1:ncpus=4:arch=x:ompthreads=2").unwrap(),
            &catalogue,
            &mut list,
        );
        assert_eq!(list.amount(ResourceId::ncpus()), Some(Amount(10.0)));
        assert_eq!(list.amount(ResourceId::mem()), Some(Amount(2_097_152.0)));
        assert_eq!(list.amount(ResourceId::nodect()), Some(Amount(3.0)));
        assert_eq!(list.len(), 3);
    }
}
