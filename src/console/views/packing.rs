//! Packing: the cost of concentrating some jobs on few nodes, from now on.
//!
//! ```text
//! ┏ Fill factor ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ R relaxed  E exclusive  T ttl 1 h ┓
//! ┃1.00 ┤        ====R=RRR====RRRR                                                ┃
//! ┃0.92 ┤   =====    E E   EEE    E                                               ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! Everything is in [`PackingView`], which also works on files, without a cluster on the screen.

mod chart;
mod compute;
mod dispersion;
mod draw;
mod farm_map;
mod keys;
mod plot;
mod study;
mod sweep;
mod waits;

pub use study::PackingView;
