use ratatui::style::{Color, Modifier};

use super::*;

const TASTES: [ColorDepth; 4] =
    [ColorDepth::None, ColorDepth::Sixteen, ColorDepth::Indexed, ColorDepth::True];

fn theme_options(depth: ColorDepth, glyphs: GlyphSet) -> ThemeOptions {
    ThemeOptions { depth, glyphs }
}

fn rich() -> ThemeOptions {
    theme_options(ColorDepth::True, GlyphSet::Unicode)
}

fn every() -> impl Iterator<Item = (&'static str, Theme)> {
    BUILT_IN.iter().map(|(name, _)| {
        let (theme, warnings) = Theme::built_in(name, rich());
        assert_eq!(warnings, [], "{name}");
        (*name, theme)
    })
}

fn rgb(color: Option<Color>) -> (u8, u8, u8) {
    match color {
        Some(Color::Rgb(r, g, b)) => (r, g, b),
        other => panic!("no colour: {other:?}"),
    }
}

#[test]
fn role_names_are_unique_and_every_role_has_a_purpose() {
    for role in Role::ALL {
        assert_eq!(Role::named(role.name()), Some(*role));
        assert!(role.purpose().ends_with('.'), "{}", role.name());
    }
}

#[test]
fn every_role_resolves_in_every_theme() {
    for (name, theme) in every().filter(|(name, _)| *name != "mono") {
        for role in Role::ALL {
            let style = theme.style(*role);
            assert!(style.fg.is_some() && style.bg.is_some(), "{name} {}", role.name());
        }
    }
}

/// Console.md 5: minimum contrast 4.5 for text and words of state, 3 for glyphs and rules; the rules of the light theme
/// are decoration.
#[test]
fn text_stands_out_from_its_ground() {
    for (name, theme) in every().filter(|(name, _)| *name != "mono") {
        for role in Role::ALL {
            let least = match role {
                Role::Border if name == "default-light" => 2.4,
                Role::Border => 3.0,
                _ if name == "high-contrast" => 7.0,
                role if Role::NODES.contains(role) || *role == Role::Gauge => 3.0,
                _ => 4.5,
            };
            let style = theme.style(*role);
            let found = contrast(rgb(style.fg), rgb(style.bg));
            // The documented table of colours is rounded to one digit.
            assert!(found >= least - 0.05, "{name} {}: {found:.2}", role.name());
        }
    }
}

#[test]
fn text_never_melts_into_its_ground_when_colours_get_fewer() {
    for depth in [ColorDepth::Sixteen, ColorDepth::Indexed] {
        for (name, _) in BUILT_IN.iter().filter(|(name, _)| *name != "mono") {
            let theme = Theme::built_in(name, theme_options(depth, GlyphSet::Ascii)).0;
            for role in Role::ALL {
                let style = theme.style(*role);
                assert_ne!(style.fg, style.bg, "{name} {} at {depth:?}", role.name());
            }
        }
    }
}

#[test]
fn mono_and_no_color_use_no_colour_but_still_show_the_cursor() {
    let plain = |style: ratatui::style::Style| {
        [style.fg, style.bg].into_iter().flatten().all(|color| color == Color::Reset)
    };
    for depth in TASTES {
        let mono = Theme::built_in("mono", theme_options(depth, GlyphSet::Unicode)).0;
        assert!(Role::ALL.iter().all(|role| plain(mono.style(*role))), "{depth:?}");
    }
    for (name, _) in BUILT_IN {
        let theme = Theme::built_in(name, theme_options(ColorDepth::None, GlyphSet::Unicode)).0;
        assert!(Role::ALL.iter().all(|role| plain(theme.style(*role))), "{name}");
        assert!(theme.style(Role::Cursor).add_modifier.contains(Modifier::REVERSED), "{name}");
        assert!(!theme.style(Role::BorderFocus).add_modifier.is_empty(), "{name}");
    }
}

#[test]
fn every_state_is_readable_from_its_sign_alone() {
    for glyphs in [GlyphSet::Unicode, GlyphSet::Ascii] {
        for (name, _) in BUILT_IN {
            let theme = Theme::built_in(name, theme_options(ColorDepth::None, glyphs)).0;
            for group in [&Role::NODES[..], &Role::VERDICTS[..]] {
                let mut signs: Vec<&str> = group.iter().map(|role| theme.glyph(*role)).collect();
                assert!(signs.iter().all(|sign| crate::widgets::text::width(sign) == 1), "{name} {signs:?}");
                assert!(glyphs == GlyphSet::Unicode || signs.concat().is_ascii(), "{name} {signs:?}");
                signs.sort_unstable();
                signs.dedup();
                assert_eq!(signs.len(), group.len(), "{name} {glyphs:?} {signs:?}");
            }
        }
    }
}

#[test]
fn a_theme_of_three_lines_is_a_whole_theme() {
    let text = "[roles]\n\"node.busy\" = { fg = \"#ff0000\" }\n";
    let (theme, warnings) = Theme::from_toml("mine.toml", text, rich());
    assert_eq!(warnings, []);
    assert_eq!(theme.name(), "mine");
    assert_eq!(theme.style(Role::NodeBusy).fg, Some(Color::Rgb(255, 0, 0)));
    assert_eq!(theme.glyph(Role::NodeBusy), "·");
    assert_eq!(theme.style(Role::NodeFree), Theme::built_in("default-dark", rich()).0.style(Role::NodeFree));
}

#[test]
fn a_child_palette_repaints_what_is_inherited_and_a_role_falls_back_to_its_parent() {
    let text = "inherits = \"default-dark\"\n[palette]\nink = \"#010203\"\n[roles]\nbadge = { mods = [\"italic\"] }\n";
    let theme = Theme::from_toml("t", text, rich()).0;
    assert_eq!(theme.style(Role::Text).fg, Some(Color::Rgb(1, 2, 3)));
    assert_eq!(theme.style(Role::BadgeLive).add_modifier, Modifier::ITALIC);
    assert_eq!(theme.style(Role::VerdictRun).bg, theme.style(Role::Text).bg);
}

#[test]
fn what_is_wrong_in_a_file_is_reported_with_its_line_and_costs_that_line_only() {
    let text = r##"inherits = "default-drak"
colour = 1
[palette]
ink = "#ff"
[roles]
"node.fre" = { fg = "ink" }
"node.busy" = { fg = "amberr", mods = ["blod"], glyph = "ab", ascii = "é" }
"node.down" = { forground = "ink", bg = 3 }
text = "red"
"verdict.run" = { fg = "#010101" }
"##;
    let (theme, warnings) = Theme::from_toml("mine.toml", text, rich());
    let texts: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(texts.join("\n"));
    assert_eq!(theme.style(Role::VerdictRun).fg, Some(Color::Rgb(1, 1, 1)));
}

#[test]
fn a_file_that_is_no_toml_and_a_name_that_is_no_theme_are_reported_and_survived() {
    let (theme, warnings) = Theme::from_toml("t.toml", "[roles\n", rich());
    assert_eq!((warnings.len(), warnings[0].line), (1, 1));
    assert_eq!(theme.style(Role::Text), Theme::built_in("default-dark", rich()).0.style(Role::Text));
    let (theme, warnings) = Theme::built_in("mon", rich());
    assert_eq!(theme.name(), "default-dark");
    assert_eq!(warnings[0].to_string(), "theme: unknown theme \"mon\"; did you mean \"mono\"?");
}

#[test]
fn a_theme_that_inherits_itself_ends() {
    let (theme, _) = Theme::from_toml("mono", "inherits = \"mono\"", rich());
    assert_eq!(theme.glyph(Role::NodeFree), "");
}

#[test]
fn spans_are_harmless_and_carry_their_sign() {
    let theme = Theme::built_in("default-dark", rich()).0;
    assert_eq!(theme.span(Role::Text, "a\u{1b}b").content, "a␛b");
    assert_eq!(theme.signed(Role::VerdictRun, "run").content, "✓ run");
    assert_eq!(theme.signed(Role::Heading, "Queue").content, "Queue");
}

#[test]
fn the_theme_key_goes_round() {
    let mut theme = Theme::built_in("default-dark", rich()).0;
    for (name, _) in BUILT_IN.iter().cycle().skip(1).take(BUILT_IN.len()) {
        theme = theme.next();
        assert_eq!(theme.name(), *name);
    }
}

/// The contrast of two colours, from 1 (the same) to 21 (black on white), as accessibility guidelines define it.
fn contrast(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

#[test]
fn contrast_runs_from_one_to_twenty_one() {
    assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 0.01);
    assert!((contrast((9, 9, 9), (9, 9, 9)) - 1.0).abs() < 1e-9);
}
