//! Data that others can write reaches terminals, shells and programs only as text: a set of hostile strings is sent
//! through every exit of every command and view.

mod cluster;
mod commands;
mod screen;
mod strings;
mod unreadable;

/// Returns whether a character acts rather than being displayed. It does not use the program's own list, so that gaps
/// in that are found.
pub(crate) fn acts(c: char) -> bool {
    const FORMAT: [(u32, u32); 22] = [
        (0xad, 0xad),
        (0x34f, 0x34f),
        (0x600, 0x605),
        (0x61c, 0x61c),
        (0x6dd, 0x6dd),
        (0x70f, 0x70f),
        (0x115f, 0x1160),
        (0x17b4, 0x17b5),
        (0x180b, 0x180f),
        (0x200b, 0x200f),
        (0x2028, 0x202e),
        (0x2060, 0x206f),
        (0x3164, 0x3164),
        (0xfe00, 0xfe0f),
        (0xfeff, 0xfeff),
        (0xffa0, 0xffa0),
        (0xfff9, 0xfffb),
        (0x110bd, 0x110bd),
        (0x13430, 0x1343f),
        (0x1bca0, 0x1bca3),
        (0x1d173, 0x1d17a),
        (0xe0000, 0xe0fff),
    ];
    c.is_control() || FORMAT.iter().any(|(from, to)| (*from..=*to).contains(&u32::from(c)))
}

/// Fails if a text contains an acting character other than a line break, or a flood of marks on one position.
pub(crate) fn harmless(what: &str, text: &str) {
    let mut marks = 0;
    for (at, c) in text.char_indices() {
        let around = || text[at..].chars().take(60).collect::<String>().escape_debug().to_string();
        assert!(c == '\n' || !acts(c), "{what}: {:?} at byte {at}: {}", c, around());
        marks = if matches!(c, '\u{300}'..='\u{36f}' | '\u{e31}' | '\u{e34}'..='\u{e3a}') {
            marks + 1
        } else {
            0
        };
        assert!(marks <= 3, "{what}: a flood of marks at byte {at}");
    }
}
