//! The available node types: shape, name, counts and price.

use qscope_engine::cluster::Name;

use super::{CapacityShape, ShapeError, overhead};

/// One kind of node.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeType {
    /// What it is called.
    pub name: Name,
    /// Its nominal shape.
    pub shape: CapacityShape,
    /// Minimum number of nodes to keep.
    pub min: u64,
    /// Maximum number of nodes to be had.
    pub max: u64,
    /// Price of one node for an hour, in the site's unit.
    pub price: Option<f64>,
}

/// Why a set of types cannot be used.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TypesError {
    /// A shape that cannot be packed.
    #[error("node type {name}: {error}")]
    Shape {
        /// Which type.
        name: String,
        /// What is wrong.
        error: ShapeError,
    },
    /// No node is allowed: the maximum of every type is 0.
    #[error("no node is allowed: the sum of the largest counts is 0")]
    NoNodes,
}

/// Truncates or pads `given` to `len` entries with `fill`: the original fills missing maximums with the first
/// one given and missing minimums with 0.
pub fn padded(given: &[u64], len: usize, fill: u64) -> Vec<u64> {
    let mut all: Vec<u64> = given.iter().copied().take(len).collect();
    all.resize(len, fill);
    all
}

/// Checks the types and sorts them into the order in which they are tried. With `merge_equal`, types of equal
/// shape become one, with the name and the counts of the last.
///
/// # Errors
/// A shape cannot be packed, or no node is allowed.
pub fn sort_types(types: Vec<NodeType>, merge_equal: bool) -> Result<Vec<NodeType>, TypesError> {
    let mut kept: Vec<NodeType> = Vec::with_capacity(types.len());
    for kind in types {
        let fault = |error| TypesError::Shape { name: kind.name.to_string(), error };
        let shape = kind.shape.checked_as_node().map_err(fault)?;
        match kept.iter_mut().find(|have| merge_equal && have.shape == shape) {
            Some(have) => *have = kind,
            None => kept.push(kind),
        }
    }
    if kept.iter().all(|kind| kind.max == 0) {
        return Err(TypesError::NoNodes);
    }
    kept.sort_by(|a, b| a.shape.order(&b.shape));
    Ok(kept)
}

/// Returns the shapes that jobs can use, in the order of the types.
pub fn usable_shapes(types: &[NodeType], zero_overhead: bool) -> Vec<CapacityShape> {
    let shapes = types.iter().map(|kind| kind.shape);
    if zero_overhead { shapes.collect() } else { shapes.map(|shape| overhead::usable(&shape)).collect() }
}
