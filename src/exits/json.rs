//! JSON with every character that acts escaped: a program reads the same text, and a terminal shows it.

use std::fmt::Display;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use super::is_control_or_format;
use super::visible::{MarkCounter, is_plain};

/// Serializes a value on one line, without a line break at the end.
///
/// # Errors
/// A value that JSON cannot represent.
pub fn compact(value: &impl Serialize) -> serde_json::Result<String> {
    write(value, CompactFormatter)
}

/// Serializes a value over several lines, without a line break at the end.
pub fn pretty(value: &impl Serialize) -> serde_json::Result<String> {
    write(value, PrettyFormatter::new())
}

/// Like [`pretty`], but writes the text while it is made.
///
/// # Errors
/// A value that JSON cannot represent, or a failed write to `to`.
pub fn pretty_to(value: &impl Serialize, to: &mut impl Write) -> serde_json::Result<()> {
    value
        .serialize(&mut serde_json::Serializer::with_formatter(to, EscapingFormatter(PrettyFormatter::new())))
}

/// A value as a JSON document over several lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Json(String);

impl Json {
    /// Serializes a value.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        pretty(value).map(Self)
    }

    /// Returns the document.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A list that is made while it is written, so that it is never in memory as a whole.
pub struct StreamedList<'a, T>(Box<dyn Fn() -> Items<'a, T> + 'a>);

/// The items of a [`StreamedList`], made one by one.
type Items<'a, T> = Box<dyn Iterator<Item = T> + 'a>;

impl<'a, T> StreamedList<'a, T> {
    /// Creates the list of what `items` returns, which is called each time the list is written.
    pub fn of<I: IntoIterator<Item = T, IntoIter: 'a>>(items: impl Fn() -> I + 'a) -> Self {
        Self(Box::new(move || Box::new(items().into_iter())))
    }
}

impl<T: Serialize> Serialize for StreamedList<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((self.0)())
    }
}

/// Pairs serialized as an object whose keys are data, in the order given.
#[derive(Clone, PartialEq, Debug)]
pub struct OrderedObject<K, V>(pub Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for OrderedObject<K, V> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        by_name(&self.0, to)
    }
}

/// Serializes pairs as an object whose keys are data, in the order given.
///
/// # Errors
/// Errors of the serializer.
pub fn by_name<S: Serializer>(pairs: &[(impl Serialize, impl Serialize)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// Serializes a list of values by their `Display` text.
///
/// # Errors
/// Errors of the serializer.
pub fn texts<S: Serializer>(items: &[impl Display], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(items.iter().map(ToString::to_string))
}

/// Serializes a value by its `Display` text, or null.
///
/// # Errors
/// Errors of the serializer.
pub fn text_or_null<S: Serializer>(value: &Option<impl Display>, to: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(ToString::to_string).serialize(to)
}

fn write(value: &impl Serialize, layout: impl Formatter) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, EscapingFormatter(layout)))?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

/// Lays out like another formatter, and escapes the characters in strings that act.
struct EscapingFormatter<F>(F);

impl<F: Formatter> Formatter for EscapingFormatter<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if is_plain(fragment) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        let mut marks = MarkCounter::default();
        while let Some((at, c)) =
            rest.char_indices().find(|(_, c)| marks.is_too_many(*c) || is_control_or_format(*c))
        {
            let (plain, from) = rest.split_at(at);
            writer.write_all(plain.as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = from.get(c.len_utf8()..).unwrap_or_default();
        }
        writer.write_all(rest.as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_key(writer)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_acts_is_escaped_and_reads_back_the_same() {
        let value = json!({"a\u{7f}": ["\u{9b}31m\u{202e}\u{200b}x\u{e0041}", "\u{1b}\n", "ü 語"], "b": {}});
        let text = compact(&value).unwrap();
        assert_eq!(text, r#"{"a\u007f":["\u009b31m\u202e\u200bx\udb40\udc41","\u001b\n","ü 語"],"b":{}}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        let flood = json!(format!("a{}b", "\u{301}".repeat(5)));
        assert_eq!(compact(&flood).unwrap(), "\"a\u{301}\u{301}\u{301}\\u0301\\u0301b\"");
    }

    #[test]
    fn the_layout_is_the_usual_one() {
        let value = json!({"a": [1, 2.5, []], "b": {"c": null}, "d": {}});
        assert_eq!(pretty(&value).unwrap(), serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(compact(&value).unwrap(), serde_json::to_string(&value).unwrap());
    }
}
