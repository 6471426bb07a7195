//! The title and note of a page.

use super::{nodes, reservation};
use crate::views::list::{of_finished_cycle, position_title};
use crate::views::{Object, ViewContext};
use crate::wording;
use qscope_engine::cluster::short_id;

/// The title of the page, and a note about the object.
pub(super) fn title(cx: ViewContext<'_>, subject: &Object) -> (String, String) {
    let snap = cx.snapshot();
    match subject {
        Object::Node(name) => {
            let count = cx.problems_of_node(name).len();
            let when = position_title(cx.position());
            let note =
                if count == 0 { when } else { format!("{} · {when}", wording::count(count, "problem")) };
            (format!("Node {name}"), note)
        }
        Object::Set(name) => (format!("Set {name}"), position_title(cx.position())),
        // The name of a bucket is too long for a title; the page begins with it.
        Object::Bucket(name) => (nodes::place_of_bucket(cx, name), position_title(cx.position())),
        Object::Queue(name) => (format!("Queue {name}"), position_title(cx.position())),
        Object::Reservation(name) => {
            (format!("Reservation {}", short_id(name)), reservation::state_word(cx, name))
        }
        other => {
            let Some(id) = cx.job_named(other.name()) else {
                return (other.name().to_owned(), String::new());
            };
            let job = &snap.jobs[id];
            let outcome = qscope_explain::decided_with_array(cx.run(), id);
            let word = match outcome {
                Some(outcome) => {
                    wording::verdict_or_likely(cx.run().verdict(outcome), cx.is_likely(outcome.job))
                }
                None => "runs".to_owned(),
            };
            let reason = outcome.and_then(|outcome| cx.reason(outcome));
            // The reason for a job that can never run is named like the verdict.
            let reason = reason.filter(|reason| reason.name != "never");
            let reason = reason
                .map_or_else(String::new, |reason| format!(" · {}{}", wording::guess(&reason), reason.name));
            // A job may have no name.
            let named = [&*job.title, &*job.user].into_iter().filter(|name| !name.is_empty());
            let named: String = named.map(|name| format!(" · {name}")).collect();
            (
                format!("Job {}{named}", job.short_name()),
                format!("{word}{reason}{} · a: why", of_finished_cycle(cx.position())),
            )
        }
    }
}
