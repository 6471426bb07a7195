//! Pseudo-random numbers from a seed (splitmix64): the same cluster for the same seed on every machine.

/// A source of random choices.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bf0_3635)
    }

    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from `low` to `high`, both included.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + (self.number() % (high - low + 1).unsigned_abs()) as i64
    }

    /// Returns true in `chance` of 100 cases.
    pub fn percent(&mut self, chance: i64) -> bool {
        self.range(0, 99) < chance
    }

    /// Returns one of several items.
    pub fn of<T: Clone>(&mut self, items: &[T]) -> T {
        let at = self.range(0, items.len() as i64 - 1) as usize;
        items[at].clone()
    }
}
