//! Groups of very many nodes that no step changes, made by a worker before a key asks for them: a value of a resource is
//! looked up node by node, which takes longer than a key has time for.

use std::sync::Arc;

use super::groups::{self, By, Groups};
use crate::task::{News, Task, Ticket};
use crate::views::Effect;
use qscope_engine::universe::Plan;

/// What is still to be made, and what a worker makes now.
#[derive(Debug, Default)]
pub(super) struct GroupsAhead {
    todo: Vec<By>,
    /// Of which nodes, as long as there is something to do: those on the screen may be others by then.
    plan: Option<Arc<Plan>>,
    ticket: Option<Ticket>,
    request: Option<Effect>,
}

impl GroupsAhead {
    /// Begins with the nodes of another snapshot.
    pub(super) fn begin(&mut self, plan: &Arc<Plan>) {
        self.todo = By::all(plan).into_iter().filter(|by| !by.changes_with_steps()).rev().collect();
        self.plan = Some(Arc::clone(plan));
        self.next();
    }

    fn next(&mut self) {
        (self.ticket, self.request) = (None, None);
        let Some((by, plan)) = self.todo.pop().zip(self.plan.clone()) else {
            self.plan = None;
            return;
        };
        let made = move || (by, Arc::new(groups::of_plan(&plan, by)));
        let (task, ticket) = Task::new("the nodes in other groups", move |_| Some(made()));
        // A long task would wait for the analysis of the queue.
        (self.ticket, self.request) = (Some(ticket), Some(Effect::Compute(task.short())));
    }

    /// What has to be requested for it.
    pub(super) fn request(&mut self) -> Option<Effect> {
        self.request.take()
    }

    /// The groups that a worker made; the next ones are requested then. None where news are of something else.
    pub(super) fn on_news(&mut self, ticket: u64, news: &News) -> Option<(By, Arc<Groups>)> {
        let answer = Ticket::answer(&mut self.ticket, ticket, news)?;
        self.next();
        answer.downcast_ref::<(By, Arc<Groups>)>().cloned()
    }
}
