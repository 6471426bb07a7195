//! Lines of live node attributes in answers.

use serde_json::{Map, Value, json};

pub use crate::cluster::elim::{ElimError, ElimLine, Order, PREFIX};

impl ElimLine {
    /// The line as JSON: `values`, `order`, `warnings`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let number = |value: &String| match value.parse::<i64>() {
            Ok(whole) => json!(whole),
            Err(_) => json!(value.parse::<f64>().unwrap_or_default()),
        };
        let values: Map<String, Value> =
            self.values.iter().map(|(name, value)| (name.clone(), number(value))).collect();
        json!({ "values": values, "order": self.order.map(Order::word), "warnings": self.warnings })
    }
}
