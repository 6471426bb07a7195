//! gzip: several members in a row are one stream.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use qscope_system::input::{InputError, Most};

use super::limits::{ArchiveLimits, CountedReader, Refused, Watched};

/// The unpacked stream of a compressed one.
pub(super) fn stream<R: Read>(file: R, limits: ArchiveLimits) -> Watched<MultiGzDecoder<CountedReader<R>>> {
    let (counted, packed) = CountedReader::new(file);
    Watched::unpacking(MultiGzDecoder::new(counted), limits, packed)
}

/// A compressed file whole, and whether it was cut short.
///
/// # Errors
/// A limit was met.
pub(crate) fn whole(file: impl Read, limits: ArchiveLimits) -> Result<(Vec<u8>, bool), String> {
    let mut bytes = Vec::new();
    let mut stream = stream(file, limits).take(limits.member.saturating_add(1));
    let is_cut = match stream.read_to_end(&mut bytes) {
        Ok(_) => false,
        Err(error) => match Refused::of(&error) {
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

/// What a compressed file unpacks to, if that is no more than allowed.
///
/// # Errors
/// It is damaged, or more than allowed.
pub fn unpacked(packed: &[u8], most: Most) -> Result<Vec<u8>, InputError> {
    let (bytes, damage) = unpacked_part(packed, most)?;
    damage.map_or(Ok(bytes), Err)
}

/// The same as far as a file that is cut short or damaged can be unpacked, with why the rest cannot.
///
/// # Errors
/// Nothing of it can be, or more than is allowed.
pub fn unpacked_part(packed: &[u8], most: Most) -> Result<(Vec<u8>, Option<InputError>), InputError> {
    let mut bytes = Vec::new();
    let read = MultiGzDecoder::new(packed).take(most.bytes.saturating_add(1)).read_to_end(&mut bytes);
    most.allow(bytes.len() as u64)?;
    match read {
        Ok(_) => Ok((bytes, None)),
        Err(why) if bytes.is_empty() => Err(why.into()),
        Err(why) => Ok((bytes, Some(why.into()))),
    }
}

/// The first bytes that a compressed file unpacks to, as many as the header of an archive has.
pub(crate) fn first_bytes(file: impl Read, limits: ArchiveLimits) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What cannot be unpacked has no first bytes; reading it states why.
    let _length = stream(file, limits).take(512).read_to_end(&mut bytes);
    bytes
}
