//! Finds and opens the objects that a line names.

use super::super::Shell;
use crate::palette::Verb;
use crate::screen::CycleRow;
use crate::views::{Object, ViewName};
use crate::wording;
use qscope_engine::cluster::{Reservation, did_you_mean, short_id};
use qscope_engine::cycle::Verdict;
use qscope_explain::is_starting_subjob;

/// Maximum columns for the nodes that list a job which the job dump lacks.
const MAX_LISTED: usize = 34;

impl Shell {
    /// Explains a waiting job, opens the page of an object that has one, and goes to anything else.
    pub(super) fn open_object(&mut self, object: &Object) {
        match object {
            Object::Job(name) if self.waits(name) => self.go_to_in_view(ViewName::Why, object),
            _ if object.has_page() => self.go_to_in_view(ViewName::Page, object),
            _ => self.go_to_object(object),
        }
    }

    fn waits(&self, name: &str) -> bool {
        let Some(screen) = &self.screen else { return false };
        let snap = &screen.generation.snapshot;
        let id = snap.job_named(name).filter(|id| !snap.jobs[*id].is_all_started());
        let outcome = id.and_then(|id| qscope_explain::decided_with_array(screen.run(), id));
        outcome.is_some_and(|outcome| screen.run().verdict(outcome) != Verdict::Run)
    }

    /// Explains what a job lacks on a node, for arguments such as `54 cn017`.
    pub(super) fn why_on_node(&mut self, text: &str) -> Result<(), String> {
        let (job, node) = text.split_once(' ').unwrap_or((text, ""));
        match (self.job_or_node(job.trim())?, self.job_or_node(node.trim())?) {
            (job @ Object::Job(_), node @ Object::Node(_))
            | (node @ Object::Node(_), job @ Object::Job(_)) => {
                // A node is explained with respect to the selected job.
                if let Some(screen) = &mut self.screen
                    && let Some(row) = CycleRow::named(screen.run(), job.name())
                {
                    screen.select(row);
                }
                self.go_to_in_view(ViewName::Why, &node);
                Ok(())
            }
            _ => Err("a job and a node are asked for: why 54 cn017".to_owned()),
        }
    }

    /// The job or node with that name; a subjob that is not in the dump, and a list of subjobs that start, have an
    /// answer of their own.
    pub(super) fn subjob_or_named(&self, name: &str) -> Result<Object, String> {
        let found = self.job_or_node(name)?;
        let Some(screen) = &self.screen else { return Ok(found) };
        let snap = &screen.generation.snapshot;
        let starting = || Object::of_subjobs(name, snap).filter(|_| is_starting_subjob(screen.run(), name));
        Ok(Object::of_subjob(name, snap).or_else(starting).unwrap_or(found))
    }

    /// The job or node with that name, with or without the server part.
    pub(super) fn job_or_node(&self, name: &str) -> Result<Object, String> {
        let Some(screen) = &self.screen else { return Err("nothing was read yet".to_owned()) };
        let snap = &screen.generation.snapshot;
        if let Some(job) = snap.job_meant(name).map(|id| snap.jobs[id].name.to_string()) {
            return Ok(Object::Job(job));
        }
        if screen.generation.run.plan.node_named(name).is_some() {
            return Ok(Object::Node(name.to_owned()));
        }
        Err(self.nothing_named(name))
    }

    /// The message for an unknown name, with the nearest known names.
    pub(super) fn nothing_named(&self, name: &str) -> String {
        let Some(screen) = &self.screen else { return format!("no command named {name}") };
        let snap = &screen.generation.snapshot;
        let is_number = name.starts_with(|c: char| c.is_ascii_digit());
        let kind = if is_number { "job" } else { "job, node, set, queue or command named" };
        let near: Vec<&str> = match is_number {
            true => snap.jobs_near(name, 2),
            false => {
                let begins = |known: &&str| known.len() > name.len() && known.starts_with(name);
                let nodes = snap.nodes.iter().map(|node| &*node.name);
                let named = nodes.chain(snap.queues.iter().map(|queue| &*queue.name));
                let verbs = Verb::ALL.iter().map(|verb| verb.name());
                let views = ViewName::ALL.iter().map(|view| view.word());
                let longer: Vec<&str> = named.clone().filter(begins).take(2).collect();
                let all = named.chain(verbs).chain(views);
                match did_you_mean::nearest(name, all) {
                    Some(near) => vec![near],
                    None if longer.is_empty() => snap.nodes_near(name, 2),
                    None => longer,
                }
            }
        };
        let near = if near.is_empty() { String::new() } else { format!("; nearest: {}", near.join(", ")) };
        let listed = snap.nodes.iter().filter(|node| node.jobs.iter().any(|job| short_id(job) == name));
        let on = wording::folded_within(listed.map(|node| &*node.name), MAX_LISTED);
        let on = if on.is_empty() { on } else { format!(" in the job dump, though listed on {on}") };
        format!("no {kind} {name}{on}{near}")
    }

    /// The reservation, queue or set with that name.
    pub(super) fn page_named(&self, name: &str) -> Option<Object> {
        let snap = &self.screen.as_ref()?.generation.snapshot;
        let is_named =
            |reservation: &&Reservation| *reservation.name == *name || short_id(&reservation.name) == name;
        if let Some(one) = snap.reservations.iter().find(is_named) {
            return Some(Object::Reservation(one.name.to_string()));
        }
        [Object::Queue(name.to_owned()), Object::Set(name.to_owned())]
            .into_iter()
            .find(|object| self.is_known(object))
    }

    /// Opens the page of an object by its name.
    pub(super) fn open_named(&mut self, object: &Object) -> Result<(), String> {
        if !self.is_known(object) {
            return Err(format!("no {} {}", object.kind(), object.name()));
        }
        self.go_to_in_view(ViewName::Page, object);
        Ok(())
    }

    fn is_known(&self, object: &Object) -> bool {
        self.screen.as_ref().is_some_and(|screen| {
            let snap = &screen.generation.snapshot;
            match object {
                Object::Queue(name) => snap.queues.iter().any(|queue| *queue.name == **name),
                Object::Set(name) => screen.debugger.state().sets.iter().any(|set| *set.shape.name == **name),
                Object::Bucket(name) => {
                    let (buckets, plan) = (&screen.debugger.state().buckets, &screen.run().plan);
                    buckets.iter().any(|bucket| bucket.name(plan) == **name)
                }
                _ => true,
            }
        })
    }
}
