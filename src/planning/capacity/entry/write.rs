//! The parts that answers share, in the form of the problems.

use serde::{Serialize, Serializer};

use crate::capacity::{CapacityShape, Lack, NodeType, UnfitShape};
use qscope_engine::cluster::Name;

/// The first number beyond which doubles skip whole numbers.
const WHOLE_LIMIT: f64 = 9_007_199_254_740_992.0;

/// A number, written without a decimal point when it is whole.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlainNumber(pub f64);

impl Serialize for PlainNumber {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self(number) = *self;
        if number.fract() == 0.0 && number.abs() < WHOLE_LIMIT {
            to.serialize_i64(number as i64)
        } else {
            to.serialize_f64(number)
        }
    }
}

/// `[wallTime, memory, cores, disk, preemptible]`, the last as 0 or 1.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShapeRow(PlainNumber, i64, PlainNumber, i64, u8);

impl From<&CapacityShape> for ShapeRow {
    fn from(shape: &CapacityShape) -> Self {
        let preemptible = u8::from(shape.preemptible);
        Self(PlainNumber(shape.wall_time), shape.memory, PlainNumber(shape.cores), shape.disk, preemptible)
    }
}

/// `[shape, name, min, max]` of a node type.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NodeTypeRow(ShapeRow, Name, u64, u64);

impl From<&NodeType> for NodeTypeRow {
    fn from(kind: &NodeType) -> Self {
        Self((&kind.shape).into(), kind.name.clone(), kind.min, kind.max)
    }
}

/// `[resource, limit]`: an amount of which a job requests more than a type has.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LimitRow(&'static str, PlainNumber);

impl From<&Lack> for LimitRow {
    fn from(lack: &Lack) -> Self {
        Self(lack.what.word(), PlainNumber(lack.limit))
    }
}

/// `[job shape, limits]`: a job shape that fits no type.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct UnfitRow(pub ShapeRow, pub Vec<LimitRow>);

impl From<&UnfitShape> for UnfitRow {
    fn from(unfit: &UnfitShape) -> Self {
        Self((&unfit.shape).into(), unfit.lacks.iter().map(LimitRow::from).collect())
    }
}

/// How the default's answer differs from the original's, for people and programs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EntryDifference {
    /// The number of the original's defect, or several.
    pub defect: &'static str,
    /// What the difference is, in a sentence.
    pub what: String,
}

impl EntryDifference {
    pub(super) fn new(defect: &'static str, what: impl Into<String>) -> Self {
        Self { defect, what: what.into() }
    }
}

/// Serializes pairs as an object, for keys that are data.
pub(super) fn by_key<S: Serializer>(
    pairs: &[(impl Serialize, impl Serialize)],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}
