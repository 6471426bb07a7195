//! Finds remembered records before a reading begins: only the positions of runs are noted.

use super::Thing;
use super::hash::hash;
use super::remembered::Remembered;
use super::run::RUN;
use crate::record::Body;

impl<T: Thing> Remembered<T> {
    /// Returns the index of the record of this name, the length of its body, and the decoded object, if `rest` begins
    /// with it. Nothing is noted.
    pub(crate) fn peek(&self, next: usize, name: &str, rest: Body<'_>) -> Option<(usize, usize, &T)> {
        let at = self.place_from(next, name)?;
        let entry = self.entries.get(at).filter(|entry| entry.resources.is_some())?;
        let body = Body { bytes: rest.bytes.get(..entry.length)?, ..rest };
        (body.hash() == entry.hash).then_some((at, entry.length, &entry.thing))
    }

    /// Returns the length in bytes and the objects of the run from an entry on, if `rest` begins with its bytes; the
    /// following reading does not compare them again.
    pub(crate) fn peek_run<'m>(
        &'m self,
        from: usize,
        rest: Body<'_>,
    ) -> Option<(usize, impl Iterator<Item = &'m T> + use<'m, T>)> {
        let nth = from.checked_div(RUN).filter(|nth| nth * RUN == from)?;
        let block = self.blocks.get(nth)?.as_ref()?;
        let bytes = rest.bytes.get(..block.length)?;
        let entries = self.entries.get(from..from + block.records)?;
        if hash(bytes, rest.first_key) != block.hash {
            return None;
        }
        self.ahead.note(nth, rest.at);
        Some((block.length, entries.iter().map(|entry| &entry.thing)))
    }
}
