//! Reads the options with which the verdicts of a bundle or published file were computed.

use super::files::Files;
use super::log::DiagnosticLog;
use qscope_engine::cluster::{FilePosition, Snapshot};

/// Name of the file within a folder.
pub const MADE_WITH: &str = "semantics";

/// Maximum length in bytes of the options.
const LONGEST: usize = 1000;

/// Sets the options that the file states; a text of another form is reported and ignored.
pub(crate) fn add(files: &Files, snapshot: &mut Snapshot, log: &mut DiagnosticLog) {
    let Some(Ok(bytes)) = files.get(MADE_WITH).map(|file| &file.bytes) else { return };
    let text = std::str::from_utf8(bytes).unwrap_or_default().trim();
    match Some(text).filter(|text| are_options(text)) {
        Some(options) => snapshot.made_with = options.into(),
        None => {
            log.in_file(MADE_WITH);
            log.warn("semantics-unreadable", FilePosition::File, || {
                "expected options such as `--semantics fixed`; left aside".to_owned()
            });
        }
    }
}

/// Whether a text has the form of options of the command line. Another version of this program may know other ones.
fn are_options(text: &str) -> bool {
    let is_plain = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    text.starts_with("--") && is_plain && text.len() <= LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadOptions, load};

    #[test]
    fn a_package_states_its_options_and_other_text_is_reported() {
        let read = |text: &str| {
            let mut files = Files::new("t");
            files.insert("nodes.json", "{\"nodes\":{\"n1\":{\"Mom\":\"n1\",\"state\":\"free\"}}}", None);
            files.insert(MADE_WITH, text, None);
            load(&files, &LoadOptions::default()).unwrap()
        };
        let snapshot = read("--semantics fixed --quirk empty-never=off\n");
        assert_eq!(&*snapshot.made_with, "--semantics fixed --quirk empty-never=off");
        let snapshot = read("fixed\n");
        assert_eq!(&*snapshot.made_with, "");
        assert_eq!(snapshot.reported("semantics-unreadable").count(), 1);
    }
}
