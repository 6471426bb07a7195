//! Derives from a request what the server adds: `schedselect`, and the sums in `Resource_List` (rules 1.4, 2.2).

use crate::schedselect::old_style;
use qscope_engine::cluster::did_you_mean::unknown_resource;
use qscope_engine::cluster::{
    Amount, Catalogue, ChunkDefaults, Name, ResourceId, ResourceList, Select, SelectError, Value,
    normalised_select, with_chunk_defaults,
};

/// Returns the select that the scheduler reads: counts written out, defaults added, values normalised.
///
/// # Errors
/// If a resource is unknown, or a value does not fit its kind.
pub(super) fn sched_select(
    asked: &Select,
    defaults: ChunkDefaults<'_>,
    catalogue: &Catalogue,
) -> Result<Select, Vec<String>> {
    let parts = with_chunk_defaults(asked, defaults);
    let requests = parts.iter().flat_map(|(_, requests)| requests);
    let wrong: Vec<String> =
        requests.filter_map(|(name, value)| fault(name, value, catalogue).err()).collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    normalised_select(parts, catalogue).map_err(|error| vec![error.to_string()])
}

/// Checks that a resource exists, and that the value fits its kind.
fn fault(name: &str, value: &str, catalogue: &Catalogue) -> Result<(), String> {
    let id = catalogue.id(name).ok_or_else(|| unknown_resource(name, catalogue))?;
    Value::parse_direct(catalogue.kind(id), value).map_err(|error| format!("`{name}`: {error}"))?;
    Ok(())
}

/// Adds the sums over all chunks for every resource that the server sums, and the number of chunks.
pub(super) fn add_sums(select: &Select, catalogue: &Catalogue, list: &mut ResourceList) {
    for (id, sum) in select.sums(catalogue).iter() {
        list.set(id, sum.clone());
    }
    list.set(ResourceId::nodect(), Value::Amount(Amount(select.total_chunks() as f64)));
}

/// Returns the select of a job without one (rule 2.1).
pub(super) fn select_of(requested: &ResourceList, catalogue: &Catalogue) -> Result<Select, SelectError> {
    let shown: Vec<(Name, String)> = requested
        .iter()
        .map(|(id, value)| (catalogue.name(id).clone(), value.show(catalogue.kind(id))))
        .collect();
    let shown: Vec<(&str, &str)> = shown.iter().map(|(name, value)| (&**name, &**value)).collect();
    old_style(&shown, catalogue)
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
        sched_select(&asked, defaults, &Catalogue::default()).map(|select| select.text.to_string())
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
