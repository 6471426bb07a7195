//! From files to looks: merges the chain of inheritance, fills in roles from their parents, and converts colours to the
//! terminal's depth.

use ratatui::style::{Modifier, Style};

use super::color::ThemeColor;
use super::depth::{ColorDepth, GlyphSet, ThemeOptions};
use super::file::{self, LocatedName, StyleSpec, ThemeFile, ThemeWarning};
use super::role::Role;
use super::{BUILT_IN, Look, MONO, Theme};
use qscope_engine::cluster::did_you_mean::nearest;

/// A built-in theme by name.
pub(crate) fn by_name(name: &str, theme_options: ThemeOptions) -> (Theme, Vec<ThemeWarning>) {
    let named = LocatedName { name: name.to_owned(), file: "theme".to_owned(), line: 0 };
    let mut warnings = Vec::new();
    let found = built_in(&named, &mut warnings).unwrap_or(BUILT_IN[0]);
    let (theme, more) = from_text(found.0, found.1, theme_options);
    warnings.extend(more);
    (theme, warnings)
}

/// A theme from a file's text.
pub(crate) fn from_text(path: &str, text: &str, theme_options: ThemeOptions) -> (Theme, Vec<ThemeWarning>) {
    let mut warnings = Vec::new();
    let merged = chain(path, text, &mut warnings);
    let mut looks = looks(&merged, theme_options, &mut warnings);
    if theme_options.depth == ColorDepth::None {
        without_colour(&mut looks, theme_options);
    }
    warnings.sort();
    let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".toml").to_owned();
    (Theme { name, theme_options, looks }, warnings)
}

/// Replaces colours with the modifiers of `mono`, because themes mark the cursor or a warning mostly by colour.
fn without_colour(looks: &mut [Look], theme_options: ThemeOptions) {
    let mono = chain(MONO.0, MONO.1, &mut Vec::new());
    for (look, role) in looks.iter_mut().zip(Role::ALL) {
        let mods = field(&mono, *role, |spec| spec.mods).unwrap_or_default();
        look.style = style(None, None, mods, theme_options.depth);
    }
}

fn built_in(named: &LocatedName, warnings: &mut Vec<ThemeWarning>) -> Option<(&'static str, &'static str)> {
    let found = BUILT_IN.iter().find(|(name, _)| *name == named.name).copied();
    if found.is_none() {
        let names = BUILT_IN.map(|(name, _)| name);
        let hint = nearest(&named.name, names).map_or_else(
            || format!("; there are auto, {}", names.join(", ")),
            |near| format!("; did you mean \"{near}\"?"),
        );
        let text = format!("unknown theme \"{}\"{hint}", named.name);
        warnings.push(ThemeWarning { file: named.file.clone(), line: named.line, text });
    }
    found
}

/// Merges a file with everything it inherits. A file without `inherits` inherits the first built-in theme, so that a
/// theme of three lines is complete.
fn chain(path: &str, text: &str, warnings: &mut Vec<ThemeWarning>) -> ThemeFile {
    let mut merged = file::read(path, text);
    warnings.append(&mut merged.warnings);
    let mut seen = vec![path.to_owned()];
    let mut parent = merged.inherits.take();
    loop {
        let (name, text) = match &parent {
            Some(named) if seen.contains(&named.name) => break,
            Some(named) => built_in(named, warnings).unwrap_or(BUILT_IN[0]),
            None => BUILT_IN[0],
        };
        if seen.iter().any(|known| known == name) {
            break;
        }
        seen.push(name.to_owned());
        let mut below = file::read(name, text);
        warnings.append(&mut below.warnings);
        parent = below.inherits.take();
        inherit_from(&mut merged, below);
    }
    merged
}

/// Adds the inherited values that are missing. Colours are looked up in the merged palette, so a theme can repaint what
/// it inherits by redefining a colour.
fn inherit_from(top: &mut ThemeFile, below: ThemeFile) {
    for (name, paint) in below.palette {
        top.palette.entry(name).or_insert(paint);
    }
    for (role, under) in below.roles {
        let over = top.roles.entry(role).or_default();
        *over = StyleSpec {
            fg: over.fg.take().or(under.fg),
            bg: over.bg.take().or(under.bg),
            mods: over.mods.or(under.mods),
            glyph: over.glyph.take().or(under.glyph),
            ascii: over.ascii.take().or(under.ascii),
        };
    }
}

fn looks(file: &ThemeFile, theme_options: ThemeOptions, warnings: &mut Vec<ThemeWarning>) -> Vec<Look> {
    for spec in file.roles.values() {
        for named in [&spec.fg, &spec.bg].into_iter().flatten() {
            check(file, named, warnings);
        }
    }
    Role::ALL.iter().map(|role| resolve_look(file, *role, theme_options)).collect()
}

fn resolve_look(file: &ThemeFile, role: Role, theme_options: ThemeOptions) -> Look {
    let fg = field(file, role, |spec| spec.fg.as_ref().and_then(|named| paint(file, named)));
    let bg = field(file, role, |spec| spec.bg.as_ref().and_then(|named| paint(file, named)));
    let mods = field(file, role, |spec| spec.mods).unwrap_or_default();
    let glyph = field(file, role, |spec| match theme_options.glyphs {
        GlyphSet::Unicode => spec.glyph.clone().or_else(|| spec.ascii.clone()),
        GlyphSet::Ascii => spec.ascii.clone(),
    });
    Look { style: style(fg, bg, mods, theme_options.depth), glyph: glyph.unwrap_or_default() }
}

fn style(fg: Option<ThemeColor>, bg: Option<ThemeColor>, mods: Modifier, depth: ColorDepth) -> Style {
    Style {
        fg: fg.and_then(|p| p.at(depth)),
        bg: bg.and_then(|p| p.at(depth)),
        ..Style::new().add_modifier(mods)
    }
}

/// The value of the role, or else of its nearest ancestor.
fn field<T>(file: &ThemeFile, role: Role, get: impl Fn(&StyleSpec) -> Option<T>) -> Option<T> {
    let lineage = std::iter::successors(Some(role), |role| role.parent());
    lineage.filter_map(|role| file.roles.get(&role)).find_map(get)
}

fn paint(file: &ThemeFile, named: &LocatedName) -> Option<ThemeColor> {
    file.palette.get(&named.name).copied().or_else(|| ThemeColor::parse(&named.name))
}

fn check(file: &ThemeFile, named: &LocatedName, warnings: &mut Vec<ThemeWarning>) {
    if paint(file, named).is_none() {
        let hint = nearest(&named.name, file.palette.keys().map(String::as_str))
            .map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
        let text = format!("unknown colour \"{}\"{hint}", named.name);
        warnings.push(ThemeWarning { file: named.file.clone(), line: named.line, text });
    }
}
