//! The line that the data are old.

use std::borrow::Cow;

use crate::views::World;
use qscope_session::problems::{Problem, ProblemAbout, ProblemPart};

/// The kind of the line that the data are old.
const OLD: &str = "old data";

/// That the data are old, for as long as they are; its words go with the age.
pub(super) fn old(words: String) -> Problem {
    Problem {
        part: ProblemPart::Model,
        is_grave: false,
        kind: OLD.to_owned(),
        about: ProblemAbout::Nothing,
        object: "files".to_owned(),
        effect: words.clone(),
        sentence: words,
        fix: Some("D shows the files; r reads them again".to_owned()),
    }
}

/// The effect of a problem: of old data with the age that they have now.
pub(super) fn effect<'a>(line: &'a Problem, world: World<'_>) -> Cow<'a, str> {
    let old = (line.kind == OLD).then(|| world.old_words()).flatten();
    old.map_or(Cow::Borrowed(&*line.effect), Cow::Owned)
}
