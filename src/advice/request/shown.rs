//! Formats values of resources as users write them.

use qscope_engine::cluster::{Catalogue, ResourceId, Seconds, Value};

/// Whether a resource is counted in seconds.
pub(crate) fn is_time(id: ResourceId) -> bool {
    let times = [
        ResourceId::walltime(),
        ResourceId::soft_walltime(),
        ResourceId::min_walltime(),
        ResourceId::max_walltime(),
        ResourceId::cput(),
    ];
    times.contains(&id)
}

/// Formats a value as users write it; times in hours, minutes and seconds.
pub(crate) fn shown(catalogue: &Catalogue, id: ResourceId, value: &Value) -> String {
    match value.amount() {
        Some(amount) if is_time(id) => Seconds(amount.0 as i64).to_string(),
        _ => value.show(catalogue.kind(id)),
    }
}
