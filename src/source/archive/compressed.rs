//! gzip: several consecutive members are one stream.

use std::io::{ErrorKind, Read, Seek, SeekFrom};

use flate2::read::MultiGzDecoder;

use super::limits::{ArchiveLimits, CountedReader, ExceededLimit, LimitedReader};

/// Returns the unpacked stream of a compressed one.
pub(super) fn stream<R: Read>(
    file: R,
    limits: ArchiveLimits,
) -> LimitedReader<MultiGzDecoder<CountedReader<R>>> {
    let (counted, packed) = CountedReader::new(file);
    LimitedReader::unpacking(MultiGzDecoder::new(counted), limits, packed)
}

/// Number of unpacked bytes up to which a file is kept while it is not known whether all of it is within the limit.
const KEPT: u64 = 64 << 20;

/// Unpacks a compressed file completely, and returns whether it was cut short. A large one is first unpacked without
/// keeping it: one beyond the limit is refused without taking the memory, and one within it takes no more than it has.
///
/// # Errors
/// If a limit is exceeded.
pub(crate) fn unpack(
    file: &mut (impl Read + Seek),
    limits: ArchiveLimits,
) -> Result<(Vec<u8>, bool), String> {
    unpack_with_buffer(file, limits, KEPT.min(limits.member))
}

/// The same, with `at_once` bytes kept while the length is not known.
fn unpack_with_buffer(
    file: &mut (impl Read + Seek),
    limits: ArchiveLimits,
    at_once: u64,
) -> Result<(Vec<u8>, bool), String> {
    let start = file.stream_position().map_err(|why| why.to_string())?;
    let mut unpacked = stream(&mut *file, limits);
    let mut bytes = Vec::new();
    let is_cut = append_up_to(&mut unpacked, at_once, &mut bytes)?;
    let first = bytes.len() as u64;
    if is_cut || first < at_once {
        return Ok((bytes, is_cut));
    }
    let most = limits.member;
    let rest = counted(&mut unpacked, most - first)?;
    if rest > most - first {
        return Err(format!("refused: more than {most} bytes unpacked; the limit is `archive-member-size`"));
    }
    drop(unpacked);
    file.seek(SeekFrom::Start(start)).map_err(|why| why.to_string())?;
    let all = first + rest;
    let mut bytes = Vec::with_capacity(usize::try_from(all).unwrap_or(0));
    let mut unpacked = stream(&mut *file, limits);
    let is_cut = append_up_to(&mut unpacked, all, &mut bytes)?;
    Ok((bytes, is_cut || !matches!(unpacked.read(&mut [0]), Ok(0))))
}

/// Appends up to `most` bytes; returns whether the stream is damaged before that or before its end.
fn append_up_to(from: &mut impl Read, most: u64, bytes: &mut Vec<u8>) -> Result<bool, String> {
    match from.take(most).read_to_end(bytes) {
        Ok(_) => Ok(false),
        Err(error) => ExceededLimit::of(&error).map_or(Ok(true), |refused| Err(refused.to_string())),
    }
}

/// Counts the bytes that follow, at most one more than `most`; damage counts as the end.
fn counted(from: &mut impl Read, most: u64) -> Result<u64, String> {
    let (mut piece, mut count) = ([0; 1 << 16], 0);
    while count <= most {
        match from.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => count += read as u64,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                return ExceededLimit::of(&error).map_or(Ok(count), |refused| Err(refused.to_string()));
            }
        }
    }
    Ok(count)
}

/// Returns the first bytes of the unpacked file, as many as a tar header has.
pub(crate) fn first_bytes(file: impl Read, limits: ArchiveLimits) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A file that cannot be unpacked has no first bytes; reading it reports why.
    let _length = stream(file, limits).take(512).read_to_end(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;

    #[test]
    fn a_large_file_is_measured_before_it_is_kept() {
        let text: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(&text).unwrap();
        let packed = packer.finish().unwrap();
        let read = |packed: &[u8], member: u64| {
            let limits = ArchiveLimits { member, ..ArchiveLimits::default() };
            [1000, member].map(|at_once| unpack_with_buffer(&mut Cursor::new(packed), limits, at_once))
        };
        let length = text.len() as u64;
        for most in [length, length + 1] {
            assert!(read(&packed, most).iter().all(|found| *found == Ok((text.clone(), false))), "{most}");
        }
        let refusal =
            format!("refused: more than {} bytes unpacked; the limit is `archive-member-size`", length - 1);
        assert_eq!(read(&packed, length - 1), [Err(refusal.clone()), Err(refusal)]);
        // Cut within the data, and before the checksum at its end.
        let [short, long] = read(&packed[..packed.len() / 2], length);
        assert!(short == long && short.is_ok_and(|(bytes, is_cut)| is_cut && text.starts_with(&bytes)));
        assert_eq!(read(&packed[..packed.len() - 4], length), [Ok((text.clone(), true)), Ok((text, true))]);
    }
}
