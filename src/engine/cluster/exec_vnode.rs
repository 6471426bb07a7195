//! Placements of jobs: `(n1:ncpus=4+n2:ncpus=4)+(n3:ncpus=8)`.

use std::sync::Arc;

use super::Name;

/// The part of a chunk on one vnode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExecVnodePart {
    pub vnode: Name,
    /// Resources that the vnode gives, as written.
    pub resources: Vec<(Name, Name)>,
}

/// One group in parentheses: one chunk, on one or several vnodes.
pub type ExecChunk = Vec<ExecVnodePart>;

/// A whole placement, chunk by chunk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExecVnode {
    /// The chunks in order; clones share them.
    pub chunks: Arc<[ExecChunk]>,
}

/// Why a text is not a placement.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("exec_vnode `{text}`: {what}")]
pub struct ExecVnodeError {
    /// The whole text.
    pub text: String,
    pub what: String,
}

impl ExecVnode {
    /// Parses a placement.
    ///
    /// # Errors
    /// Unbalanced parentheses, a part without a vnode, or a resource without a value.
    pub fn parse(text: &str) -> Result<Self, ExecVnodeError> {
        let fail = |what: &str| ExecVnodeError { text: text.to_owned(), what: what.to_owned() };
        let mut chunks: Vec<ExecChunk> = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            rest = rest.strip_prefix('+').unwrap_or(rest);
            let (group, after) = match rest.strip_prefix('(') {
                Some(open) => open.split_once(')').ok_or_else(|| fail("a parenthesis is never closed"))?,
                None => rest.find('+').and_then(|at| rest.split_at_checked(at)).unwrap_or((rest, "")),
            };
            let parts: Result<ExecChunk, _> =
                group.split('+').map(|part| read_part(part).map_err(|e| fail(&e))).collect();
            chunks.push(parts?);
            rest = after;
        }
        if chunks.is_empty() { Err(fail("it is empty")) } else { Ok(Self { chunks: chunks.into() }) }
    }

    /// Returns all parts in order.
    pub fn parts(&self) -> impl Iterator<Item = &ExecVnodePart> {
        self.chunks.iter().flatten()
    }

    /// Returns the names of its vnodes, sorted, each once.
    pub fn vnodes(&self) -> Vec<&Name> {
        let mut names: Vec<&Name> = self.parts().map(|part| &part.vnode).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Parses `vnode:res=value:res=value`.
fn read_part(text: &str) -> Result<ExecVnodePart, String> {
    let mut words = text.split(':');
    let vnode = words.next().unwrap_or_default();
    if vnode.is_empty() {
        return Err("a vnode's name is missing".to_owned());
    }
    let mut resources = Vec::new();
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("`{word}` has no value"))?;
        resources.push((name.into(), value.into()));
    }
    Ok(ExecVnodePart { vnode: vnode.into(), resources })
}

impl std::fmt::Display for ExecVnode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, chunk) in self.chunks.iter().enumerate() {
            f.write_str(if at == 0 { "(" } else { "+(" })?;
            for (nth, part) in chunk.iter().enumerate() {
                if nth > 0 {
                    f.write_str("+")?;
                }
                f.write_str(&part.vnode)?;
                for (resource, value) in &part.resources {
                    write!(f, ":{resource}={value}")?;
                }
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_survive_a_round_trip() {
        let text = "(A[0]:ngpus=2:mem=5242880kb+A[1]:ncpus=2)+(b:ncpus=4)";
        let e = ExecVnode::parse(text).unwrap();
        assert_eq!(e.chunks.len(), 2);
        assert_eq!(e.to_string(), text);
        assert_eq!(e.parts().count(), 3);
    }

    #[test]
    fn broken_placements_are_refused() {
        assert!(ExecVnode::parse("").is_err());
        assert!(ExecVnode::parse("(a:ncpus=1").is_err());
        assert!(ExecVnode::parse("(a:ncpus)").is_err());
    }
}
