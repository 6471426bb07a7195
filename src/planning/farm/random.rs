//! Random numbers of a specified generator, so that the same can be drawn elsewhere: SplitMix64.

/// The increment of the state: 2⁶⁴ divided by the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Returns stream `number` of a seed, counted from 1; it is seeded with the `number`th value drawn from
    /// the seed.
    pub fn stream(seed: u64, number: u32) -> Self {
        let before = u64::from(number).saturating_sub(1);
        Self(Self(seed.wrapping_add(before.wrapping_mul(STEP))).next_bits())
    }

    pub fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Draws a number from 0 to below 1 from the upper 53 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.next_bits() >> 11) as f64 * (-53f64).exp2()
    }

    /// Draws an exponential with this mean: `-ln(1-u) × mean`.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -(-self.uniform()).ln_1p() * mean
    }

    /// Draws a normal with mean 0 and deviation 1: the cosine of Box and Muller, which takes two numbers.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (-self.uniform()).ln_1p()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Draws a lognormal with this mean and this deviation of the logarithm.
    pub fn lognormal(&mut self, mean: f64, sigma: f64) -> f64 {
        (mean.ln() - sigma * sigma / 2.0 + sigma * self.normal()).exp()
    }

    /// Draws the number of trials until the first success, with this mean: 1, 2, 3…
    pub fn geometric(&mut self, mean: f64) -> u32 {
        if mean <= 1.0 {
            return 1;
        }
        let tries = (-self.uniform()).ln_1p() / (-1.0 / mean).ln_1p();
        1 + tries.clamp(0.0, 1e6) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut stream = SplitMix64(1_234_567);
        let first = [stream.next_bits(), stream.next_bits(), stream.next_bits()];
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_stream_is_seeded_with_the_seeds_number_at_its_place() {
        let mut seeds = SplitMix64(42);
        for number in 1..=100 {
            assert_eq!(SplitMix64::stream(42, number), SplitMix64(seeds.next_bits()));
        }
    }

    #[test]
    fn draws_have_the_means_they_state() {
        let mut stream = SplitMix64(42);
        let mut mean = |draw: &mut dyn FnMut(&mut SplitMix64) -> f64| {
            (0..200_000).map(|_| draw(&mut stream)).sum::<f64>() / 200_000.0
        };
        assert!((mean(&mut |s| s.uniform()) - 0.5).abs() < 0.005);
        assert!((mean(&mut |s| s.exponential(10.0)) - 10.0).abs() < 0.1);
        assert!((mean(&mut |s| s.lognormal(5.0, 0.8)) - 5.0).abs() < 0.1);
        assert!((mean(&mut |s| f64::from(s.geometric(20.0))) - 20.0).abs() < 0.3);
    }
}
