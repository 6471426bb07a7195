//! Gauges in the text format of OpenMetrics: names and help come from the program, label values are text.

use std::fmt::Write;

use super::visible;

/// A file being built.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OpenMetrics(String);

impl OpenMetrics {
    /// Creates a file without families.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a family of gauges, in seconds if its name ends in `_seconds`. A family without series is left out.
    pub fn family(
        &mut self,
        name: &'static str,
        help: &'static str,
        series: &[(Vec<(&'static str, &str)>, f64)],
    ) {
        if series.is_empty() {
            return;
        }
        let _ = writeln!(self.0, "# TYPE qscope_{name} gauge");
        if name.ends_with("_seconds") {
            let _ = writeln!(self.0, "# UNIT qscope_{name} seconds");
        }
        let _ = writeln!(self.0, "# HELP qscope_{name} {help}");
        for (labels, value) in series {
            let labels: Vec<String> =
                labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
            let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
            // Writing to a String cannot fail.
            let _ = writeln!(self.0, "qscope_{name}{labels} {value}");
        }
    }

    /// Adds the end of the file.
    pub fn end(mut self) -> Self {
        self.0.push_str("# EOF\n");
        self
    }

    /// Returns the file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Escapes a label value: backslashes and quotes get a backslash, characters that act are written out.
fn escaped(value: &str) -> String {
    visible(value).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_ends_neither_itself_nor_its_line() {
        let mut page = OpenMetrics::new();
        page.family("jobs", "Jobs.", &[(vec![("queue", "a\"} 9\nqscope_up{x=\"\\")], 1.0)]);
        let line = page.as_str().lines().last().unwrap();
        assert_eq!(line, "qscope_jobs{queue=\"a\\\"} 9␊qscope_up{x=\\\"\\\\\"} 1");
    }
}
