//! Places of settings in files.

use serde::Serialize;

/// The place where a setting is made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SettingLocation {
    pub name: String,
    pub file: String,
    /// Line number, from 1.
    pub line: usize,
}

impl SettingLocation {
    /// Returns it in words: `by_queue sched_config:2`; for a line of a file of that name `dedicated_time:1`.
    pub fn words(&self) -> String {
        let name = if self.name == self.file { String::new() } else { format!("{} ", self.name) };
        format!("{name}{}:{}", self.file, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_is_not_repeated() {
        let words = |name: &str| {
            SettingLocation { name: name.to_owned(), file: "holidays".to_owned(), line: 3 }.words()
        };
        assert_eq!(
            (words("saturday").as_str(), words("holidays").as_str()),
            ("saturday holidays:3", "holidays:3")
        );
    }
}
