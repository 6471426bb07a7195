//! The widgets that views are made of. None depends on jobs or nodes: each has a small model of its own.

pub(crate) mod area;
pub(crate) mod bar;
pub(crate) mod bitmap;
pub(crate) mod breadcrumb;
pub(crate) mod cell_text;
pub(crate) mod footer;
pub(crate) mod frame;
pub(crate) mod gantt;
pub(crate) mod header;
pub(crate) mod legend;
#[cfg(test)]
pub(crate) mod margin;
pub(crate) mod prompt;
pub(crate) mod ramp;
pub(crate) mod table;
pub mod text;
