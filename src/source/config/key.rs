//! All keys of the configuration: the values they take, and the environment variable that also sets them.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use qscope_engine::cluster::parse_duration;

/// The values that a key takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ConfigValueKind {
    Text,
    /// One of these.
    Word(&'static [&'static str]),
    /// Time between two checks of the files.
    Poll,
    /// An absolute path.
    Path,
    Flag,
    /// One or more texts.
    Texts,
    /// A table with arbitrary names, each with a text.
    TableOfText,
    /// A table with arbitrary names, each with one or more texts.
    TableOfTexts,
}

pub(super) struct ConfigKey {
    pub(super) name: &'static str,
    pub(super) takes: ConfigValueKind,
    pub(super) variable: Option<&'static str>,
}

const fn key(name: &'static str, kind: ConfigValueKind, variable: Option<&'static str>) -> ConfigKey {
    ConfigKey { name, takes: kind, variable }
}

pub(super) const KEYS: [ConfigKey; 11] = [
    key("ascii", ConfigValueKind::Flag, Some("QSCOPE_ASCII")),
    key("breakpoints", ConfigValueKind::Texts, None),
    key("color", ConfigValueKind::Word(&["auto", "always", "never"]), Some("QSCOPE_COLOR")),
    key("columns", ConfigValueKind::TableOfTexts, None),
    key("filters", ConfigValueKind::TableOfText, None),
    key("keys", ConfigValueKind::TableOfTexts, None),
    key("mouse", ConfigValueKind::Flag, Some("QSCOPE_MOUSE")),
    key("poll", ConfigValueKind::Poll, Some("QSCOPE_POLL")),
    key("published", ConfigValueKind::Path, Some("QSCOPE_PUBLISHED")),
    key("sort", ConfigValueKind::TableOfText, None),
    key("theme", ConfigValueKind::Text, Some("QSCOPE_THEME")),
];

/// Range of configurable times between two checks of the files.
pub const POLL: RangeInclusive<Duration> = Duration::from_millis(500)..=Duration::from_secs(60);

fn is_poll(seconds: f64) -> bool {
    Duration::try_from_secs_f64(seconds).is_ok_and(|poll| POLL.contains(&poll))
}

impl ConfigValueKind {
    /// Whether a text is a valid value.
    pub(super) fn allows(self, text: &str) -> bool {
        match self {
            Self::Word(words) => words.contains(&text),
            Self::Poll => parse_duration(text).is_some_and(is_poll),
            Self::Path => Path::new(text).is_absolute(),
            Self::Flag => matches!(text, "true" | "false"),
            Self::Text | Self::Texts | Self::TableOfText | Self::TableOfTexts => true,
        }
    }

    /// Returns the expected value in words, as written in a file.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Path => "an absolute path in quotes".to_owned(),
            Self::Texts | Self::TableOfTexts => "a text in quotes, or a list of them".to_owned(),
            Self::Text | Self::TableOfText => "a text in quotes".to_owned(),
            Self::Poll => "a time from 0.5s to 60s in quotes, such as 5s".to_owned(),
            Self::Word(words) => format!("one of {}, in quotes", words.join(", ")),
        }
    }
}
