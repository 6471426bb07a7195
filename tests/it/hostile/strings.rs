//! The hostile strings.

/// Returns over two hundred strings as bytes; some are not UTF-8.
pub(crate) fn all() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = Vec::new();
    all.extend(sequences().into_iter().map(String::into_bytes));
    all.extend((0..0x20).chain([0x7f]).map(|byte: u8| vec![b'c', byte, b'0']));
    all.extend((0x80..0xa0).map(|code: u32| format!("c{}1", char::from_u32(code).unwrap()).into_bytes()));
    all.extend((0x80..0xa0).step_by(4).map(|byte: u8| vec![b'r', byte, b'w']));
    all.extend(characters().into_iter().map(|c| format!("f{c}g").into_bytes()));
    all.extend(floods().into_iter().map(String::into_bytes));
    all.extend(texts().into_iter().chain(words()).map(|text| text.as_bytes().to_vec()));
    let broken: [&[u8]; 9] = [
        b"o\xc0\xafv",
        b"o\xe0\x80\xafv",
        b"s\xed\xa0\x80",
        b"t\xf4\x90\x80\x80",
        b"u\xff\xfe",
        b"cut\xe2\x82",
        b"\x80",
        b"esc\xc0\x9b[2J",
        b"\xf0\x80\x80\x9b31m",
    ];
    all.extend(broken.iter().map(|bytes| bytes.to_vec()));
    all
}

/// Returns the strings that are UTF-8, as text.
pub(crate) fn as_text() -> Vec<String> {
    all().into_iter().filter_map(|bytes| String::from_utf8(bytes).ok()).collect()
}

/// Returns sequences that a terminal obeys, with ESC or in their C1 form.
fn sequences() -> Vec<String> {
    let bodies = [
        "[2J",
        "[31m",
        "[H",
        "[1;1Hx",
        "[6n",
        "[?1049l",
        "[201~\nrm -rf ~\n",
        "[200~",
        "[5i",
        "[20t",
        "[>c",
        "]0;title\u{7}",
        "]2;title\u{1b}\\",
        "]52;c;cm0gLXJmIH4=\u{7}",
        "]8;;http://x/\u{1b}\\link",
        "]4;1;?\u{7}",
        "]50;#1\u{7}",
        "]1337;File=:AA\u{7}",
        "P+q544e\u{1b}\\",
        "P$q\"p\u{1b}\\",
        "_apc\u{1b}\\",
        "^pm\u{1b}\\",
        "Xsos\u{1b}\\",
        "c",
        "7",
        "8",
        "(0",
        "#8",
        "%G",
        "=",
        ">",
    ];
    let mut all: Vec<String> = bodies.iter().map(|body| format!("e\u{1b}{body}")).collect();
    all.extend(
        [("\u{9b}", "31m"), ("\u{9d}", "52;c;eA==\u{9c}"), ("\u{90}", "q\u{9c}"), ("\u{9e}", "x\u{9c}")]
            .map(|(start, body)| format!("e{start}{body}")),
    );
    all
}

/// Returns characters that reverse, hide, join or break text.
fn characters() -> Vec<char> {
    let ranges = [
        ('\u{200b}', '\u{200f}'),
        ('\u{2028}', '\u{202e}'),
        ('\u{2060}', '\u{2064}'),
        ('\u{2066}', '\u{206f}'),
        ('\u{fe00}', '\u{fe0f}'),
        ('\u{e0020}', '\u{e0028}'),
        ('\u{fff9}', '\u{fffb}'),
        ('\u{180b}', '\u{180e}'),
        ('\u{1d173}', '\u{1d176}'),
    ];
    let single = "\u{ad}\u{34f}\u{61c}\u{feff}\u{3164}\u{ffa0}\u{115f}\u{1160}\u{17b4}\u{e0001}\u{e007f}\u{e0100}\u{600}\u{6dd}\u{70f}\u{110bd}\u{13430}\u{1bca0}";
    ranges.iter().flat_map(|(from, to)| *from..=*to).chain(single.chars()).collect()
}

fn floods() -> Vec<String> {
    let long = "x".repeat(5000);
    vec![
        format!("z{}", "\u{301}".repeat(300)),
        format!("\u{301}{}", "\u{336}\u{489}".repeat(100)),
        format!("ไ{}", "\u{e49}".repeat(200)),
        "\u{1100}".repeat(50),
        "👩\u{200d}👩\u{200d}👧\u{200d}👦".to_owned(),
        "👍🏽🇩🇪🇩🇪🇩".to_owned(),
        "語".repeat(200),
        "ｗｉｄｅ".to_owned(),
        "\u{202e}".repeat(100),
        long,
    ]
}

/// Returns texts with line breaks of every kind.
fn texts() -> Vec<&'static str> {
    vec![
        "a\nFORGED line",
        "a\r\nFORGED line",
        "a\rFORGED line",
        "a\u{b}FORGED line",
        "a\u{c}FORGED line",
        "a\u{85}FORGED line",
        "a\u{2028}FORGED line",
        "a\u{2029}FORGED line",
        "a\tb",
        "\n\n\nFORGED",
        "a\n  FORGED",
        "a\n\u{1b}[31mFORGED",
    ]
}

/// Returns text with a meaning for a spreadsheet, a page, a shell, a format or a file system.
fn words() -> Vec<&'static str> {
    vec![
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-2",
        "@SUM(A1)",
        "<script>alert(1)</script>",
        "<img src=x onerror=y>",
        "**bold**",
        "[x](javascript:y)",
        "![p](http://x/)",
        "`code`",
        "```\nFORGED\n```",
        "# FORGED",
        "\\",
        "\\n",
        "\"",
        "'",
        "\"'\"",
        "%s%n%x",
        "{}{0}",
        "{name}",
        "$(reboot)",
        "`reboot`",
        "; reboot",
        "| reboot",
        "&& reboot",
        "../../etc/passwd",
        "/etc/passwd",
        "~root",
        "-rf",
        "--help",
        "NUL",
        "nul\0byte",
        "null",
        "true",
        "1e999",
        "0x7f",
        "\u{fffd}",
        " ",
        "  lead",
        "trail  ",
        "^[[31m",
        "\\u{1b}",
        "␛[31m",
        "a=b",
        "a,b",
        "a:b",
        "a+b",
        "a@b",
        "a#b",
        "(a",
        "a)",
        "[1-9]",
        "n[1-3",
        "\u{a0}nbsp",
        "\u{3000}wide",
    ]
}

#[test]
fn the_packet_is_two_hundred_strings_and_more() {
    let all = all();
    assert!(all.len() >= 200, "{}", all.len());
    let different: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len());
}
