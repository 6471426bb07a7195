//! What a job asks for: the select that the scheduler would read, and the place (rules 2.1, 2.2).

use super::super::context::Context;
use super::super::did_you_mean::unknown_resource;
use super::super::log::Log;
use super::super::record::Attribute;
use super::{read_place, read_select, request_resource};
use crate::cluster::{
    Arrangement, Catalogue, ChunkSpec, Column, Job, Kind, Name, Place, Queue, QueueId, Select, Server, Spot,
    Value,
};

/// A text and where it stands.
type Found<'r> = Option<(&'r str, Spot)>;

/// What a job's record says about its request.
#[derive(Default)]
pub(super) struct Requested<'r> {
    /// `schedselect`.
    pub(super) schedselect: Found<'r>,
    /// `Resource_List.select`.
    pub(super) select: Found<'r>,
    /// `Resource_List.place`.
    pub(super) place: Found<'r>,
    /// The rest of `Resource_List`, as written.
    pub(super) resources: Vec<(&'r str, &'r str)>,
}

/// Where defaults for chunks come from.
pub(crate) struct Defaults<'d> {
    /// The queues.
    pub(crate) queues: &'d Column<QueueId, Queue>,
    /// The server.
    pub(crate) server: &'d Server,
}

/// Sets the job's select and place.
pub(super) fn settle(
    job: &mut Job,
    requested: &Requested<'_>,
    defaults: &Defaults<'_>,
    cx: &mut Context<'_>,
    log: &mut Log,
) {
    job.place = match requested.place {
        Some((text, spot)) => read_place(text, spot, log),
        None if requested.select.is_some() => Some(Place::default()),
        None => Some(Place { arrangement: Arrangement::Pack, arranged: true, ..Place::default() }),
    };
    if let Some((text, spot)) = requested.schedselect {
        job.select = read_select(text, spot, log);
        return;
    }
    job.select_derived = true;
    job.derived.push("schedselect");
    let asked = match requested.select {
        Some((text, spot)) => read_select(text, spot, log),
        None => read_select(&old_style(&requested.resources, cx.catalogue), Spot::File, log),
    };
    job.select = asked.map(|select| derived_select(&select, &job.queue, defaults, cx.catalogue));
}

/// Changes one part of what a job asks for, with the sums that follow; false for what is none.
pub(crate) fn alter(
    job: &mut Job,
    attribute: &Attribute<'_>,
    defaults: &Defaults<'_>,
    cx: &mut Context<'_>,
    log: &mut Log,
) -> bool {
    let (value, spot) = (attribute.value.trim(), attribute.spot());
    match attribute.resource.as_deref() {
        None | Some("select") => {
            let Some(select) = read_select(value, spot, log) else { return true };
            if !is_known(&select, cx.catalogue, spot, log) {
                return true;
            }
            let whole = attribute.resource.is_none();
            let select =
                if whole { select } else { derived_select(&select, &job.queue, defaults, cx.catalogue) };
            *job = job.with_select(select, cx.catalogue);
        }
        Some("place") => {
            let place = read_place(value, spot, log);
            match place.as_ref().and_then(|place| place.group.as_ref()) {
                Some(group) if cx.catalogue.id(group).is_none() => {
                    log.error("place", spot, || unknown_resource(group, cx.catalogue));
                }
                _ => job.place = place,
            }
        }
        Some(name) if cx.catalogue.id(name).is_some_and(|id| cx.catalogue.def(id).flags.host) => {
            match in_only_chunk(job, name, value, cx.catalogue) {
                Some(select) if is_known(&select, cx.catalogue, spot, log) => {
                    *job = job.with_select(select, cx.catalogue);
                }
                Some(_) => {}
                None => log.error("request", spot, || {
                    format!("`{name}` is asked for by several chunks; set Resource_List.select instead")
                }),
            }
        }
        Some(name) => request_resource(&mut job.requested, name, attribute, cx, log),
    }
    true
}

/// Whether everything that a select asks for exists and has a value of its kind; what does not is said.
fn is_known(select: &Select, catalogue: &Catalogue, spot: Spot, log: &mut Log) -> bool {
    let requests = || select.chunks.iter().flat_map(|chunk| &chunk.requests);
    for request in requests() {
        let Some(id) = catalogue.id(&request.resource) else {
            log.error("select", spot, || unknown_resource(&request.resource, catalogue));
            return false;
        };
        if let Err(error) = Value::parse_direct(catalogue.kind(id), &request.value) {
            log.error("select", spot, || format!("{}: {error}", request.resource));
            return false;
        }
    }
    true
}

/// The select of a job that asks for one chunk, with another amount of a resource in it, or none of it.
fn in_only_chunk(job: &Job, name: &str, value: &str, catalogue: &Catalogue) -> Option<Select> {
    let [chunk] = job.select.as_ref()?.chunks.as_slice() else { return None };
    if chunk.count != 1 {
        return None;
    }
    let mut chunk = chunk.clone();
    chunk.requests.retain(|request| &*request.resource != name);
    let added = [(Name::from(name), Name::from(value))];
    let added = if value.is_empty() { &[][..] } else { &added[..] };
    Select::parse(&chunk_text(&chunk, &[added], catalogue)).ok()
}

/// `-l ncpus=…,mem=…` without a select: one chunk of every host-level resource, by name (rule 2.1).
fn old_style(resources: &[(&str, &str)], catalogue: &Catalogue) -> String {
    let on_hosts = |name: &str| catalogue.id(name).is_some_and(|id| catalogue.def(id).flags.host);
    let mut asked: Vec<_> = resources.iter().filter(|(name, _)| on_hosts(name)).collect();
    asked.sort_by_key(|(name, _)| name.to_ascii_lowercase());
    let mut text = "1".to_owned();
    for (name, value) in asked {
        text.push_str(&format!(":{name}={}", quoted(value)));
    }
    text
}

/// The select with the queue's and then the server's defaults in every chunk that does not name them
/// (rule 2.2).
fn derived_select(select: &Select, queue: &str, defaults: &Defaults<'_>, catalogue: &Catalogue) -> Select {
    let queue = defaults.queues.iter().find(|have| *have.name == *queue);
    let of_queue = queue.map_or(&[][..], |queue| queue.default_chunk.as_slice());
    let of_server = defaults.server.default_chunk.as_slice();
    let text: Vec<String> =
        select.chunks.iter().map(|chunk| chunk_text(chunk, &[of_queue, of_server], catalogue)).collect();
    Select::parse(&text.join("+")).unwrap_or_else(|_| select.clone())
}

fn chunk_text(chunk: &ChunkSpec, defaults: &[&[(Name, Name)]], catalogue: &Catalogue) -> String {
    let default_count = || {
        let all = defaults.iter().flat_map(|list| list.iter());
        all.into_iter().find(|(name, _)| **name == *"nchunk")?.1.parse().ok()
    };
    let count = if chunk.counted { chunk.count } else { default_count().unwrap_or(chunk.count) };
    let mut text = count.to_string();
    let mut named: Vec<&str> = Vec::new();
    let given = chunk.requests.iter().map(|request| (&*request.resource, &*request.value));
    let added = defaults.iter().flat_map(|list| list.iter()).map(|(name, value)| (&**name, &**value));
    let given_count = chunk.requests.len();
    for (nth, (name, value)) in given.chain(added).enumerate() {
        let is_default = nth >= given_count;
        if is_default && (name == "nchunk" || named.iter().any(|have| have.eq_ignore_ascii_case(name))) {
            continue;
        }
        named.push(name);
        text.push_str(&format!(":{name}={}", normal(name, value, catalogue)));
    }
    text
}

/// A value as the server writes it: booleans in one spelling, sizes with a `b`, the rest quoted if needed.
fn normal(name: &str, value: &str, catalogue: &Catalogue) -> String {
    match catalogue.id(name).map(|id| catalogue.kind(id)) {
        Some(Kind::Boolean) => match value.to_ascii_lowercase().as_str() {
            "true" | "t" | "y" | "1" => "True".to_owned(),
            "false" | "f" | "n" | "0" => "False".to_owned(),
            _ => value.to_owned(),
        },
        Some(Kind::Size) if !value.ends_with(['b', 'B', 'w', 'W']) => format!("{value}b"),
        _ => quoted(value),
    }
}

fn quoted(value: &str) -> String {
    let special = |c: char| matches!(c, ':' | '+' | '=' | '(' | ')' | '\'' | '"');
    match (value.contains(special), value.contains('"')) {
        (false, _) => value.to_owned(),
        (true, false) => format!("\"{value}\""),
        (true, true) => format!("'{value}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derive(text: &str, queue: &[(&str, &str)], server: &[(&str, &str)]) -> String {
        let pairs = |list: &[(&str, &str)]| list.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect();
        let queues = Column::from(vec![Queue { default_chunk: pairs(queue), ..Queue::named("q") }]);
        let server = Server { default_chunk: pairs(server), ..Server::default() };
        let defaults = Defaults { queues: &queues, server: &server };
        let select = Select::parse(text).unwrap();
        derived_select(&select, "q", &defaults, &Catalogue::default()).text.to_string()
    }

    #[test]
    fn rule_2_2_queue_before_server_and_never_twice() {
        let got = derive(
            "2:mem=1gb+NCPUS=3",
            &[("ncpus", "4"), ("color", "red")],
            &[("ncpus", "1"), ("mem", "5gb")],
        );
        assert_eq!(got, "2:mem=1gb:ncpus=4:color=red+1:NCPUS=3:color=red:mem=5gb");
    }

    #[test]
    fn rule_2_2_the_default_count_only_without_one() {
        assert_eq!(
            derive("ncpus=1+3:ncpus=2", &[("nchunk", "4")], &[("nchunk", "9")]),
            "4:ncpus=1+3:ncpus=2"
        );
    }

    #[test]
    fn rule_2_2_values_are_normalised() {
        assert_eq!(
            derive("1:accelerator=t:mem=4g:host='a:b'", &[], &[]),
            "1:accelerator=True:mem=4gb:host=\"a:b\""
        );
    }

    #[test]
    fn rule_2_1_requests_without_a_select_are_one_chunk() {
        let c = Catalogue::default();
        assert_eq!(
            old_style(&[("ncpus", "4"), ("walltime", "1:00"), ("mem", "1gb")], &c),
            "1:mem=1gb:ncpus=4"
        );
    }
}
