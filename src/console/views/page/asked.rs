//! What a page has workers find: the attributes of its object, of a job its place in the order and what moves it ahead, of
//! a node what it does and refuses.

use std::sync::Arc;

use super::Page;
use crate::task::{Task, Ticket};
use crate::views::effect::Effect;
use crate::views::object::Object;
use crate::views::world::World;
use qscope_advice::order::{Between, Move, between, moves_ahead};
use qscope_engine::cycle::Run;
use qscope_explain::{NodeStory, why_node};
use qscope_session::as_read::{Attributes, attributes};
use qscope_source::as_read::Thing;

/// What a worker found about the object: its attributes; of a job the keys of its place in the order; of a node what it
/// does and refuses.
pub(super) type Found = (Result<Attributes, String>, Option<Between>, Option<NodeStory>);

/// Changes that move a job ahead of the one considered before it.
#[derive(Debug, Default)]
pub(super) enum Moves {
    /// Nothing is known, and nothing tries.
    #[default]
    Unknown,
    /// A worker tries changes.
    Trying(Ticket),
    /// What was found.
    Known(Arc<Vec<Move>>),
}

impl Page {
    /// Has a worker read the attributes, and what decides the job's place.
    pub(super) fn ask(&mut self, world: World<'_>) {
        let Some(subject) = self.subject.clone() else { return };
        let generation = world.generation().clone();
        self.about = Some(generation.clone());
        self.found = None;
        self.moves = Moves::Unknown;
        // Sets and buckets are the scheduler's own: no file has a record of them.
        if matches!(subject, Object::Set(_) | Object::Bucket(_)) {
            (self.ticket, self.request) = (None, None);
            return;
        }
        let (task, ticket) = Task::new(format!("attributes of {}", subject.name()), move |_| {
            let thing = match &subject {
                Object::Node(_) => Thing::Node,
                Object::Queue(_) => Thing::Queue,
                Object::Reservation(_) => Thing::Reservation,
                _ => Thing::Job,
            };
            let order = matches!(thing, Thing::Job).then(|| neighbours(&generation.run, subject.name()));
            let node = generation.snapshot.node_named(subject.name());
            let story = node.filter(|_| matches!(thing, Thing::Node));
            let story = story.map(|node| why_node(&generation.run, node));
            Some((attributes(&generation, thing, subject.name()), order.flatten(), story))
        });
        (self.ticket, self.request) = (Some(ticket), Some(Effect::Compute(task)));
    }

    /// Has a worker try what moves the job ahead of the one considered before it, where there is one.
    pub(super) fn ask_moves(&mut self) -> Option<Task> {
        let (about, found) = (self.about.clone()?, self.found.clone()?);
        let name = self.subject.as_ref()?.name();
        found.1.as_ref().filter(|pair| pair.second == *name)?;
        let (task, ticket) = Task::new(format!("what moves {name} ahead"), move |progress| {
            let moves = moves_ahead(&about.run, found.1.as_ref()?, &|| !progress.is_cancelled());
            (!progress.is_cancelled()).then_some(moves)
        });
        self.moves = Moves::Trying(ticket);
        Some(task)
    }
}

/// The keys between a job and the one considered before it; after it for the first.
fn neighbours(run: &Arc<Run>, name: &str) -> Option<Between> {
    let job = run.plan.snap.job_named(name)?;
    let mut order: Vec<_> = run.steps.iter().map(|step| step.outcome.job).collect();
    order.dedup();
    let at = order.iter().position(|have| *have == job)?;
    let other = order.get(if at == 0 { 1 } else { at - 1 })?;
    between(run, job, *other)
}
