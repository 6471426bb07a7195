//! The nodes of a farm in short form: `800x8`, or `10x64,5x128`.

use super::{FarmError, FarmNode, MAX_SLOTS};

/// Maximum number of nodes.
const MAX_NODES: u32 = 1_000_000;

/// Kinds of nodes as pairs of count and slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodesSpec(Vec<(u32, u32)>);

impl NodesSpec {
    /// Reads `COUNTxSLOTS`, several separated by commas.
    ///
    /// # Errors
    /// The text is anything else, or has more than a million nodes or more than 65,536 slots each.
    pub fn parse(text: &str) -> Result<Self, FarmError> {
        let kind = |part: &str| {
            let (count, slots) = part.trim().split_once(['x', 'X', '*'])?;
            Some((count.trim().parse().ok()?, slots.trim().parse().ok().filter(|slots| *slots <= MAX_SLOTS)?))
        };
        let kinds: Option<Vec<(u32, u32)>> = text.split(',').map(kind).collect();
        let fail = || FarmError::Scenario {
            place: "nodes".to_owned(),
            what: format!(
                "expected COUNTxSLOTS such as 800x8 or 10x64,5x128, at most {MAX_NODES} nodes of {MAX_SLOTS} slots, \
                 found `{text}`"
            ),
        };
        let kinds = kinds.ok_or_else(fail)?;
        let count = kinds.iter().fold(0u32, |sum, (count, _)| sum.saturating_add(*count));
        if count == 0 || count > MAX_NODES {
            return Err(fail());
        }
        Ok(Self(kinds))
    }

    /// Spreads slots as evenly as possible over nodes: the first ones have one more.
    pub fn shared(slots: u32, nodes: u32) -> Option<Self> {
        let each = slots.checked_div(nodes)?;
        let more = slots - each * nodes;
        (each < MAX_SLOTS && nodes <= MAX_NODES).then_some(Self(vec![(more, each + 1), (nodes - more, each)]))
    }

    pub fn total_slots(&self) -> u64 {
        self.0.iter().map(|(count, slots)| u64::from(*count) * u64::from(*slots)).sum()
    }

    /// Returns the nodes, named by number.
    pub fn nodes(&self) -> Vec<FarmNode> {
        let all: u32 = self.0.iter().map(|(count, _)| count).sum();
        let width = all.saturating_sub(1).max(1).ilog10() as usize + 1;
        let slots = self.0.iter().flat_map(|(count, slots)| std::iter::repeat_n(*slots, *count as usize));
        let node = |(at, slots)| FarmNode { name: format!("n{at:0width$}").into(), slots, memory: None };
        slots.enumerate().map(node).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn farms_in_a_few_letters() {
        let farm = NodesSpec::parse("2x8,1x64").unwrap();
        assert_eq!(farm.total_slots(), 80);
        let names: Vec<_> = farm.nodes().iter().map(|node| format!("{}:{}", node.name, node.slots)).collect();
        assert_eq!(names, ["n0:8", "n1:8", "n2:64"]);
        let names: Vec<u32> =
            NodesSpec::shared(10, 4).unwrap().nodes().iter().map(|node| node.slots).collect();
        assert_eq!(names, [3, 3, 2, 2]);
        assert_eq!(NodesSpec::shared(10, 0), None);
        for wrong in ["", "8", "x8", "0x8", "8x-1", "9999999x1", "1x100000"] {
            assert!(NodesSpec::parse(wrong).is_err(), "{wrong}");
        }
    }
}
