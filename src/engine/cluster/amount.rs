//! Amounts of consumable resources.

use super::caret::message_excerpt;
use super::{ResourceType, Seconds};

/// An amount in the unit of its resource's kind: kilobytes for sizes, seconds for times, plain counts otherwise. The
/// real scheduler counts in doubles, so this is one too.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Amount(pub f64);

/// Largest absolute amount that is accepted: PBS numbers have 63 bits, and a larger amount would make the amounts of
/// all other nodes vanish in a sum.
const MOST: f64 = (1u64 << 63) as f64;

/// Why a text is not an amount.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{}` is not {expected}", message_excerpt(.text))]
pub struct AmountError {
    pub text: String,
    pub expected: &'static str,
}

impl Amount {
    /// The amount zero.
    pub const ZERO: Self = Self(0.0);

    /// Parses an amount of this kind (rule 1.1).
    ///
    /// # Errors
    /// The text is not a number of that kind.
    pub fn parse(kind: ResourceType, text: &str) -> Result<Self, AmountError> {
        let text = text.trim();
        let fail = |expected| AmountError { text: text.to_owned(), expected };
        match kind {
            ResourceType::Size => match size_in_kilobytes(text) {
                Some(size) if size <= MOST => Ok(Self(size)),
                Some(_) => Err(fail("a size below 8 zettabytes")),
                None => Err(fail("a size such as 4gb")),
            },
            ResourceType::Long if text.contains(':') => Seconds::parse(text)
                .map(|s| Self(s.0 as f64))
                .ok_or_else(|| fail("a duration such as 01:00:00")),
            _ => match text.parse::<f64>() {
                Ok(number) if number.abs() <= MOST => Ok(Self(number)),
                Ok(number) if number.is_finite() => Err(fail("a number from -2^63 to 2^63")),
                _ => Err(fail("a number")),
            },
        }
    }

    /// Returns a key for comparing and hashing that is equal only for bit-identical amounts. Small whole numbers
    /// differ in high bits of their floats; the rotation moves these to the low half, because a multiplying hash
    /// never carries high bits down.
    pub(crate) fn key(self) -> u64 {
        self.0.to_bits().rotate_left(32)
    }

    /// Returns how many whole times `part` fits into this amount; `None` (no limit) if `part` is zero.
    pub fn times(self, part: Self) -> Option<u32> {
        if part.0 <= 0.0 {
            return None;
        }
        Some((self.0 / part.0).floor().clamp(0.0, f64::from(u32::MAX)) as u32)
    }

    /// Formats the amount as the scheduler's comments do (rule 2.4): sizes in the largest unit that divides them,
    /// whole numbers without a decimal point.
    pub fn show(self, kind: ResourceType) -> String {
        // Removes the sign of a negative zero.
        let value = self.0 + 0.0;
        if value.is_infinite() {
            return "unlimited".to_owned();
        }
        match kind {
            ResourceType::Size => show_size(value),
            _ if value.fract() == 0.0 => format!("{value:.0}"),
            _ => {
                let text = format!("{value:.6}");
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
        }
    }
}

impl Amount {
    /// Formats an amount and the total that it is part of, in one unit; zero needs none: `20738048mb of 52144440mb`.
    pub fn show_of(self, total: Self, kind: ResourceType) -> String {
        match kind {
            _ if self.0 == 0.0 => format!("0 of {}", total.show(kind)),
            ResourceType::Size => {
                let (scale, unit) = size_unit(&[self.0, total.0]);
                format!("{:.0}{unit} of {:.0}{unit}", self.0 / scale, total.0 / scale)
            }
            _ => format!("{} of {}", self.show(kind), total.show(kind)),
        }
    }
}

/// Parses a size such as `16gb`, `4000mb`, `100` or `2kw` (rule 1.1) into kilobytes: bytes round up, and petabytes do
/// not exist, as in the scheduler's own parser.
fn size_in_kilobytes(text: &str) -> Option<f64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(digits)?;
    let number: f64 = number.parse().ok()?;
    let unit = unit.to_ascii_lowercase();
    let (unit, word) = match unit.strip_suffix('w') {
        Some(rest) => (rest.to_owned(), 8.0),
        None => (unit.strip_suffix('b').unwrap_or(&unit).to_owned(), 1.0),
    };
    let scale = match unit.as_str() {
        "" | "p" => return Some((number * word / 1024.0).ceil()),
        "k" => 1.0,
        "m" => 1024.0,
        "g" => 1024.0 * 1024.0,
        "t" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some(number * word * scale)
}

/// Formats a size in kilobytes, in the largest of tb, gb, mb and kb that divides it.
fn show_size(kilobytes: f64) -> String {
    let (scale, unit) = size_unit(&[kilobytes]);
    format!("{:.0}{unit}", kilobytes / scale)
}

/// Returns the largest unit that divides all sizes, in kilobytes, and its name.
fn size_unit(sizes: &[f64]) -> (f64, &'static str) {
    let (mut scale, mut unit) = (1.0, "kb");
    for larger in ["mb", "gb", "tb"] {
        let next = scale * 1024.0;
        if sizes.iter().any(|size| *size == 0.0 || size % next != 0.0) {
            break;
        }
        (scale, unit) = (next, larger);
    }
    (scale, unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_the_schedulers_units() {
        let kb = |t| Amount::parse(ResourceType::Size, t).unwrap().0;
        assert_eq!(kb("1"), 1.0);
        assert_eq!(kb("1025b"), 2.0);
        assert_eq!(kb("16gb"), 16_777_216.0);
        assert_eq!(kb("4000mb"), 4_096_000.0);
        assert_eq!(kb("2kw"), 16.0);
        assert!(Amount::parse(ResourceType::Size, "4 gb").is_err());
        let long = Amount::parse(ResourceType::Size, &"9x".repeat(5000)).unwrap_err().to_string();
        assert!(long.starts_with("`9x9x") && long.ends_with("…` is not a size such as 4gb"), "{long}");
        assert!(long.chars().count() < 100, "{long}");
    }

    #[test]
    fn an_amount_and_its_total_have_one_unit() {
        let shown = |part: f64, total: f64| Amount(part).show_of(Amount(total), ResourceType::Size);
        assert_eq!(shown(20252.0 * 1_048_576.0, 52_144_440.0 * 1024.0), "20738048mb of 52144440mb");
        assert_eq!(shown(2_097_152.0, 16_777_216.0), "2gb of 16gb");
        assert_eq!(shown(0.0, 16_777_216.0), "0 of 16gb");
        assert_eq!(Amount(3.0).show_of(Amount(8.0), ResourceType::Long), "3 of 8");
    }

    #[test]
    fn amounts_are_shown_as_in_comments() {
        assert_eq!(Amount(0.0).show(ResourceType::Size), "0kb");
        assert_eq!(Amount(16_777_216.0).show(ResourceType::Size), "16gb");
        assert_eq!(Amount(16_000_000.0).show(ResourceType::Size), "15625mb");
        assert_eq!(Amount(4.25).show(ResourceType::Float), "4.25");
        assert_eq!(Amount(18.0).show(ResourceType::Long), "18");
        assert_eq!(
            [ResourceType::Long, ResourceType::Float, ResourceType::Size].map(|kind| Amount(-0.0).show(kind)),
            ["0", "0", "0kb"]
        );
    }

    #[test]
    fn division_rounds_down_and_knows_nothing() {
        assert_eq!(Amount(16.0).times(Amount(6.0)), Some(2));
        assert_eq!(Amount(16.0).times(Amount(0.0)), None);
    }
}
