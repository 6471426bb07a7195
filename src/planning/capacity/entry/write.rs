//! Writing answers in the form of the problems.

use serde_json::{Value, json};

use crate::capacity::estimate::Unfit;
use crate::capacity::fit::Lack;
use crate::capacity::shape::Shape;

/// A number, without a point when it is whole.
pub(super) fn number(x: f64) -> Value {
    if x.fract() == 0.0 && x.abs() < 9_007_199_254_740_992.0 { json!(x as i64) } else { json!(x) }
}

/// `[wallTime, memory, cores, disk, preemptible]`.
pub(super) fn shape(shape: &Shape) -> Value {
    json!([
        number(shape.wall_time),
        shape.memory,
        number(shape.cores),
        shape.disk,
        i32::from(shape.preemptible)
    ])
}

/// `[[resource, limit], …]`.
pub(super) fn limits(lacks: &[Lack]) -> Value {
    lacks.iter().map(|lack| json!([lack.what.word(), number(lack.limit)])).collect()
}

/// `[[job shape, limits], …]`.
pub(super) fn unfit(unfit: &[Unfit]) -> Value {
    unfit.iter().map(|unfit| json!([shape(&unfit.shape), limits(&unfit.lacks)])).collect()
}
