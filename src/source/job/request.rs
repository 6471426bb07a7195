//! Derives a job's request: the select as the scheduler would read it, and the place (rules 2.1, 2.2).

use super::{read_place, read_select, request_resource, usable};
use crate::context::{AttributeReader, ReadContext};
use crate::log::DiagnosticLog;
use crate::schedselect::old_style;
use qscope_engine::cluster::did_you_mean::unknown_resource;
use qscope_engine::cluster::{
    Catalogue, ChunkDefaults, Column, FilePosition, Job, Place, Queue, QueueId, ResourceId, Select, Server,
    Value, normalised_select, with_chunk_defaults,
};

/// A text and its place in the file.
type LocatedText<'r> = Option<(&'r str, FilePosition)>;

/// The parts of a job's record about its request.
#[derive(Default)]
pub(super) struct RequestAttributes<'r> {
    /// `schedselect`.
    pub(super) schedselect: LocatedText<'r>,
    /// `Resource_List.select`.
    pub(super) select: LocatedText<'r>,
    /// `Resource_List.place`.
    pub(super) place: LocatedText<'r>,
    /// The other resources of `Resource_List`, as written.
    pub(super) resources: Vec<(&'r str, &'r str)>,
}

impl RequestAttributes<'_> {
    /// Whether the record has no `Resource_List`.
    fn is_without_list(&self) -> bool {
        self.select.is_none() && self.place.is_none() && self.resources.is_empty()
    }
}

/// Sources of defaults for chunks.
pub(crate) struct ChunkDefaultSources<'d> {
    pub(crate) queues: &'d Column<QueueId, Queue>,
    pub(crate) server: &'d Server,
}

/// Sets the job's select and place.
pub(super) fn set_select_and_place(
    job: &mut Job,
    requested: &RequestAttributes<'_>,
    defaults: &ChunkDefaultSources<'_>,
    cx: &mut ReadContext<'_>,
    log: &mut DiagnosticLog,
) {
    job.requested_order = order_of(requested, cx.catalogue);
    cx.share_list(&mut job.requested);
    job.request_assumed = requested.is_without_list();
    job.place = match requested.place {
        Some((text, spot)) => read_place(text, spot, log),
        None if requested.select.is_some() => Some(Place::default()),
        None => Some(Place::of_old_style()),
    };
    if let Some((text, spot)) = requested.schedselect {
        job.select = read_select(text, spot, cx, log);
        if job.select.is_none() {
            job.asked = Some(text.into());
            return;
        }
        // Most jobs name everything that a default would add, so the text can be shared.
        let shared =
            job.select.as_ref().map(|select| &select.text).filter(|text| Some(&***text) == asked(requested));
        job.asked = shared.cloned().or_else(|| asked(requested).map(Into::into));
        return;
    }
    job.select_derived = true;
    job.derived.push("schedselect");
    let readable = match requested.select {
        Some((text, spot)) => read_select(text, spot, cx, log),
        None => usable(old_style(&requested.resources, cx.catalogue), FilePosition::File, log),
    };
    let text = readable.as_ref().map(|select| select.text.clone());
    job.asked = text.or_else(|| asked(requested).map(Into::into));
    let derived = readable.map(|select| derived_select(&select, &job.queue, defaults, cx.catalogue));
    job.select = derived.map(|select| cx.shared_select(select));
}

/// Returns the select as its owner wrote it.
fn asked<'r>(requested: &RequestAttributes<'r>) -> Option<&'r str> {
    requested.select.map(|(text, _)| text)
}

/// Returns the resources of `Resource_List` in the order of the record, or nothing if that is by name.
fn order_of(requested: &RequestAttributes<'_>, catalogue: &Catalogue) -> Vec<ResourceId> {
    let names = || requested.resources.iter().map(|(name, _)| *name);
    let by_name = names().is_sorted_by(|one, next| is_listed_before(one, next));
    if by_name { Vec::new() } else { names().filter_map(|name| catalogue.id(name)).collect() }
}

/// Whether two names are in the order in which a server lists them, ignoring case.
fn is_listed_before(one: &str, next: &str) -> bool {
    let lower = |name: &'_ [u8], at: usize| name.get(at).map(u8::to_ascii_lowercase);
    let (one, next) = (one.as_bytes(), next.as_bytes());
    let differing = (0..one.len().max(next.len())).find(|at| lower(one, *at) != lower(next, *at));
    differing.is_none_or(|at| lower(one, at) < lower(next, at))
}

/// Changes one part of a job's request, and the sums that follow from it; returns false if it is not part of a
/// request.
pub(crate) fn alter(
    job: &mut Job,
    defaults: &ChunkDefaultSources<'_>,
    reader: &mut AttributeReader<'_, '_>,
) -> bool {
    let AttributeReader { attribute, cx, log } = reader;
    let (value, spot) = (attribute.value.trim(), attribute.spot());
    match attribute.resource.as_deref() {
        None | Some("select") => {
            let Some(select) = read_select(value, spot, cx, log) else { return true };
            if !is_known(&select, cx.catalogue, spot, log) {
                return true;
            }
            let asked = attribute.resource.is_some().then(|| select.text.clone());
            let select = match asked {
                Some(_) => derived_select(&select, &job.queue, defaults, cx.catalogue),
                None => select,
            };
            *job = Job { asked, request_assumed: false, ..job.with_select(select, cx.catalogue) };
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
            let changed = |select: &Select| in_only_chunk(select, name, value, cx.catalogue);
            match job.select.as_ref().and_then(changed) {
                Some(select) if is_known(&select, cx.catalogue, spot, log) => {
                    let asked = job.asked.as_ref().and_then(|text| Select::parse(text).ok());
                    let asked = asked.as_ref().and_then(changed).map(|asked| asked.text);
                    *job = Job { asked, request_assumed: false, ..job.with_select(select, cx.catalogue) };
                }
                Some(_) => {}
                None => log.error("request", spot, || {
                    format!("`{name}` is asked for by several chunks; set Resource_List.select instead")
                }),
            }
        }
        Some(name) => request_resource(&mut job.requested, name, reader),
    }
    true
}

/// Whether all resources of a select exist and have values of their kind; others are reported.
fn is_known(select: &Select, catalogue: &Catalogue, position: FilePosition, log: &mut DiagnosticLog) -> bool {
    let requests = || select.chunks.iter().flat_map(|chunk| &chunk.requests);
    for request in requests() {
        let Some(id) = catalogue.id(&request.resource) else {
            log.error("select", position, || unknown_resource(&request.resource, catalogue));
            return false;
        };
        if let Err(error) = Value::parse_direct(catalogue.kind(id), &request.value) {
            log.error("select", position, || format!("{}: {error}", request.resource));
            return false;
        }
    }
    true
}

/// Returns a select of one chunk with a changed or removed resource; `None` if it has several chunks.
fn in_only_chunk(select: &Select, name: &str, value: &str, catalogue: &Catalogue) -> Option<Select> {
    let mut parts = select.parts();
    let [(1, requests)] = parts.as_mut_slice() else { return None };
    requests.retain(|(have, _)| !have.eq_ignore_ascii_case(name));
    if !value.is_empty() {
        requests.push((name.into(), value.into()));
    }
    normalised_select(parts, catalogue).ok()
}

/// Returns the select with the queue's and then the server's defaults added to every chunk that does not name them
/// (rule 2.2).
fn derived_select(
    select: &Select,
    queue: &str,
    defaults: &ChunkDefaultSources<'_>,
    catalogue: &Catalogue,
) -> Select {
    let queue = defaults.queues.iter().find(|have| *have.name == *queue);
    let defaults = ChunkDefaults {
        queue: queue.map_or(&[][..], |queue| queue.default_chunk.as_slice()),
        server: &defaults.server.default_chunk,
    };
    normalised_select(with_chunk_defaults(select, defaults), catalogue).unwrap_or_else(|_| select.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derive(text: &str, queue: &[(&str, &str)], server: &[(&str, &str)]) -> String {
        let pairs = |list: &[(&str, &str)]| list.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect();
        let queues = Column::from(vec![Queue { default_chunk: pairs(queue), ..Queue::named("q") }]);
        let server = Server { default_chunk: pairs(server), ..Server::default() };
        let defaults = ChunkDefaultSources { queues: &queues, server: &server };
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
        let old_style =
            |resources: &[_], catalogue| super::old_style(resources, catalogue).unwrap().text.to_string();
        let c = Catalogue::default();
        assert_eq!(
            old_style(&[("ncpus", "4"), ("walltime", "1:00"), ("mem", "1gb")], &c),
            "1:mem=1gb:ncpus=4"
        );
    }
}
