//! Lines of live node attributes in answers.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

pub use qscope_engine::cluster::elim::{ElimError, ElimLine, NameValueOrder, PREFIX};

/// A line as an answer has it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ElimLineJson {
    /// The values by name.
    values: BTreeMap<String, ElimNumber>,
    /// `name_value`, `value_name` or `mixed`; null for an empty list.
    order: Option<&'static str>,
    /// What was odd.
    warnings: Vec<String>,
}

impl From<&ElimLine> for ElimLineJson {
    fn from(line: &ElimLine) -> Self {
        let values = line.values.iter().map(|(name, value)| (name.clone(), ElimNumber(value.clone())));
        Self {
            values: values.collect(),
            order: line.order.map(NameValueOrder::word),
            warnings: line.warnings.clone(),
        }
    }
}

/// A numeric value as written, serialized as a whole number where possible.
#[derive(Clone, PartialEq, Debug)]
struct ElimNumber(String);

impl Serialize for ElimNumber {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0.parse::<i64>() {
            Ok(whole) => to.serialize_i64(whole),
            Err(_) => to.serialize_f64(self.0.parse().unwrap_or_default()),
        }
    }
}
