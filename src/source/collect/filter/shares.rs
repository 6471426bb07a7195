//! The table of `pbsfs`: its lines and its title, and nothing else.

use super::Filtered;
use crate::shares::is_printed_line;

pub(super) fn filter(bytes: &[u8]) -> Filtered {
    let mut filtered = Filtered::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let is_entity = is_printed_line(&text);
        if is_entity || text.starts_with("Fairshare usage units are in:") {
            filtered.bytes.extend_from_slice(line);
            filtered.records += usize::from(is_entity);
        } else if !text.trim().is_empty() {
            filtered.odd += 1;
        }
    }
    filtered
}
