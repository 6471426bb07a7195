//! One snapshot in a segment: a header with time, lengths and checksums, then the compressed bytes.

use std::io::{BufReader, Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use qscope_engine::cluster::Epoch;

use crate::files::{MOST, SnapshotFiles, most_from};

/// First bytes of every header.
pub(crate) const MAGIC: [u8; 4] = *b"QREC";

/// Size of a header in bytes.
pub(crate) const HEAD: usize = 40;

/// Version of the format.
const VERSION: u8 = 1;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FrameHeader {
    /// Whether it does not depend on another frame.
    pub(crate) is_whole: bool,
    /// Number of the snapshot in the whole recording, from 1.
    pub(crate) number: u64,
    /// Time of the snapshot.
    pub(crate) at: Epoch,
    /// Number of bytes before compression.
    pub(crate) raw: u32,
    /// Number of bytes that follow the header.
    pub(crate) packed: u32,
    /// Checksum of these bytes.
    pub(crate) sum: u32,
}

impl FrameHeader {
    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&[VERSION, u8::from(self.is_whole), 0, 0]);
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes.extend_from_slice(&self.at.0.to_le_bytes());
        for field in [self.raw, self.packed, self.sum] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        let sum = sum(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Parses a header; `None` if there is none or its checksum is wrong.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (head, check) = bytes.get(..HEAD)?.split_at_checked(HEAD - 4)?;
        let word = |at: usize| head.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        let long = |at: usize| head.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        let is_ours = head.starts_with(&MAGIC) && *head.get(4)? == VERSION;
        (is_ours && sum(head).to_le_bytes() == *check).then_some(())?;
        Some(Self {
            is_whole: *head.get(5)? == 1,
            number: long(8)?,
            at: Epoch(long(16)?.cast_signed()),
            raw: word(24)?,
            packed: word(28)?,
            sum: word(32)?,
        })
    }
}

/// Returns the CRC-32 of the bytes.
fn sum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Encodes a frame, ready to be appended; `None` if the snapshot is too large.
pub(crate) fn packed(
    number: u64,
    at: Epoch,
    shot: &SnapshotFiles,
    before: Option<&SnapshotFiles>,
) -> Option<Vec<u8>> {
    let raw = shot.encode_change(before.unwrap_or(&SnapshotFiles::default()));
    (shot.size() <= MOST).then_some(())?;
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let packed = encoder.write_all(&raw).and_then(|()| encoder.finish()).ok()?;
    let head = FrameHeader {
        is_whole: before.is_none(),
        number,
        at,
        raw: u32::try_from(raw.len()).ok()?,
        packed: u32::try_from(packed.len()).ok()?,
        sum: sum(&packed),
    };
    let mut bytes = head.to_bytes();
    bytes.extend_from_slice(&packed);
    Some(bytes)
}

/// Decodes the snapshot of a frame, or returns what is wrong with its bytes.
pub(crate) fn unpacked(
    head: &FrameHeader,
    packed: &[u8],
    before: &SnapshotFiles,
) -> Result<SnapshotFiles, &'static str> {
    if packed.len() != head.packed as usize {
        return Err("the file ends within it");
    }
    if sum(packed) != head.sum {
        return Err("its checksum is another");
    }
    if head.raw as usize > most_from(packed.len()) {
        return Err("it unpacks to more than 1,000 times its size");
    }
    // One byte more than there should be, so that a longer one is detected.
    let mut raw = BufReader::new(DeflateDecoder::new(packed).take(u64::from(head.raw) + 1));
    let shot = SnapshotFiles::apply_change(before, &mut raw)?;
    if raw.into_inner().limit() == 1 { Ok(shot) } else { Err("it has another length than its header states") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::SnapshotFile;

    #[test]
    fn no_byte_of_a_frame_can_change_unseen() {
        let kept = SnapshotFile { bytes: b"state = free".to_vec(), modified: None };
        let shot = SnapshotFiles([("nodes.txt".to_owned(), kept)].into());
        let frame = packed(7, Epoch(-5), &shot, None).unwrap();
        let head = FrameHeader::read(&frame).unwrap();
        assert_eq!((head.number, head.at, head.is_whole), (7, Epoch(-5), true));
        assert_eq!(unpacked(&head, &frame[HEAD..], &SnapshotFiles::default()), Ok(shot.clone()));
        for at in 0..frame.len() {
            let mut broken = frame.clone();
            broken[at] ^= 0x41;
            let found = FrameHeader::read(&broken)
                .map(|head| unpacked(&head, &broken[HEAD..], &SnapshotFiles::default()));
            assert!(!matches!(found, Some(Ok(_))), "byte {at}");
        }
    }
}
