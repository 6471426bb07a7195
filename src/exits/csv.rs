//! Rows for a spreadsheet (RFC 4180): no cell is a formula, and none ends a row.

use super::visible;

/// A table being built.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Csv(String);

impl Csv {
    /// Creates a table without rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a row of cells, see [`csv_cell`].
    pub fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        for (at, cell) in cells.into_iter().enumerate() {
            if at > 0 {
                self.0.push(',');
            }
            self.0.push_str(&csv_cell(cell.as_ref()));
        }
        self.0.push_str("\r\n");
    }

    /// Returns the table.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns one cell: visible, on one line, in quotes if it needs them. Text that a spreadsheet would compute, because it
/// begins with `=`, `+`, `-` or `@` and is not a number, gets an apostrophe before it.
pub fn csv_cell(text: &str) -> String {
    let shown = visible(text);
    let computes =
        shown.trim_start().starts_with(['=', '+', '-', '@']) && shown.trim().parse::<f64>().is_err();
    // A dash alone stands for no value.
    let mark = if computes && &*shown != "-" { "'" } else { "" };
    if shown.contains([',', '"']) {
        format!("\"{mark}{}\"", shown.replace('"', "\"\""))
    } else {
        format!("{mark}{shown}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        let mut csv = Csv::new();
        csv.row(["=cmd|' /C calc'!A0", "-2", "-", "+1+1", "@SUM(A1),\"x\"", "a\nb", "-x"]);
        assert_eq!(csv.as_str(), "'=cmd|' /C calc'!A0,-2,-,'+1+1,\"'@SUM(A1),\"\"x\"\"\",a␊b,'-x\r\n");
    }
}
