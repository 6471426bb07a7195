//! Limit attributes of queues and the server, old and new style (rule 6.6).

use super::context::Context;
use super::log::Log;
use super::record::Attribute;
use crate::cluster::{Amount, Kind, LimitScope, Limits};

/// Adds an attribute to the limits if it is one; repeated attributes accumulate.
pub(crate) fn add(
    limits: &mut Limits,
    attribute: &Attribute<'_>,
    cx: &mut Context<'_>,
    log: &mut Log,
) -> bool {
    let name = &*attribute.name;
    let (name, soft) = name.strip_suffix("_soft").map_or((name, false), |name| (name, true));
    let old = match name {
        "max_run" | "max_run_res" => None,
        "max_running" => Some(LimitScope::Overall),
        "max_user_run" | "max_user_res" => Some(LimitScope::User),
        "max_group_run" | "max_group_res" => Some(LimitScope::Group),
        _ => return false,
    };
    let resource = attribute.resource.as_deref().map(|resource| {
        let amount = attribute.value.rsplit('=').next().unwrap_or_default().trim_end_matches(']');
        let id = cx.resource(resource, amount, attribute.spot(), log);
        (id, cx.catalogue.kind(id))
    });
    let outcome = match old {
        None => limits.add(&attribute.value, resource, soft).map_err(|e| e.to_string()),
        Some(scope) => Amount::parse(resource.map_or(Kind::Long, |(_, kind)| kind), &attribute.value)
            .map(|amount| limits.add_old(scope, resource.map(|(id, _)| id), amount, soft))
            .map_err(|e| e.to_string()),
    };
    if let Err(what) = outcome {
        log.warn("limit", attribute.spot(), || format!("{}: {what}; left out", attribute.name));
    }
    true
}
