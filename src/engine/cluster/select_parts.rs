//! Selects as lists of terms that can be changed and written again (rules 2.1, 2.2).

use super::{ChunkSpec, Name, Select, SelectError};

/// One term of a select to be written: number of chunks, and names and values of the resources of each.
pub type SelectPart = (u32, Vec<(Name, Name)>);

impl Select {
    pub fn parts(&self) -> Vec<SelectPart> {
        let pairs = |chunk: &ChunkSpec| {
            chunk.requests.iter().map(|request| (request.resource.clone(), request.value.clone())).collect()
        };
        self.chunks.iter().map(|chunk| (chunk.count, pairs(chunk))).collect()
    }

    /// Returns the select of these terms, with every count written and values quoted if necessary.
    ///
    /// # Errors
    /// There is no term, or a name is not a valid resource name.
    pub fn of_parts(parts: &[SelectPart]) -> Result<Self, SelectError> {
        Self::parse(&parts.iter().map(written).collect::<Vec<_>>().join("+"))
    }
}

/// Appends the default chunk resources that are not named; the first default of a name wins (rule 2.2). `nchunk` is
/// not a chunk resource and is skipped.
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
