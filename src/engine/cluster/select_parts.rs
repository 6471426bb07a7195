//! Selects taken apart, changed, and written anew (rules 2.1, 2.2).

use super::{ChunkSpec, Name, Select, SelectError};

/// One part of a select as it is going to be written: how many chunks, and what each requests of which resource.
pub type SelectPart = (u32, Vec<(Name, Name)>);

impl Select {
    pub fn parts(&self) -> Vec<SelectPart> {
        let pairs = |chunk: &ChunkSpec| {
            chunk.requests.iter().map(|request| (request.resource.clone(), request.value.clone())).collect()
        };
        self.chunks.iter().map(|chunk| (chunk.count, pairs(chunk))).collect()
    }

    /// The select of these parts: every count written out, values in quotes where they need them.
    ///
    /// # Errors
    /// There is no part, or something is called like no resource.
    pub fn of_parts(parts: &[SelectPart]) -> Result<Self, SelectError> {
        Self::parse(&parts.iter().map(written).collect::<Vec<_>>().join("+"))
    }
}

/// Adds the chunk resources that were not named, those that come first before the rest (rule 2.2); `nchunk` is none.
pub fn add_chunk_defaults<'d>(
    requests: &mut Vec<(Name, Name)>,
    defaults: impl IntoIterator<Item = &'d (Name, Name)>,
) {
    for default in defaults {
        let is_named = requests.iter().any(|(have, _)| have.eq_ignore_ascii_case(&default.0));
        if &*default.0 != "nchunk" && !is_named {
            requests.push(default.clone());
        }
    }
}

fn written((count, requests): &SelectPart) -> String {
    let requests = requests.iter().map(|(name, value)| format!(":{name}={}", quoted(value)));
    format!("{count}{}", requests.collect::<String>())
}

fn quoted(value: &str) -> String {
    match (value.contains(['+', ':', '=', '(', ')', '\'', '"']), value.contains('"')) {
        (false, _) => value.to_owned(),
        (true, false) => format!("\"{value}\""),
        (true, true) => format!("'{value}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_apart_is_written_as_it_was() {
        for text in ["2:ncpus=4:mem=1gb+1:host=n1", "1:color=\"a:b\"", "1:color='two \"a\"'", "3"] {
            assert_eq!(&*Select::of_parts(&Select::parse(text).unwrap().parts()).unwrap().text, text);
        }
        assert!(Select::of_parts(&[]).is_err());
    }
}
