//! Node types written by hand, in TOML.
//!
//! ```toml
//! [[type]]
//! name = "big"
//! ncpus = 64
//! mem = "256gb"
//! ngpus = 4            # 0 without it
//! disk = "1tb"         # 0 without it
//! min = 0
//! max = 10             # 10 without it
//! price = 2.5          # for an hour; optional
//! slice = "01:00:00"   # an hour without it
//! preemptible = false
//! nominal = false      # true: the operating system takes its part of memory and disk
//! queue = "gpu"        # only jobs of this queue; optional
//! resources = { fast = true }
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

use qscope_engine::cluster::{Amount, ResourceType, Seconds};

use super::{CapacityShape, NodeType, TypeSupply, overhead};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypesFile {
    #[serde(rename = "type", default)]
    types: Vec<TypeEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypeEntry {
    name: String,
    ncpus: f64,
    mem: String,
    #[serde(default)]
    ngpus: i64,
    disk: Option<String>,
    #[serde(default)]
    min: i64,
    max: Option<i64>,
    price: Option<f64>,
    slice: Option<String>,
    #[serde(default)]
    preemptible: bool,
    #[serde(default)]
    nominal: bool,
    queue: Option<String>,
    #[serde(default)]
    resources: BTreeMap<String, toml::Value>,
}

/// Why a file of types cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TypesFileError {
    /// It is not TOML of this form.
    #[error("{0}")]
    Form(String),
    /// A type is invalid.
    #[error("type {name}: {what}")]
    Type {
        /// Name of the type.
        name: String,
        /// What is wrong with it.
        what: String,
    },
    /// There is no `[[type]]`, or every maximum is 0.
    #[error("no node is allowed: {0}")]
    NoNodes(&'static str),
}

/// Reads types.
///
/// # Errors
/// A key is unknown, a value is invalid, an amount is negative, a slice is empty, or no node is allowed.
pub fn read(text: &str) -> Result<Vec<TypeSupply>, TypesFileError> {
    let file: TypesFile =
        toml::from_str(text).map_err(|error| TypesFileError::Form(with_line(text, &error)))?;
    if file.types.is_empty() {
        return Err(TypesFileError::NoNodes("the file has no [[type]]"));
    }
    let stocks = file.types.iter().map(stock).collect::<Result<Vec<_>, _>>()?;
    if stocks.iter().all(|stock| stock.node_type.max == 0) {
        return Err(TypesFileError::NoNodes("every max is 0"));
    }
    Ok(stocks)
}

/// Returns the error with its line number but without the line's text: a file of another kind is not quoted.
fn with_line(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    format!("line {}: {}", before.matches('\n').count() + 1, error.message())
}

fn stock(entry: &TypeEntry) -> Result<TypeSupply, TypesFileError> {
    let fault = |what: String| TypesFileError::Type { name: entry.name.clone(), what };
    let bytes = |key: &str, text: &str| {
        let amount =
            Amount::parse(ResourceType::Size, text).map_err(|error| fault(format!("{key}: {error}")))?;
        Ok::<i64, TypesFileError>((amount.0 * 1024.0).min(9e15) as i64)
    };
    let slice = match &entry.slice {
        Some(text) => Seconds::parse(text)
            .ok_or_else(|| fault(format!("slice: `{text}` is not a time such as 01:00:00")))?,
        None => Seconds(3600),
    };
    let shape = CapacityShape {
        wall_time: slice.0 as f64,
        memory: bytes("mem", &entry.mem)?,
        cores: entry.ncpus,
        disk: entry.disk.as_deref().map_or(Ok(0), |text| bytes("disk", text))?,
        preemptible: entry.preemptible,
        gpus: entry.ngpus,
        ..CapacityShape::default()
    };
    let shape = shape.checked_as_node().map_err(|error| fault(error.to_string()))?;
    let count = |key: &str, n: i64| u64::try_from(n).map_err(|_| fault(format!("{key} is negative: {n}")));
    let (min, max) = (count("min", entry.min)?, count("max", entry.max.unwrap_or(10))?);
    if entry.price.is_some_and(|price| !(price.is_finite() && price >= 0.0)) {
        return Err(fault("price must be 0 or more".to_owned()));
    }
    let shape = if entry.nominal { overhead::usable(&shape) } else { shape };
    let text = |value: &toml::Value| match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Boolean(true) => "True".to_owned(),
        toml::Value::Boolean(false) => "False".to_owned(),
        other => other.to_string(),
    };
    let own_resources =
        entry.resources.iter().map(|(name, value)| (name.as_str().into(), text(value))).collect();
    let node_type = NodeType { name: entry.name.as_str().into(), shape, min, max, price: entry.price };
    Ok(TypeSupply {
        node_type,
        hosts: Vec::new(),
        nodes_up: 0,
        queue: entry.queue.as_deref().map(Into::into),
        own_resources,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_read_and_its_defaults_are_filled_in() {
        let stocks = read("[[type]]\nname = 'a'\nncpus = 4\nmem = '16gb'\nprice = 0.5\n").unwrap();
        let kind = &stocks[0].node_type;
        assert_eq!((kind.shape.memory, kind.shape.wall_time, kind.max), (16 << 30, 3600.0, 10));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        let base = "[[type]]\nname = 'a'\nmem = '16gb'\n";
        assert_eq!(error(&format!("{base}ncpus = -4\n")), "type a: cores is negative: -4");
        assert!(error(&format!("{base}ncpus = 1\nprize = 2\n")).contains("prize"));
        assert!(error(&format!("{base}ncpus = 1\nmax = 0\n")).contains("no node is allowed"));
        assert!(error("").contains("no [[type]]"));
        assert!(error(&format!("{base}ncpus = 1\nslice = '0'\n")).contains("longer than 0"));
    }
}
