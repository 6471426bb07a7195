//! What follows from the answers: the gap, the scaler's wish, services, and where the original differs.

use crate::capacity::demand::is_service;
use crate::capacity::estimate::smooth;
use crate::capacity::node_type::NodeType;
use crate::capacity::question::Answer;
use crate::capacity::rounding::round_half_away;
use crate::capacity::services::{ServiceCheck, check};
use crate::capacity::shape::Shape;

use super::Report;

impl Report {
    /// Nodes on top of what runs less nodes from scratch, by type.
    pub(super) fn gap(&self) -> Vec<i64> {
        let Some(on_top) = &self.on_top else { return Vec::new() };
        let pairs = on_top.types.iter().zip(&self.scratch.types);
        pairs.map(|(top, scratch)| top.need as i64 - scratch.need as i64).collect()
    }

    /// What the scaler would ask for in its first cycle: smoothed from nothing, between min and max.
    pub(super) fn wanted(&self, ix: usize) -> i64 {
        let (Some(stock), Some(need)) = (self.case.stocks.get(ix), self.answer.types.get(ix)) else {
            return 0;
        };
        let NodeType { min, max, .. } = stock.kind;
        let seen = need.need.min(max) as f64;
        let smoothed = round_half_away(smooth(self.case.options.beta, seen, 0.0));
        if smoothed > max as i64 { max as i64 } else { smoothed.max(min as i64) }
    }

    /// Whether jobs that outlast everything planned can fill the nodes.
    pub(super) fn services(&self) -> ServiceCheck {
        let target = self.case.options.target;
        let (mut services, mut clients): (Vec<Shape>, Vec<Shape>) = (Vec::new(), Vec::new());
        for demand in &self.case.demands.all {
            for (chunk, count) in &demand.chunks {
                if is_service(chunk.wall_time, target) {
                    let all = demand.copies.saturating_mul(u64::from(*count)).min(10_000);
                    services.extend(std::iter::repeat_n(*chunk, usize::try_from(all).unwrap_or(0)));
                } else {
                    clients.push(*chunk);
                }
            }
        }
        let types: Vec<NodeType> = self.case.stocks.iter().map(|stock| stock.kind.clone()).collect();
        check(&services, &clients, &types, &self.case.shapes).unwrap_or_default()
    }

    /// Where the original's answer is another, and why.
    pub(super) fn differences(&self) -> Vec<(&'static str, String)> {
        let Some(original) = &self.original else { return Vec::new() };
        let counts = |answer: &Answer| answer.types.iter().map(|kind| kind.need).collect::<Vec<_>>();
        let mut found = Vec::new();
        if original.assertions > 0 {
            found.push(("13.1", "it fails its own check on times and loses the cycle".to_owned()));
        }
        if counts(original) != counts(&self.answer) {
            found.push((
                "13.3, 13.6, 13.7, 13.9, 13.11",
                format!(
                    "it needs {:?} where this needs {:?}: it knows no declared wall times and guesses, packs runners with their whole length, never turns to another type, packs each chunk by itself, and plans by the hour",
                    counts(original),
                    counts(&self.answer)
                ),
            ));
        }
        found
    }
}
