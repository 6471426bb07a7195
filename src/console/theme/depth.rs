//! What the terminal can show: how many colours, and which glyphs.

use qscope_system::locale;

/// The colour depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColorDepth {
    /// No colours: only bold, dim, underline and reverse.
    None,
    /// The terminal's sixteen.
    Sixteen,
    /// The cube of 216 and 24 greys.
    Indexed,
    /// Any red, green and blue.
    True,
}

/// The characters that glyphs consist of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlyphSet {
    /// Blocks, shades and lines.
    Unicode,
    /// ASCII only.
    Ascii,
}

/// The choice about colour on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorFlag {
    /// Detect it.
    #[default]
    Auto,
    /// Colour in any environment.
    Always,
    /// No colour.
    Never,
}

/// What the terminal can show, as far as is known without a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThemeOptions {
    /// The colour depth.
    pub depth: ColorDepth,
    pub glyphs: GlyphSet,
}

impl ThemeOptions {
    /// Detects it from the command line and the environment (`env` looks up a variable).
    pub fn detect(flag: ColorFlag, ascii: bool, env: impl Fn(&str) -> Option<String>) -> Self {
        let glyphs = if locale::is_utf8(&env) && !ascii { GlyphSet::Unicode } else { GlyphSet::Ascii };
        let env = |name: &str| env(name).unwrap_or_default();
        Self { depth: depth(flag, &env), glyphs }
    }

    /// Detects it from this process's environment.
    pub fn from_env(flag: ColorFlag, ascii: bool) -> Self {
        Self::detect(flag, ascii, |name| std::env::var(name).ok())
    }
}

/// Whether a terminal has no colours: those of DEC before the VT525, and the variants of others named `-m` or `-mono`.
fn is_monochrome(name: &str) -> bool {
    let is_of_dec = ["vt100", "vt102", "vt220", "vt320", "vt420"];
    let model = name.split('-').next().unwrap_or_default();
    name == "dumb" || is_of_dec.contains(&model) || name.ends_with("-m") || name.ends_with("-mono")
}

/// In order of precedence: the flag, `NO_COLOR`, a `TERM` without colours, `COLORTERM`, `TERM`.
fn depth(flag: ColorFlag, env: &impl Fn(&str) -> String) -> ColorDepth {
    let refused = !env("NO_COLOR").is_empty() || is_monochrome(&env("TERM"));
    match flag {
        ColorFlag::Never => ColorDepth::None,
        ColorFlag::Auto if refused => ColorDepth::None,
        _ if matches!(env("COLORTERM").as_str(), "truecolor" | "24bit") => ColorDepth::True,
        _ if env("TERM").ends_with("-direct") => ColorDepth::True,
        _ if env("TERM").contains("256color") => ColorDepth::Indexed,
        _ => ColorDepth::Sixteen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theme_options(flag: ColorFlag, env: &[(&str, &str)]) -> ThemeOptions {
        let find = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        ThemeOptions::detect(flag, false, find)
    }

    #[test]
    fn the_flag_wins_then_no_color_then_dumb_then_colorterm_then_term() {
        use ColorFlag::{Always, Auto, Never};
        let all = [("NO_COLOR", "1"), ("TERM", "xterm-256color"), ("COLORTERM", "truecolor")];
        assert_eq!(theme_options(Auto, &all).depth, ColorDepth::None);
        assert_eq!(theme_options(Always, &all).depth, ColorDepth::True);
        assert_eq!(theme_options(Never, &all[1..]).depth, ColorDepth::None);
        assert_eq!(theme_options(Auto, &[("TERM", "dumb"), ("COLORTERM", "24bit")]).depth, ColorDepth::None);
        for name in ["vt100", "vt220-8bit", "xterm-mono", "linux-m"] {
            assert_eq!(theme_options(Auto, &[("TERM", name)]).depth, ColorDepth::None, "{name}");
        }
        assert_eq!(theme_options(Auto, &[("TERM", "vt525")]).depth, ColorDepth::Sixteen);
        assert_eq!(theme_options(Auto, &all[1..]).depth, ColorDepth::True);
        assert_eq!(theme_options(Auto, &all[1..2]).depth, ColorDepth::Indexed);
        assert_eq!(theme_options(Auto, &[("NO_COLOR", ""), ("TERM", "linux")]).depth, ColorDepth::Sixteen);
        assert_eq!(theme_options(Always, &[("TERM", "dumb")]).depth, ColorDepth::Sixteen);
    }

    #[test]
    fn glyphs_follow_the_locale_and_the_flag() {
        let set = |env: &[(&str, &str)]| theme_options(ColorFlag::Auto, env).glyphs;
        assert_eq!(set(&[("LANG", "de_DE.UTF-8")]), GlyphSet::Unicode);
        assert_eq!(set(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]), GlyphSet::Ascii);
        assert_eq!(set(&[("LC_ALL", ""), ("LANG", "C.utf8")]), GlyphSet::Unicode);
        assert_eq!(set(&[]), GlyphSet::Unicode);
        let flag = ThemeOptions::detect(ColorFlag::Auto, true, |_| Some("C.UTF-8".to_owned()));
        assert_eq!(flag.glyphs, GlyphSet::Ascii);
    }
}
