//! Measures of two simulations side by side: the second less the first (days rule 13).

use serde_json::{Map, Number, Value};

use crate::Measures;
use crate::figures::rounded;

impl Measures {
    /// Returns these measures less those of `first`, by their names in JSON: the numbers that both have. Names and the
    /// window are left out.
    pub fn less(&self, first: &Self) -> Map<String, Value> {
        let of = |measures: &Self| serde_json::to_value(measures).unwrap_or_default();
        match difference(&of(first), &of(self)) {
            Some(Value::Object(all)) => all,
            _ => Map::new(),
        }
    }
}

/// Returns the second less the first; `None` for what are not two numbers, or two objects.
fn difference(first: &Value, second: &Value) -> Option<Value> {
    match (first, second) {
        (Value::Number(a), Value::Number(b)) => less(a, b).map(Value::Number),
        (Value::Object(a), Value::Object(b)) => {
            let both = a.iter().filter_map(|(key, a)| Some((key.clone(), difference(a, b.get(key)?)?)));
            Some(Value::Object(both.collect()))
        }
        _ => None,
    }
}

fn less(first: &Number, second: &Number) -> Option<Number> {
    match first.as_i64().zip(second.as_i64()) {
        Some((a, b)) => Some(Number::from(b.checked_sub(a)?)),
        None => Number::from_f64(rounded(second.as_f64()? - first.as_f64()?, 9)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_numbers_that_both_have_are_subtracted() {
        let first = json!({"wait_p95": 100, "wait_mean": 1.5, "throughput": null, "window": [0, 5],
            "fairness": {"index": 0.25, "worst_user": "ann"}});
        let second = json!({"wait_p95": 40, "wait_mean": 1.75, "throughput": 2.0, "window": [0, 5],
            "fairness": {"index": 0.75, "worst_user": "bob"}});
        let expected = json!({"wait_p95": -60, "wait_mean": 0.25, "fairness": {"index": 0.5}});
        assert_eq!(difference(&first, &second), Some(expected));
    }
}
