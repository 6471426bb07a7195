//! The cycle: which path each job took, where it went, and why the others wait.
//!
//! ```text
//! ┏ Queue, in the order considered ┓┌ Decision on 17 ──────────────────────┐
//! ┃   #  job  user   path   verdict┃│ ✓ RUN · bucket path                  │
//! ┃│  1  12   ann  ▦ bucket ✓ run  ┃│ starts on 4 nodes: n[1-4]            │
//! ┃◆  2  15   bob  ▪ node   ◷ not n┃│ ▦ takes the bucket path · test 13:…  │
//! ┃▸  3  17   ann  ▦ bucket ✓ run  ┃│ ✓ all nodes 12 of 32 nodes free …    │
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━ 3/12 ┛└──────────────────────────────────────┘
//! ┌ Nodes by bucket, as 17 found them ──────────────────────────────── n7 free ┐
//! │ ncpus=8:mem=16gb ████░░░░▒▒▓▓▓▓▓▓ 8/16                                     │
//! └────────────────────────────────────────────────────────────────────────────┘
//! ```
//! At 80 columns the queue stands above the decision, or above the map when that has the focus; below 80 one pane is
//! shown at a time; from 200 on the node under the map's cursor has a pane of its own.

pub mod bar;
pub mod decision;
pub mod inside;
pub mod map;
pub mod node;
pub mod queue;

use ratatui::buffer::Buffer;

use crate::layout::{Pane, Panes};
use crate::shell::{Shell, Shown};

/// Draws its panes.
pub(crate) fn render(app: &Shell, shown: &Shown, panes: &Panes, buf: &mut Buffer) {
    for (pane, rect) in panes.iter() {
        let area = rect.intersection(buf.area);
        match pane {
            Pane::List => queue::draw(app, shown, area, buf),
            Pane::Detail => decision::draw(app, shown, area, buf),
            Pane::Map => map::draw(app, shown, area, buf),
            Pane::Side => node::draw(app, shown, area, buf),
        }
    }
}
