//! Shapes and shortfalls in words.

use qscope_engine::cluster::{Amount, ResourceType, count};

use super::fit::{Lack, LackKind};
use super::shape::CapacityShape;

/// Heading of the lines of types, each a `type_line` of the report.
pub const TYPES_HEADING: &str = " need bound   up  max wanted   hours  type";

/// Returns a shape in words, such as `4 cores, 16gb`; memory only where there is any.
pub fn chunk(shape: &CapacityShape) -> String {
    let cores = if shape.cores == 1.0 { "core" } else { "cores" };
    let mut words = vec![format!("{} {cores}", shape.cores)];
    if shape.memory > 0 {
        words.push(size(shape.memory as f64));
    }
    if shape.disk > 0 {
        words.push(format!("{} of disk", size(shape.disk as f64)));
    }
    if shape.gpus > 0 {
        words.push(count(shape.gpus, "gpu"));
    }
    if shape.exclusive {
        words.push("the node for itself".to_owned());
    }
    words.join(", ")
}

/// Returns a size in the largest unit that divides it.
pub fn size(bytes: f64) -> String {
    Amount((bytes / 1024.0).ceil()).show(ResourceType::Size)
}

/// Returns what is missing, in words.
pub fn lack(lack: &Lack) -> String {
    let amount = |x: f64| match lack.what {
        LackKind::Memory | LackKind::Disk => size(x),
        _ => format!("{x}"),
    };
    match lack.what {
        LackKind::Preemptible => "its nodes can be taken away".to_owned(),
        LackKind::Site => "a condition of the job is not met".to_owned(),
        what => format!(
            "{} of {}, has {}: {} short",
            what.word(),
            amount(lack.asked),
            amount(lack.limit),
            amount(lack.asked - lack.limit)
        ),
    }
}

/// Returns what would be needed instead, in words.
pub fn wanted(lack: &Lack) -> String {
    match lack.what {
        LackKind::Memory | LackKind::Disk => format!("{} {}", lack.what.word(), size(lack.asked)),
        LackKind::Preemptible => "nodes that stay".to_owned(),
        LackKind::Site => "what the job asks for".to_owned(),
        what => format!("{} {}", what.word(), lack.asked),
    }
}
