//! The answer for a cluster, for programs.

use serde_json::{Map, Value, json};

use qscope_planning::capacity::demand;
use qscope_planning::capacity::estimate::Fidelity;
use qscope_planning::capacity::fit::Lack;
use qscope_planning::capacity::question::{Answer, Never};
use qscope_planning::capacity::report::Report;
use qscope_planning::capacity::shape::Shape;

/// Everything that is known about the answer.
pub(super) fn report(report: &Report) -> Value {
    let Report { case, answer, snap, .. } = report;
    let options = &case.options;
    let sources: Map<String, Value> =
        demand::sources(&case.demands.all).into_iter().map(|(word, n)| (word.to_owned(), json!(n))).collect();
    let gangs: u64 = case.demands.all.iter().filter(|d| d.is_gang()).map(|d| d.copies).sum();
    json!({
        "title": &*snap.title,
        "now": snap.now.0,
        "target": options.target,
        "beta": options.beta,
        "compat": options.fidelity == Fidelity::Compat,
        "on_top": case.on_top,
        "order": if answer.by_price { "price" } else { "shape" },
        "types": types(report),
        "nodes": answer.nodes(),
        "node_hours": answer.hours(),
        "cost": answer.cost(),
        "makespan": answer.makespan,
        "wall_times": sources,
        "gangs": gangs,
        "gangs_note": (gangs > 0).then_some("chunks of one job begin together: beyond the original"),
        "coming": case.demands.coming,
        "never": answer.never.iter().map(|never| self::never(report, never)).collect::<Value>(),
        "fragmentation": fragmentation(report),
        "services": services(report),
        "differs": differs(report),
        "notes": case.notes,
        "jobs": seats(report),
    })
}

fn types(report: &Report) -> Value {
    let each = report.case.stocks.iter().zip(&report.answer.types).enumerate().map(|(ix, (stock, need))| {
        json!({
            "name": &*stock.kind.name,
            "shape": shape(&stock.kind.shape),
            "need": need.need,
            "bound": need.bound,
            "up": stock.up,
            "min": stock.kind.min,
            "max": stock.kind.max,
            "beyond": need.beyond,
            "wanted": report.wanted(ix),
            "price": stock.kind.price,
            "node_hours": need.hours,
            "cost": stock.kind.price.map(|price| price * need.hours),
        })
    });
    each.collect()
}

fn shape(shape: &Shape) -> Value {
    json!({
        "wall_time": shape.wall_time, "memory": shape.memory, "cores": shape.cores, "disk": shape.disk,
        "gpus": shape.gpus, "preemptible": shape.preemptible, "exclusive": shape.exclusive,
    })
}

fn never(report: &Report, never: &Never) -> Value {
    let name = |ix: usize| report.case.stocks.get(ix).map(|stock| stock.kind.name.to_string());
    let lack = |lack: &Lack| json!({ "what": lack.what.word(), "asked": lack.asked, "limit": lack.limit });
    let types =
        never.lacks.iter().enumerate().map(
            |(ix, lacks)| json!({ "type": name(ix), "lacks": lacks.iter().map(lack).collect::<Value>() }),
        );
    json!({
        "shape": shape(&never.shape),
        "jobs": never.jobs,
        "example": report.snap.jobs[never.example].short_name(),
        "types": types.collect::<Value>(),
        "closest": never.closest.and_then(name),
        "change": report.change(never),
    })
}

fn fragmentation(report: &Report) -> Value {
    let Some(on_top) = &report.on_top else { return Value::Null };
    let counts = |answer: &Answer| answer.types.iter().map(|kind| kind.need).collect::<Vec<_>>();
    json!({
        "from_scratch": counts(&report.scratch),
        "on_top": counts(on_top),
        "gap": report.gap(),
    })
}

fn services(report: &Report) -> Value {
    let check = report.services();
    json!({
        "services": check.services, "fit": check.fit, "kinds_of_clients": check.clients,
        "served": check.served, "can_deadlock": check.can_deadlock(), "finding": check.sentence(),
    })
}

fn differs(report: &Report) -> Value {
    report.differences().into_iter().map(|(defect, what)| json!({ "defect": defect, "what": what })).collect()
}

/// The most places that are printed.
const MAX_SEATS: usize = 100_000;

fn seats(report: &Report) -> Value {
    let each = report.answer.seats.iter().take(MAX_SEATS).filter_map(|seat| {
        let demand = report.case.demands.all.get(seat.demand)?;
        Some(json!({
            "id": report.snap.jobs[demand.job].short_name(),
            "type": report.case.stocks.get(seat.kind).map(|stock| stock.kind.name.to_string()),
            "node": seat.node,
            "begin": seat.begin,
            "wall_time": seat.wall,
            "source": demand.source.word(),
            "gang": demand.is_gang(),
        }))
    });
    each.collect()
}
