//! Filters a dump in lines: heads of records, and the attributes that are kept with their folded lines.

use super::{FilteredDump, KeptAttributes};
use crate::record::DumpKind;
use crate::text::line::{TextLine, TextLines, is_word};

/// What the following lines belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineContext {
    /// An attribute that is kept, with its folds.
    Kept,
    /// An attribute that is left out with its folds, or no attribute.
    LeftOut,
    /// Text that was not understood: what looks like an attribute after it may be part of it.
    Unparsed,
}

pub(super) fn filter(kind: DumpKind, bytes: &[u8], keep: KeptAttributes<'_>) -> FilteredDump {
    let mut filtered = FilteredDump::default();
    let mut within = LineContext::Unparsed;
    let mut lines = TextLines::new(kind, bytes);
    loop {
        let start = lines.at;
        let Some((_, line)) = lines.next() else { return filtered };
        let whole = bytes.get(start..lines.at).unwrap_or_default();
        let kept = match line {
            TextLine::Blank => {
                // Between records, or at the end of a fold: only a line end in both cases.
                within = if within == LineContext::Unparsed { within } else { LineContext::LeftOut };
                true
            }
            TextLine::Header(_) => {
                within = LineContext::LeftOut;
                filtered.records += 1;
                true
            }
            TextLine::Attribute { .. } if within == LineContext::Unparsed => {
                filtered.unparsed_pieces += usize::from(filtered.records == 0);
                false
            }
            TextLine::Attribute { name: (from, end), .. } => {
                let kept = keep.attribute(bytes.get(from..end).unwrap_or_default());
                within = if kept { LineContext::Kept } else { LineContext::LeftOut };
                kept
            }
            TextLine::Fold(_) if within == LineContext::Kept && is_fold(whole) => true,
            TextLine::Fold(_) if within == LineContext::LeftOut => false,
            // Notes before the first record.
            TextLine::Other(line) if filtered.records == 0 && line.starts_with(b"#") => false,
            TextLine::Fold(_) | TextLine::Damaged(_) | TextLine::Other(_) => {
                filtered.unparsed_pieces +=
                    usize::from(within != LineContext::Unparsed || filtered.records == 0);
                within = LineContext::Unparsed;
                false
            }
        };
        if kept && whole.trim_ascii().is_empty() {
            filtered.bytes.push(b'\n');
        } else if kept {
            filtered.bytes.extend_from_slice(whole);
        }
    }
}

/// Whether a line certainly continues a value, and is not an attribute with unusual spacing or indentation, such as
/// `Variable_List =` in any spacing.
fn is_fold(line: &[u8]) -> bool {
    let body = line.trim_ascii_start();
    let name = body.iter().take_while(|byte| is_word(**byte) || **byte == b'.').count();
    let rest = body.get(name..).unwrap_or_default().trim_ascii_start();
    let is_attribute = name > 0 && matches!(rest.first(), Some(b'=' | b':'));
    !is_attribute && (line.starts_with(b"\t") || !body.contains(&b'='))
}
