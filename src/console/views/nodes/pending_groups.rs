//! Groups of very many nodes that no step changes, made by a worker before a key requests them: looking up the value of
//! a resource for each node is too slow for a key press.

use std::sync::Arc;

use super::groups::{self, NodeGrouping, NodeGroups};
use crate::task::{Computation, TaskNews};
use crate::views::{Effect, Pending};
use qscope_engine::universe::Plan;

/// The groups still to be made, and the one being made.
#[derive(Debug, Default)]
pub(super) struct PendingGroups {
    todo: Vec<NodeGrouping>,
    /// Their nodes, until everything is made; the nodes on the screen may be others by then.
    plan: Option<Arc<Plan>>,
    making: Pending<(NodeGrouping, Arc<NodeGroups>)>,
}

impl PendingGroups {
    /// Starts with the nodes of another snapshot.
    pub(super) fn begin(&mut self, plan: &Arc<Plan>) {
        self.todo = NodeGrouping::all(plan).into_iter().filter(|by| !by.depends_on_state()).rev().collect();
        self.plan = Some(Arc::clone(plan));
        self.next();
    }

    fn next(&mut self) {
        self.making = Pending::default();
        let Some((by, plan)) = self.todo.pop().zip(self.plan.clone()) else {
            self.plan = None;
            return;
        };
        let made = move || (by, Arc::new(groups::of_plan(&plan, by)));
        let groups = Computation::new("the nodes in other groups", move |_| Some(made()));
        // A long task would wait behind the analysis of the queue.
        self.making.begin(groups.into_short_task());
    }

    /// The effect to request.
    pub(super) fn request(&mut self) -> Option<Effect> {
        self.making.request()
    }

    /// Takes the groups that a worker made, and prepares the next request; `None` if the news is not for this.
    pub(super) fn on_news(&mut self, news: &TaskNews) -> Option<(NodeGrouping, Arc<NodeGroups>)> {
        let answer = self.making.take(news)?;
        self.next();
        Some((*answer).clone())
    }
}
