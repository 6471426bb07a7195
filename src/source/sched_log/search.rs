//! Finds the last complete cycle, from the end of a log or from an earlier position.

use std::io::{self, Read, Seek, SeekFrom};

use memchr::memmem::rfind;
use memchr::memrchr;

const BLOCK: u64 = 1 << 20;
const FIRST_LINE: &[u8] = b";Starting Scheduling Cycle";
const LAST_LINE: &[u8] = b";Leaving Scheduling Cycle";
/// Overlap of blocks in bytes on both sides, so that every line on an edge is complete in one of them.
const OVERLAP: u64 = 256;

/// Returns the byte range of the last cycle that is complete before a position in the log; at most `farthest` bytes
/// from the end are searched.
pub(super) fn last_cycle(
    log: &mut (impl Read + Seek),
    before: u64,
    farthest: u64,
) -> io::Result<Option<(u64, u64)>> {
    let length = log.seek(SeekFrom::End(0))?;
    let limit = length.saturating_sub(farthest);
    let length = length.min(before);
    let mut block = Vec::new();
    let mut end = None;
    let mut to = length;
    while to > limit {
        let next = to.saturating_sub(BLOCK).max(limit);
        let from = next.saturating_sub(OVERLAP);
        let until = (to + OVERLAP).min(length);
        log.seek(SeekFrom::Start(from))?;
        block.clear();
        log.by_ref().take(until - from).read_to_end(&mut block)?;
        if end.is_none() {
            end = rfind(&block, LAST_LINE).map(|at| from + (at + LAST_LINE.len()) as u64);
        }
        if let Some(end) = end {
            let upto = usize::try_from(end.saturating_sub(from)).unwrap_or(usize::MAX).min(block.len());
            let seen = block.get(..upto).unwrap_or(&block);
            if let Some(at) = rfind(seen, FIRST_LINE) {
                let line = seen.get(..at).and_then(|before| memrchr(b'\n', before)).map_or(0, |at| at + 1);
                return Ok(Some((from + line as u64, end)));
            }
        }
        to = next;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_line_on_the_edge_of_a_block_is_found() {
        for shift in [0, 1, 10, 20, 30] {
            let mut log = b"d;Starting Scheduling Cycle\n".to_vec();
            let tail = BLOCK as usize - shift;
            log.extend(std::iter::repeat_n(b'.', 100));
            log.push(b'\n');
            let start = log.len() as u64;
            log.extend_from_slice(b"d;Starting Scheduling Cycle\n");
            log.extend(std::iter::repeat_n(b'.', 2 * BLOCK as usize));
            log.extend_from_slice(b";Leaving Scheduling Cycle");
            let end = log.len() as u64;
            log.extend(std::iter::repeat_n(b'.', tail - LAST_LINE.len() / 2));
            assert_eq!(
                last_cycle(&mut Cursor::new(&log), u64::MAX, 1 << 30).unwrap(),
                Some((start, end)),
                "{shift}"
            );
            assert_eq!(last_cycle(&mut Cursor::new(&log), u64::MAX, 1 << 20).unwrap(), None);
        }
    }
}
