//! An HTML page or an SVG picture: markup comes from the program, values are text.

use std::fmt::{Display, Write};

use super::visible;

/// A page being built. Markup is fixed at compile time; everything else passes [`Html::put`] or [`Html::text`].
///
/// ```
/// let mut page = qscope_exits::Html::new();
/// page.put("<td title=\"{}\">{}</td>", &[&"a\"b", &"<script>"]);
/// assert_eq!(page.as_str(), "<td title=\"a&quot;b\">&lt;script&gt;</td>");
/// ```
///
/// Text made at run time is not accepted as markup:
///
/// ```compile_fail
/// let comment = String::from("<script>");
/// qscope_exits::Html::new().put(&comment, &[]);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Html(String);

impl Html {
    /// Creates an empty page.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds fixed markup.
    pub fn raw(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    /// Adds fixed markup in which a value as text replaces each `{}`.
    pub fn put(&mut self, markup: &'static str, values: &[&dyn Display]) {
        let mut values = values.iter();
        for (at, part) in markup.split("{}").enumerate() {
            if at > 0
                && let Some(value) = values.next()
            {
                self.text(value);
            }
            self.0.push_str(part);
        }
    }

    /// Adds a value as text: it contains neither markup nor characters that act.
    pub fn text(&mut self, value: impl Display) {
        let mut raw = String::new();
        // Writing to a String cannot fail.
        let _ = write!(raw, "{value}");
        for c in visible(&raw).chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                _ => self.0.push(c),
            }
        }
    }

    /// Returns the page.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_text() {
        let mut page = Html::new();
        page.put("<p>{}</p>{}", &[&"<script>alert('1')</script> & \"x\"\u{1b}\n", &3.5]);
        let text = "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;x&quot;␛␊";
        assert_eq!(page.as_str(), format!("<p>{text}</p>3.5"));
        // `{}` in a value is not replaced.
        let mut page = Html::new();
        page.put("{}{}", &[&"{}", &"x"]);
        assert_eq!(page.as_str(), "{}x");
    }
}
