//! Packing problems.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::capacity::estimate::{Fidelity, Unfit, reported, unfit};
use crate::capacity::measure::{Measure, Milli};
use crate::capacity::packer::{PackError, Packer, Placed, Rules, TypeIx};
use crate::capacity::shape::Shape;

use super::difference;
use super::read::{At, Count, EntryError, Jobs, NodeShape, Seconds};
use super::write;

/// A packing problem.
#[derive(Deserialize)]
struct Problem {
    mode: Mode,
    /// By when jobs must begin.
    target_time: Seconds,
    node_shapes: Vec<NodeShape>,
    /// Nodes that exist, each by the place of its shape.
    preseed: Option<Vec<Count>>,
    /// Batches of jobs, packed one after the other.
    jobs: Vec<Jobs>,
}

/// How the jobs of a batch are packed.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// Largest first.
    Pack,
    /// In their order.
    Add,
}

impl Problem {
    fn nodes(&self) -> Vec<Shape> {
        self.node_shapes.iter().map(|NodeShape(shape)| *shape).collect()
    }

    /// The shapes of the nodes that exist.
    fn preseed(&self, at: &At<'_>) -> Result<Vec<Shape>, EntryError> {
        let listed = self.preseed.iter().flatten().enumerate();
        let shape = |(place, Count(ix)): (usize, &Count)| {
            let found = usize::try_from(*ix).ok().and_then(|ix| self.node_shapes.get(ix));
            let missing =
                || at.error_at(&format!("preseed[{place}]"), format!("there is no node shape {ix}"));
            found.map(|NodeShape(shape)| *shape).ok_or_else(missing)
        };
        listed.map(shape).collect()
    }
}

/// What packing it gives.
struct Packed {
    order: Vec<Shape>,
    required: Vec<u64>,
    reservations: Value,
    unfit: Vec<Unfit>,
    assertions: u64,
}

pub(super) fn answer(at: &At<'_>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let problem: Problem = at.read()?;
    let preseed = problem.preseed(at)?;
    let compat = run::<f64>(at, &problem, &preseed, true, Fidelity::Compat)?;
    if fidelity == Fidelity::Compat {
        return Ok(if compat.assertions > 0 { json!({ "error": "AssertionError" }) } else { shown(&compat) });
    }
    let exact = run::<Milli>(at, &problem, &preseed, false, Fidelity::Corrected)?;
    let literal = run_with::<Milli>(
        at,
        &problem,
        &preseed,
        Rules { target: problem.target_time.0, overflow: false, merge_equal: false },
        Fidelity::Corrected,
    )?;
    let mut answer = shown(&exact);
    if let Some(object) = answer.as_object_mut() {
        object.insert("differs".to_owned(), differences(&compat, &literal, &exact));
    }
    Ok(answer)
}

fn run<N: Measure>(
    at: &At<'_>,
    problem: &Problem,
    preseed: &[Shape],
    merge_equal: bool,
    fidelity: Fidelity,
) -> Result<Packed, EntryError> {
    let overflow = fidelity == Fidelity::Corrected;
    run_with::<N>(
        at,
        problem,
        preseed,
        Rules { target: problem.target_time.0, overflow, merge_equal },
        fidelity,
    )
}

fn run_with<N: Measure>(
    at: &At<'_>,
    problem: &Problem,
    preseed: &[Shape],
    rules: Rules,
    fidelity: Fidelity,
) -> Result<Packed, EntryError> {
    let mut packer = Packer::<N>::new(problem.nodes(), rules);
    let order: Vec<Shape> = packer.types().map(|(_, shape)| *shape).collect();
    for wanted in preseed {
        let kind = packer.types().find(|(_, shape)| *shape == wanted).map(|(kind, _)| kind);
        if let Some(kind) = kind {
            packer.preseed(kind);
        }
    }
    let mut unfits: Vec<Unfit> = Vec::new();
    for (ix, Jobs(batch)) in problem.jobs.iter().enumerate() {
        let fault = |error: PackError| at.error_at(&format!("jobs[{ix}]"), error);
        let mut jobs = batch.clone();
        if problem.mode == Mode::Pack {
            let placed = packer.pack(&mut jobs).map_err(fault)?;
            merge(&mut unfits, unfit(&jobs, &placed, &order, fidelity));
        } else {
            for job in &jobs {
                if packer.add(job).map_err(fault)? == Placed::Unfit {
                    unfits.push(Unfit { shape: *job, count: 1, lacks: reported(job, &order, fidelity) });
                }
            }
        }
    }
    let required = packer.counts();
    let reservations = reservations(&packer).ok_or_else(|| at.error("too many nodes to print"))?;
    Ok(Packed { order, required, reservations, unfit: unfits, assertions: packer.assertions() })
}

/// A shape that was seen in an earlier batch keeps its place.
fn merge(all: &mut Vec<Unfit>, more: Vec<Unfit>) {
    let have: FxHashMap<_, _> = all.iter().enumerate().map(|(ix, unfit)| (unfit.shape.key(), ix)).collect();
    for unfit in more {
        match have.get(&unfit.shape.key()).and_then(|ix| all.get_mut(*ix)) {
            Some(before) => before.count += unfit.count,
            None => all.push(unfit),
        }
    }
}

/// For each type its nodes, runs of equal ones and of equal slices with a count.
fn reservations<N: Measure>(packer: &Packer<N>) -> Option<Value> {
    let mut all = Vec::new();
    for ((kind, _), count) in packer.types().zip(packer.counts()) {
        let mut runs: Vec<(u64, Value)> = Vec::new();
        for node in 0..u32::try_from(count).ok()? {
            let slices = slices(packer, kind, node);
            match runs.last_mut() {
                Some((repeat, same)) if *same == slices => *repeat += 1,
                _ => runs.push((1, slices)),
            }
        }
        all.push(runs.into_iter().map(|(repeat, slices)| json!([repeat, slices])).collect::<Value>());
    }
    Some(Value::from(all))
}

fn slices<N: Measure>(packer: &Packer<N>, kind: TypeIx, node: u32) -> Value {
    let mut runs: Vec<(u64, Vec<Value>)> = Vec::new();
    for (length, free) in packer.slices(kind, node) {
        let slice = vec![
            write::number(length.value()),
            json!(free.memory),
            write::number(free.cores.value()),
            json!(free.disk),
        ];
        match runs.last_mut() {
            Some((repeat, same)) if *same == slice => *repeat += 1,
            _ => runs.push((1, slice)),
        }
    }
    let counted = runs.into_iter().map(|(repeat, mut slice)| {
        if repeat > 1 {
            slice.push(json!(repeat));
        }
        Value::from(slice)
    });
    counted.collect()
}

fn shown(packed: &Packed) -> Value {
    let mut object = Map::new();
    object.insert("order".to_owned(), packed.order.iter().map(write::shape).collect());
    object.insert("required".to_owned(), json!(packed.required));
    object.insert("reservations".to_owned(), packed.reservations.clone());
    object.insert("unfit".to_owned(), write::unfit(&packed.unfit));
    Value::Object(object)
}

/// What each correction changes here.
fn differences(compat: &Packed, literal: &Packed, exact: &Packed) -> Value {
    let mut found = Vec::new();
    if compat.assertions > 0 {
        found.push(difference(
            "13.1",
            &format!("Toil fails its own check on times at {} places and has no answer", compat.assertions),
        ));
    }
    let limits = |packed: &Packed| packed.unfit.iter().map(|unfit| unfit.lacks.clone()).collect::<Vec<_>>();
    if limits(compat) != limits(exact) {
        found
            .push(difference("13.2", "limits are those of the closest type; Toil reports those of the last"));
    }
    let duplicates = compat.order.windows(2).any(|pair| matches!(pair, [a, b] if a == b));
    if duplicates {
        found.push(difference("13.4", "Toil counts the nodes of equal types twice"));
    } else if compat.required != literal.required {
        found.push(difference(
            "13.3",
            &format!(
                "sums of doubles drift: Toil needs {:?}, exact sums {:?}",
                compat.required, literal.required
            ),
        ));
    }
    if literal.required != exact.required || literal.reservations != exact.reservations {
        found.push(difference(
            "13.9",
            &format!(
                "idle room on nodes of later types is used: {:?} nodes instead of {:?}",
                exact.required, literal.required
            ),
        ));
    }
    Value::from(found)
}
