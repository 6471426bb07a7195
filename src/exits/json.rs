//! JSON with every character that acts escaped: a program reads the same text, a terminal shows it.

use std::fmt::Display;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use super::acts;
use super::visible::{Marks, is_plain};

/// A value on one line, without a line's end.
///
/// # Errors
/// A value that has no form in JSON.
pub fn compact(value: &impl Serialize) -> serde_json::Result<String> {
    write(value, CompactFormatter)
}

/// A value over several lines, without a last line's end.
pub fn pretty(value: &impl Serialize) -> serde_json::Result<String> {
    write(value, PrettyFormatter::new())
}

/// Writes a value over several lines as it is made, without a last line's end.
///
/// # Errors
/// A value that has no form in JSON, or what `to` cannot take.
pub fn pretty_to(value: &impl Serialize, to: &mut impl Write) -> serde_json::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(to, Escaping(PrettyFormatter::new())))
}

/// A value as a page over several lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Json(String);

impl Json {
    /// The page of a value.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        pretty(value).map(Self)
    }

    /// The page.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A list that is made while it is written, so that it never stands in memory as a whole.
pub struct Listed<'a, T>(Box<dyn Fn() -> Items<'a, T> + 'a>);

/// The items of a [`Listed`], made one by one.
type Items<'a, T> = Box<dyn Iterator<Item = T> + 'a>;

impl<'a, T> Listed<'a, T> {
    /// The list of what `items` makes, each time that it is written.
    pub fn of<I: IntoIterator<Item = T, IntoIter: 'a>>(items: impl Fn() -> I + 'a) -> Self {
        Self(Box::new(move || Box::new(items().into_iter())))
    }
}

impl<T: Serialize> Serialize for Listed<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((self.0)())
    }
}

/// An object whose keys are data, in the order given.
#[derive(Clone, PartialEq, Debug)]
pub struct Keyed<K, V>(pub Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Keyed<K, V> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        by_name(&self.0, to)
    }
}

/// Pairs as an object whose keys are data, in the order given.
///
/// # Errors
/// Those of the serializer.
pub fn by_name<S: Serializer>(pairs: &[(impl Serialize, impl Serialize)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// A list of values as people read them.
///
/// # Errors
/// Those of the serializer.
pub fn texts<S: Serializer>(items: &[impl Display], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(items.iter().map(ToString::to_string))
}

/// A value as people read it, or null.
///
/// # Errors
/// Those of the serializer.
pub fn text_or_null<S: Serializer>(value: &Option<impl Display>, to: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(ToString::to_string).serialize(to)
}

/// The whole text at once.
fn write(value: &impl Serialize, layout: impl Formatter) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Escaping(layout)))?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

/// Lays out as another does, and writes strings so that nothing in them acts.
struct Escaping<F>(F);

impl<F: Formatter> Formatter for Escaping<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if is_plain(fragment) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        let mut marks = Marks::default();
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| marks.is_too_many(*c) || acts(*c)) {
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
