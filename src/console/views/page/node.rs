//! The facts of a node: its problems, its state and amounts, its jobs, the jobs it refuses and why, and its neighbours
//! in the bucket (console.md 3, Node page).

use super::answers::NodeAnswer;
use super::facts::problems;
use super::rows::PageRow;
use crate::bucket_names::BucketNames;
use crate::theme::Role;
use crate::views::nodes::{sign_of, use_and_state};
use crate::views::{Object, ViewContext};
use crate::wording;
use qscope_engine::cluster::short_id;
use qscope_engine::cycle::Run;
use qscope_engine::universe::{Bit, NodeUse};
use qscope_explain::decision::NodeTest;
use qscope_explain::words::{first_of, since_text};
use qscope_explain::{NodeRefusal, NodeReport, waiting_name_of};
use qscope_session::records::NodeRecord;

/// Maximum number of neighbours drawn on each side of the node.
const NEIGHBOURS: usize = 16;

/// Maximum number of rows for jobs on a node, and for jobs that start there.
const MAX_JOBS: usize = 8;

/// The bucket of a node.
fn bucket_of(cx: ViewContext<'_>, name: &str) -> Option<PageRow> {
    let state = cx.state();
    let bit = cx.plan().bit_named.get(name).copied()?;
    let bucket = state.bucket_of.checked(bit).copied().flatten()?;
    let bucket = state.buckets[bucket].name(cx.plan());
    Some(PageRow::fact("bucket", BucketNames::of(cx.state()).full_name(&bucket)).to(Object::Bucket(bucket)))
}

/// The amount of every resource in use on a node at the position, as in the table of nodes, and after the cycle if that
/// differs.
fn amounts_of(cx: ViewContext<'_>, name: &str) -> Vec<PageRow> {
    let (plan, catalogue) = (cx.plan(), &cx.snapshot().catalogue);
    let Some(bit) = plan.bit_named.get(name).copied() else { return Vec::new() };
    let row = |ix| {
        let resource = plan.consumables.resource(ix);
        let (now, total) = NodeRecord::of(cx.state(), bit).used_and_total(ix)?;
        let (end, _) = NodeRecord::of(cx.run().end_at_server(), bit).used_and_total(ix)?;
        let show = |value: f64| wording::part(catalogue.kind(resource), value);
        let later = if now == end { String::new() } else { format!(", {} after this cycle", show(end)) };
        let text = format!("{} in use{later}", wording::part_of(catalogue.kind(resource), now, total));
        Some(PageRow::fact(catalogue.name(resource), text).with_bar(now, total))
    };
    plan.consumables.ids().filter_map(row).collect()
}

/// The facts of a node; its jobs and refusals are added when a worker has found them.
pub(super) fn of_node(cx: ViewContext<'_>, name: &str, found: Option<&NodeAnswer>) -> Vec<PageRow> {
    let snap = cx.snapshot();
    let Some(id) = cx.plan().node_named(name) else { return vec![PageRow::text("not in this snapshot")] };
    let mut rows = problems(&cx.problems_of_node(name));
    let dumped = snap.nodes[id].states.to_string();
    let Some(NodeAnswer { story, test }) = found else {
        rows.extend([PageRow::fact("state", dumped), PageRow::text("computing what it refuses ...")]);
        return rows;
    };
    let state = match snap.nodes[id].state_since {
        Some(at) => format!("{dumped} since {}", since_text(snap, at)),
        None => dumped,
    };
    rows.push(PageRow::fact("state", state_words(cx, name, &state)));
    if story.is_changed {
        rows.push(PageRow::fact("", format!("{} after this cycle", story.state)));
    }
    rows.extend(bucket_of(cx, name));
    rows.extend(amounts_of(cx, name));
    rows.extend(occupied(story));
    if let Some(queue) = &snap.nodes[id].queue {
        rows.push(PageRow::fact("queue", &**queue).to(Object::Queue(queue.to_string())));
    }
    if let Some(comment) = &story.comment {
        rows.push(PageRow::fact("comment", comment.clone()));
    }
    rows.extend(refusals(cx.run(), story));
    rows.extend(test.iter().flat_map(|(job, test)| tested(job, test)));
    rows.extend(neighbours(cx, name));
    rows
}

/// The use of the node at the position, and its state in the dump.
fn state_words(cx: ViewContext<'_>, name: &str, dumped: &str) -> String {
    let found = cx.plan().bit_named.get(name).map(|bit| use_and_state(cx.state(), *bit));
    match found {
        Some((word, Some(_))) => format!("{word} · PBS: {dumped}"),
        _ => dumped.to_owned(),
    }
}

/// The jobs on it, those that start, those planned, and the sets it is in.
fn occupied(story: &NodeReport) -> Vec<PageRow> {
    let job = |name: &String, head: &str, when: &str| {
        PageRow::fact(head, format!("{}{when}", short_id(name))).to(Object::Job(name.clone()))
    };
    let mut rows = Vec::new();
    for (head, names, when) in [("job", &story.jobs, ""), ("starts", &story.starting, " in this cycle")] {
        rows.extend(names.iter().take(MAX_JOBS).map(|name| job(name, head, when)));
        let more = names.len().saturating_sub(MAX_JOBS);
        rows.extend((more > 0).then(|| PageRow::fact("", format!("+{more} more"))));
    }
    let refused = |name: &String| {
        let text = format!("{} by the server: a node of it was given twice", short_id(name));
        PageRow::fact("refused", text).to(Object::Job(name.clone()))
    };
    rows.extend(story.refused.iter().map(refused));
    for planned in &story.planned {
        let text = format!("{} from {}", short_id(&planned.occupant), planned.from);
        let row = PageRow::fact("planned", text).in_role(Role::NodeLater);
        rows.push(row.to(Object::Job(planned.occupant.clone())));
    }
    let sets = story.sets.iter().filter(|set| set.contains('='));
    rows.extend(sets.map(|set| PageRow::fact("set", set.clone()).to(Object::Set(set.clone()))));
    rows
}

/// Why the node refuses the waiting jobs, and which would fit.
fn refusals(run: &Run, report: &NodeReport) -> Vec<PageRow> {
    let refused: u64 = report.refusals.iter().map(|refusal| refusal.jobs).sum();
    if refused == 0 && report.could.is_empty() {
        return Vec::new();
    }
    let mut rows =
        vec![PageRow::heading(&format!("Waiting jobs refused by this node after this cycle · {refused}"))];
    rows.extend(report.refusals.iter().map(|refused| refusal(run, refused)));
    if !report.could.is_empty() {
        let could = report.could.iter().take(12);
        let jobs: Vec<String> = could.clone().map(|name| waiting_name_of(run, name)).collect();
        let row = PageRow::fact("fits", format!("one chunk of {}", jobs.join(" ")));
        rows.push(row.leading_to(could.cloned().map(Object::Job)));
    }
    rows
}

fn refusal(run: &Run, refusal: &NodeRefusal) -> PageRow {
    let jobs: Vec<String> = refusal.sample.iter().map(|name| waiting_name_of(run, name)).collect();
    let jobs: Vec<&str> = jobs.iter().map(String::as_str).collect();
    let text = format!("{}: {}", refusal.reason, first_of(&jobs, refusal.jobs as usize));
    let row = PageRow::fact(&wording::count(refusal.jobs, "job"), text);
    row.leading_to(refusal.sample.iter().cloned().map(Object::Job))
}

/// Every condition for the selected job's nearest chunk, and whether the node meets it.
fn tested(job: &str, test: &NodeTest) -> Vec<PageRow> {
    let mut rows = vec![PageRow::heading(&format!(
        "Conditions for a chunk of {} after this cycle ({})",
        short_id(job),
        test.part
    ))];
    for one in &test.conditions {
        let (sign, role) = if one.passed { ("✓", Role::Text) } else { ("✗", Role::NodeRejected) };
        let found = if one.found.is_empty() { String::new() } else { format!(": {}", one.found) };
        rows.push(PageRow::fact(sign, format!("{}{found}", one.label)).in_role(role));
    }
    rows.extend(test.would_pass.iter().map(|would| PageRow::fact("", format!("would pass if {would}"))));
    rows
}

/// The adjacent nodes in its bucket, in the order searched, with the signs of the map; the node itself in brackets.
fn neighbours(cx: ViewContext<'_>, name: &str) -> Vec<PageRow> {
    let state = cx.state();
    let Some(bit) = cx.plan().bit_named.get(name).copied() else { return Vec::new() };
    let Some(ix) = state.bucket_of.checked(bit).copied().flatten() else { return Vec::new() };
    let bucket = &state.buckets[ix];
    let members: Vec<Bit> = bucket.members.iter().collect();
    // As on the map, a node that is planned for later is free now.
    let free = members.iter().filter(|bit| state.node_use(**bit) == NodeUse::Free).count();
    let here = members.iter().position(|one| *one == bit).unwrap_or(0);
    let (from, to) = (here.saturating_sub(NEIGHBOURS), (here + NEIGHBOURS + 1).min(members.len()));
    let shown = members.get(from..to).unwrap_or_default();
    let bits = shown.iter().map(|one| match (sign_of(state, &[*one]).in_text(), *one == bit) {
        (sign, true) => format!("[{sign}]"),
        (sign, false) => format!(" {sign}"),
    });
    let cut = |is_cut: bool| is_cut.then(|| "…".to_owned());
    let bits: String = cut(from > 0).into_iter().chain(bits).chain(cut(to < members.len())).collect();
    let names = shown.iter().map(|bit| &**cx.plan().node_name(*bit));
    // Those beyond the ends are counted too.
    let names = qscope_explain::words::folded_of(names, members.len(), 40);
    vec![
        PageRow::heading(&format!("Neighbours in its bucket · {free} of {} free", members.len())),
        PageRow::fact("", format!("{bits}  {names}")).to(Object::Bucket(bucket.name(cx.plan()))),
    ]
}
