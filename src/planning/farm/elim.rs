//! Lines of live node attributes in answers.

use serde_json::{Map, Value, json};

pub use qscope_engine::cluster::elim::{ElimError, ElimLine, Order, PREFIX};

/// A line as JSON: `values`, `order`, `warnings`.
pub fn elim_json(line: &ElimLine) -> Value {
    let number = |value: &String| match value.parse::<i64>() {
        Ok(whole) => json!(whole),
        Err(_) => json!(value.parse::<f64>().unwrap_or_default()),
    };
    let values: Map<String, Value> =
        line.values.iter().map(|(name, value)| (name.clone(), number(value))).collect();
    json!({ "values": values, "order": line.order.map(Order::word), "warnings": line.warnings })
}
