//! Moving a job to another queue, as the server does.

use super::{
    Catalogue, ChunkDefaults, Job, Name, Queue, Select, SelectPart, Server, normalised_select,
    with_chunk_defaults,
};

impl Job {
    /// Returns the job in another queue: the select as written is completed by the new queue's `default_chunk` (rule
    /// 2.2), and missing resources by its `resources_default`; everything else is kept. If the select as written is
    /// not known, the completed one is kept, see [`Self::possibly_defaulted`]. `None` if nothing is requested.
    #[must_use]
    pub fn moved(&self, to: &Queue, server: &Server, catalogue: &Catalogue) -> Option<Self> {
        let asked = self.written_select();
        let from = asked.as_ref().or(self.select.as_ref())?;
        let defaults = ChunkDefaults { queue: &to.default_chunk, server: &server.default_chunk };
        let mut parts = with_chunk_defaults(from, defaults);
        parts.retain(is_used);
        if parts.is_empty() {
            return None;
        }
        let mut moved = self.with_select(normalised_select(parts, catalogue).ok()?, catalogue);
        moved.asked = asked.map(|asked| asked.text);
        moved.queue = to.name.clone();
        moved.reservation = None;
        moved.requested.fill_missing(&to.defaults);
        Some(moved)
    }

    /// Returns the resources in the select that either the owner or a queue's `default_chunk` added, if the select as
    /// written is not known; in another queue they are assumed to stay.
    pub fn possibly_defaulted<'q>(&self, queue: &'q Queue) -> Vec<&'q Name> {
        let asks = |(name, value): &&(Name, Name)| {
            self.chunk_requests().any(|request| request.resource == *name && request.value == *value)
        };
        match self.written_select() {
            Some(_) => Vec::new(),
            None => queue.default_chunk.iter().filter(asks).map(|(name, _)| name).collect(),
        }
    }

    fn written_select(&self) -> Option<Select> {
        Select::parse(self.asked.as_ref()?).ok()
    }
}

fn is_used((count, requests): &SelectPart) -> bool {
    *count > 0 && !requests.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(name: &str, chunk: &[(&str, &str)]) -> Queue {
        let pairs = chunk.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Queue { default_chunk: pairs.collect(), ..Queue::named(name) }
    }

    fn job(select: &str, asked: Option<&str>) -> Job {
        Job { select: Select::parse(select).ok(), asked: asked.map(Into::into), ..Job::default() }
    }

    fn moved(job: &Job, to: &Queue) -> Option<String> {
        let moved = job.moved(to, &Server::default(), &Catalogue::default())?;
        assert_eq!(moved.asked, job.asked);
        Some(moved.select?.text.to_string())
    }

    #[test]
    fn rule_2_2_what_a_default_added_goes_and_what_was_written_stays() {
        let (from, to) = (queue("a", &[("ncpus", "4")]), queue("b", &[("ncpus", "1"), ("mem", "2g")]));
        let written = job("1:ncpus=4", Some("1:ncpus=4"));
        assert_eq!(moved(&written, &to).as_deref(), Some("1:ncpus=4:mem=2gb"));
        let added = job("1:mem=1gb:ncpus=4", Some("1:mem=1gb"));
        assert_eq!(moved(&added, &to).as_deref(), Some("1:mem=1gb:ncpus=1"));
        assert!(added.possibly_defaulted(&from).is_empty());
    }

    #[test]
    fn what_may_have_been_written_stays_and_is_named() {
        let (from, to) = (queue("a", &[("ncpus", "4"), ("mem", "1gb")]), queue("b", &[("ncpus", "1")]));
        let unknown = job("1:ncpus=4:mem=2gb", None);
        assert_eq!(moved(&unknown, &to).as_deref(), Some("1:ncpus=4:mem=2gb"));
        assert_eq!(unknown.possibly_defaulted(&from), [&Name::from("ncpus")]);
    }

    #[test]
    fn a_chunk_without_a_count_gets_the_count_of_the_new_queue() {
        let to = queue("b", &[("nchunk", "3")]);
        assert_eq!(moved(&job("1:ncpus=4", Some("ncpus=4")), &to).as_deref(), Some("3:ncpus=4"));
        assert_eq!(moved(&job("0:ncpus=4", None), &to), None);
    }
}
