//! The look of everything: roles, resolved once at load to a style and a glyph.
//!
//! No view names a colour. It names a [`Role`], for which the theme has a style in the terminal's colour depth and a
//! glyph that its fonts and locale can show. A state is never marked by colour alone: the glyphs of the node states
//! differ pairwise in both sets.

mod background;
mod color;
mod depth;
mod file;
mod resolve;
mod role;

use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

pub use background::Background;
pub(crate) use color::rgb_of;
pub use depth::{ColorDepth, ColorFlag, GlyphSet, ThemeOptions};
pub use file::ThemeWarning;
pub use role::Role;

use crate::widgets::text::clean;

/// The built-in themes by name, in the order of the theme key.
pub const BUILT_IN: [(&str, &str); 6] = [
    ("default-dark", include_str!("../../themes/default-dark.toml")),
    ("default-light", include_str!("../../themes/default-light.toml")),
    ("high-contrast", include_str!("../../themes/high-contrast.toml")),
    ("deuteranopia", include_str!("../../themes/deuteranopia.toml")),
    ("tritanopia", include_str!("../../themes/tritanopia.toml")),
    MONO,
];

/// The name for the theme that suits the terminal's background.
pub const AUTO: &str = "auto";

/// The theme whose modifiers are used where there is no colour.
const MONO: (&str, &str) = ("mono", include_str!("../../themes/mono.toml"));

/// The resolved look of a role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    /// Colours and modifiers, already in the terminal's depth.
    pub style: Style,
    /// One column wide, or empty for roles without a glyph.
    pub glyph: String,
}

/// A theme, ready to draw with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    name: String,
    theme_options: ThemeOptions,
    looks: Vec<Look>,
}

/// The full name of a built-in theme: `light` is `default-light`.
pub(crate) fn built_in_name(name: &str) -> Option<&'static str> {
    let mut known = BUILT_IN.iter().map(|(known, _)| *known);
    known.find(|known| *known == name || known.strip_prefix("default-") == Some(name))
}

impl Theme {
    /// Returns a built-in theme, or the first one with a warning that suggests a name if the name is unknown.
    pub fn built_in(name: &str, theme_options: ThemeOptions) -> (Self, Vec<ThemeWarning>) {
        resolve::by_name(name, theme_options)
    }

    /// The theme without colours, in a glyph set: its output looks the same on every terminal.
    pub(crate) fn mono(glyphs: GlyphSet) -> Self {
        Self::built_in("mono", ThemeOptions { depth: ColorDepth::None, glyphs }).0
    }

    /// Returns a user's theme from the text of a TOML file; `path` names it in warnings. Only the lines with errors are
    /// ignored.
    pub fn from_toml(path: &str, text: &str, theme_options: ThemeOptions) -> (Self, Vec<ThemeWarning>) {
        resolve::from_text(path, text, theme_options)
    }

    /// The built-in theme after this one, cyclically.
    pub fn next(&self) -> Self {
        let here = BUILT_IN.iter().position(|(name, _)| *name == self.name);
        let next = BUILT_IN.iter().cycle().nth(here.map_or(0, |at| at + 1));
        let name = next.map_or("default-dark", |(name, _)| name);
        Self::built_in(name, self.theme_options).0
    }

    /// The theme's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The colour depth and glyph set it was resolved for.
    pub fn theme_options(&self) -> ThemeOptions {
        self.theme_options
    }

    #[expect(clippy::indexing_slicing, reason = "resolved for every role, in their order")]
    fn look(&self, role: Role) -> &Look {
        &self.looks[role as usize]
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        let style = self.look(role).style;
        // Dim text would look like gaps in the reversed row under the cursor.
        if role == Role::Cursor { style.remove_modifier(Modifier::DIM) } else { style }
    }

    /// The glyph of a role, one column wide; empty if the role has none.
    pub fn glyph(&self, role: Role) -> &str {
        &self.look(role).glyph
    }

    /// A text in a role, without control characters.
    pub fn span<'t>(&self, role: Role, text: &'t str) -> Span<'t> {
        Span::styled(clean(text), self.style(role))
    }

    /// The same after the role's glyph, so that it is distinct without colour.
    pub fn signed(&self, role: Role, text: &str) -> Span<'static> {
        let (sign, text) = (self.glyph(role), clean(text));
        let gap = if sign.is_empty() || text.is_empty() { "" } else { " " };
        Span::styled(format!("{sign}{gap}{text}"), self.style(role))
    }

    /// The mark of a text that was cut.
    pub fn ellipsis(&self) -> &'static str {
        self.by_set("…", "~")
    }

    /// The separator of facts on one line.
    pub fn dot(&self) -> &'static str {
        self.by_set(" · ", " | ")
    }

    /// Returns one of two texts, by glyph set.
    pub fn by_set(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        match self.theme_options.glyphs {
            GlyphSet::Unicode => unicode,
            GlyphSet::Ascii => ascii,
        }
    }
}

#[cfg(test)]
mod distances;
#[cfg(test)]
mod tests;
