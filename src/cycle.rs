//! Who and when: job order, the run check, the cycle and its steps.

pub mod fairshare;
pub mod job_order;
pub mod picker;
pub mod time_windows;
