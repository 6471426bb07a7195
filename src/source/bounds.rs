//! Limits on the size of what is read.

use qscope_system::input::SizeLimit;

/// Limits on files and records; anything beyond one is refused by the name of the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    /// `file-size`: maximum size of a file, in bytes.
    pub file: u64,
    /// `record-size`: maximum length of a record of a dump, in bytes.
    pub record: usize,
    /// `nesting`: maximum number of nested objects and arrays within a value.
    pub nesting: usize,
}

impl Default for ReadLimits {
    /// More than the clients of any cluster print: 2 GiB, 64 MiB, 1000 levels.
    fn default() -> Self {
        Self { file: 2 << 30, record: 64 << 20, nesting: 1000 }
    }
}

impl ReadLimits {
    /// Returns the limit on the size of a file.
    pub fn of_file(&self) -> SizeLimit {
        SizeLimit { limit: "file-size", bytes: self.file }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_the_usual_ones() {
        let bounds = ReadLimits::default();
        assert_eq!((bounds.file, bounds.record, bounds.nesting), (2_147_483_648, 67_108_864, 1000));
        assert!(bounds.of_file().allow(2_147_483_648).is_ok());
        let why = bounds.of_file().allow(2_147_483_649).unwrap_err().to_string();
        assert!(why.contains("`file-size`") && why.contains("2147483648"), "{why}");
    }
}
