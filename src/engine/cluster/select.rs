//! The select language: chunks of resources, each with its position in the text (rule 2.1).

use std::ops::Range;
use std::sync::Arc;

use super::{Amount, Catalogue, Name, ResourceList, Value};

/// `resource=value` within a chunk; the value gets a type when it is read with a catalogue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceRequest {
    /// Name of the resource as written.
    pub resource: Name,
    /// Value as written, without quotes.
    pub value: Name,
    /// Byte range in the text of the select.
    pub span: Range<usize>,
}

/// One term of a select, separated by `+`: a number of equal chunks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChunkSpec {
    /// Number of chunks.
    pub count: u32,
    /// Whether the count was given explicitly.
    pub counted: bool,
    /// Requests of one chunk, in order.
    pub requests: Vec<ResourceRequest>,
    /// Byte range in the text of the select.
    pub span: Range<usize>,
}

/// A parsed select.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Select {
    /// Text from which it was parsed.
    pub text: Name,
    /// Terms in order; clones share them.
    pub chunks: Arc<[ChunkSpec]>,
}

/// Why a text is not a select.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("select `{text}`, byte {at}: {what}")]
pub struct SelectError {
    /// The whole text.
    pub text: String,
    /// Byte offset in the text.
    pub at: usize,
    pub what: &'static str,
}

impl Select {
    /// Parses a select.
    ///
    /// # Errors
    /// An empty term, a resource without a value, an invalid count, an open quote, or more than 4,294,967,295 chunks
    /// in total.
    pub fn parse(text: &str) -> Result<Self, SelectError> {
        let mut reader = SelectReader { text, at: 0 };
        let mut chunks = vec![reader.chunk()?];
        while reader.eat(b'+') {
            chunks.push(reader.chunk()?);
        }
        if reader.at < text.len() {
            return Err(reader.error("expected `:` or `+`"));
        }
        let select = Self { text: text.into(), chunks: chunks.into() };
        if select.total_chunks() > u32::MAX.into() {
            return Err(reader.error("all counts together are too large"));
        }
        Ok(select)
    }

    /// Returns the number of chunks in all terms.
    pub fn total_chunks(&self) -> u64 {
        self.chunks.iter().map(|chunk| u64::from(chunk.count)).sum()
    }
}

impl Select {
    /// Returns the totals over all chunks of the resources that the server sums (rule 2.2); invalid values count as
    /// nothing.
    pub fn sums(&self, catalogue: &Catalogue) -> ResourceList {
        let mut sums = ResourceList::default();
        for chunk in self.chunks.iter() {
            for request in &chunk.requests {
                let Some(id) = catalogue.id(&request.resource) else { continue };
                let def = catalogue.def(id);
                if !def.flags.summed || !def.kind.is_consumable() {
                    continue;
                }
                if let Ok(amount) = Amount::parse(def.kind, &request.value) {
                    let have = sums.amount(id).unwrap_or_default().0;
                    sums.set(id, Value::Amount(Amount(have + amount.0 * f64::from(chunk.count))));
                }
            }
        }
        sums
    }
}

/// Parses a select from left to right.
struct SelectReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> SelectReader<'a> {
    fn error(&self, what: &'static str) -> SelectError {
        SelectError { text: self.text.to_owned(), at: self.at, what }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'a str {
        let from = self.at;
        while self.peek().is_some_and(&keep) {
            self.at += 1;
        }
        self.text.get(from..self.at).unwrap_or_default()
    }

    fn chunk(&mut self) -> Result<ChunkSpec, SelectError> {
        let from = self.at;
        let digits = self.take_while(|b| b.is_ascii_digit());
        let counted = !digits.is_empty();
        let count =
            if counted { digits.parse().map_err(|_| self.error("the count is too large"))? } else { 1 };
        let mut requests = Vec::new();
        if !counted {
            requests.push(self.request()?);
        }
        while self.eat(b':') {
            requests.push(self.request()?);
        }
        Ok(ChunkSpec { count, counted, requests, span: from..self.at })
    }

    fn request(&mut self) -> Result<ResourceRequest, SelectError> {
        let from = self.at;
        let resource = self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-' || b >= 0x80);
        if resource.is_empty() {
            return Err(self.error("expected a resource name"));
        }
        if !self.eat(b'=') {
            return Err(self.error("expected `=` and a value"));
        }
        let value = match self.peek() {
            Some(quote @ (b'"' | b'\'')) => self.quoted(quote)?,
            _ => self.take_while(|b| b != b':' && b != b'+'),
        };
        Ok(ResourceRequest { resource: resource.into(), value: value.into(), span: from..self.at })
    }

    fn quoted(&mut self, quote: u8) -> Result<&'a str, SelectError> {
        self.at += 1;
        let value = self.take_while(|b| b != quote);
        if self.eat(quote) { Ok(value) } else { Err(self.error("the quote is never closed")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_counts_and_quotes() {
        let s = Select::parse("2:ncpus=12:mem=1gb+host='a+b:c'+3").unwrap();
        assert_eq!(s.chunks.len(), 3);
        assert_eq!((s.chunks[0].count, s.chunks[0].requests.len()), (2, 2));
        assert_eq!(s.chunks[1].requests[0].value.as_ref(), "a+b:c");
        assert!(!s.chunks[1].counted);
        assert_eq!(s.total_chunks(), 6);
        assert_eq!(&s.text[s.chunks[0].requests[1].span.clone()], "mem=1gb");
    }

    #[test]
    fn errors_state_the_place() {
        assert_eq!(Select::parse("2:ncpus").unwrap_err().at, 7);
        assert!(Select::parse("").is_err());
        assert!(Select::parse("4294967295:ncpus=0").is_ok());
        assert!(Select::parse("4294967295:ncpus=0+1:ncpus=0").is_err());
        assert!(Select::parse("1:a='x").is_err());
        assert!(Select::parse("1:ncpus=1++1").is_err());
    }
}
