//! Groups of very many nodes that no step changes, made by a worker before a key requests them: looking up the value of
//! a resource for each node is too slow for a key press.

use std::sync::Arc;

use super::groups::{self, NodeGrouping, NodeGroups};
use crate::task::{News, Task, Ticket};
use crate::views::Effect;
use qscope_engine::universe::Plan;

/// The groups still to be made, and the one being made.
#[derive(Debug, Default)]
pub(super) struct PendingGroups {
    todo: Vec<NodeGrouping>,
    /// Their nodes, until everything is made; the nodes on the screen may be others by then.
    plan: Option<Arc<Plan>>,
    ticket: Option<Ticket>,
    request: Option<Effect>,
}

impl PendingGroups {
    /// Starts with the nodes of another snapshot.
    pub(super) fn begin(&mut self, plan: &Arc<Plan>) {
        self.todo = NodeGrouping::all(plan).into_iter().filter(|by| !by.depends_on_state()).rev().collect();
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
        // A long task would wait behind the analysis of the queue.
        (self.ticket, self.request) = (Some(ticket), Some(Effect::Compute(task.into_short_task())));
    }

    /// The effect to request.
    pub(super) fn request(&mut self) -> Option<Effect> {
        self.request.take()
    }

    /// Takes the groups that a worker made, and prepares the next request; `None` if the news is not for this.
    pub(super) fn on_news(&mut self, ticket: u64, news: &News) -> Option<(NodeGrouping, Arc<NodeGroups>)> {
        let answer = Ticket::answer(&mut self.ticket, ticket, news)?;
        self.next();
        answer.downcast_ref::<(NodeGrouping, Arc<NodeGroups>)>().cloned()
    }
}
