//! gzip: several consecutive members are one stream.

use std::io::Read;

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

/// Unpacks a compressed file completely, and returns whether it was cut short.
///
/// # Errors
/// If a limit is exceeded.
pub(crate) fn whole(file: impl Read, limits: ArchiveLimits) -> Result<(Vec<u8>, bool), String> {
    let mut bytes = Vec::new();
    let mut stream = stream(file, limits).take(limits.member.saturating_add(1));
    let is_cut = match stream.read_to_end(&mut bytes) {
        Ok(_) => false,
        Err(error) => match ExceededLimit::of(&error) {
            Some(refused) => return Err(refused.to_string()),
            None => true,
        },
    };
    let most = limits.member;
    if bytes.len() as u64 > most {
        return Err(format!("refused: more than {most} bytes unpacked; the limit is `archive-member-size`"));
    }
    Ok((bytes, is_cut))
}

/// Returns the first bytes of the unpacked file, as many as a tar header has.
pub(crate) fn first_bytes(file: impl Read, limits: ArchiveLimits) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A file that cannot be unpacked has no first bytes; reading it reports why.
    let _length = stream(file, limits).take(512).read_to_end(&mut bytes);
    bytes
}
