//! The distances of colours that must not be confused, with normal and with deficient colour vision (console.md 5).

use ratatui::style::Color;

use super::{BUILT_IN, ColorDepth, GlyphSet, Role, Theme, ThemeOptions};

/// A colour in linear light.
type LinearRgb = [f64; 3];

/// Transformations of linear light for normal vision and for each deficiency (Machado, Oliveira and Fernandes 2009,
/// severity 1).
const EYES: [(&str, [LinearRgb; 3]); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "deuteranopia",
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ),
    (
        "protanopia",
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    ),
    (
        "tritanopia",
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ),
];

/// Roles that are shown side by side and must not be confused.
const GROUPS: [&[Role]; 3] = [
    &[Role::VerdictRun, Role::VerdictWait, Role::VerdictNever],
    &[Role::NodeFree, Role::NodeBusy, Role::NodeLater, Role::NodeTaken, Role::NodeRejected, Role::NodeDown],
    &[Role::PathBucket, Role::PathNode],
];

fn times(matrix: &[LinearRgb; 3], light: LinearRgb) -> LinearRgb {
    matrix.map(|row| row.iter().zip(light).map(|(a, b)| a * b).sum())
}

/// The CIE Lab value of a colour as seen with this vision.
fn lab(color: Option<Color>, eyes: &[LinearRgb; 3]) -> LinearRgb {
    let Some(Color::Rgb(r, g, b)) = color else { panic!("no colour: {color:?}") };
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let light = times(eyes, [r, g, b].map(linear)).map(|part| part.clamp(0.0, 1.0));
    let matrix = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ];
    let [x, y, z] = times(&matrix, light);
    let root = |t: f64| if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 };
    let (x, y, z) = (root(x / 0.95047), root(y), root(z / 1.08883));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn distance(theme: &Theme, a: Role, b: Role, eyes: &[LinearRgb; 3]) -> f64 {
    let (a, b) = (lab(theme.style(a).fg, eyes), lab(theme.style(b).fg, eyes));
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// The minimum distance is 20 in a theme for a deficiency, under that deficiency, and 10 in the others, under each.
#[test]
fn no_two_states_are_confused_by_any_eyes() {
    let options = ThemeOptions { depth: ColorDepth::True, glyphs: GlyphSet::Unicode };
    let mut near = Vec::new();
    for (name, _) in BUILT_IN.iter().filter(|(name, _)| *name != "mono") {
        let theme = Theme::built_in(name, options).0;
        let own = EYES.iter().any(|(eyes, _)| eyes == name);
        for (eyes, matrix) in EYES.iter().filter(|(eyes, _)| !own || eyes == name) {
            let least = if own { 20.0 } else { 10.0 };
            for group in GROUPS {
                for (at, a) in group.iter().enumerate() {
                    for b in group.iter().skip(at + 1) {
                        let found = distance(&theme, *a, *b, matrix);
                        if found < least {
                            near.push(format!("{name}, {eyes}: {} {} {found:.1}", a.name(), b.name()));
                        }
                    }
                }
            }
        }
    }
    assert_eq!(near, Vec::<String>::new());
}

/// The numbers by which the palettes were chosen.
#[test]
fn distances_are_those_that_were_computed() {
    let options = ThemeOptions { depth: ColorDepth::True, glyphs: GlyphSet::Unicode };
    let distances_of = |name: &str, a, b| {
        let theme = Theme::built_in(name, options).0;
        EYES.map(|(_, eyes)| distance(&theme, a, b, &eyes).round())
    };
    use Role::{NodeBusy, NodeFree, NodeLater, NodeTaken, VerdictNever, VerdictWait};
    assert_eq!(distances_of("default-dark", VerdictWait, VerdictNever), [38.0, 21.0, 36.0, 22.0]);
    assert_eq!(distances_of("default-dark", NodeLater, NodeTaken), [25.0, 11.0, 14.0, 25.0]);
    assert_eq!(distances_of("default-dark", NodeFree, NodeBusy), [29.0, 28.0, 27.0, 34.0]);
    assert_eq!(distances_of("default-light", VerdictWait, VerdictNever), [61.0, 35.0, 54.0, 32.0]);
    assert_eq!(distances_of("default-light", NodeTaken, NodeLater), [94.0, 95.0, 90.0, 52.0]);
}
