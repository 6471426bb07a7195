//! The theme follows the terminal's background: by its answer to OSC 11, and by `COLORFGBG`.

use std::time::Duration;

use crate::console_program::Program;

const LIGHT: vt100::Color = vt100::Color::Rgb(251, 250, 246);
const DARK: vt100::Color = vt100::Color::Rgb(16, 20, 28);

/// The answer of a terminal with a white background.
const WHITE: &str = "\x1b]11;rgb:ffff/ffff/ffff\x07";

fn start(variable: &str, arguments: &[&str]) -> Program {
    let colors = [("COLORTERM", "truecolor"), ("COLORFGBG", variable)];
    let mut program = Program::start_with(&colors, arguments, (80, 24));
    program.wait_for("Queue in the order");
    program
}

fn leave(mut program: Program) {
    program.press("q");
    assert_eq!(program.code(), 0);
}

#[test]
fn the_variable_of_a_light_terminal_brings_the_light_theme() {
    for (variable, ground) in [("0;15", LIGHT), ("15;default;0", DARK), ("", DARK)] {
        let program = start(variable, &["campus"]);
        assert_eq!(program.ground(), ground, "{variable}");
        leave(program);
    }
}

/// The answer arrives among the keys: it is not taken for a key, and the keys around it are.
#[test]
fn the_answer_of_a_light_terminal_brings_the_light_theme() {
    for end in ["\x07", "\x1b\\"] {
        let mut program = start("15;0", &["campus"]);
        assert!(program.was_asked_for_its_ground);
        assert_eq!(program.ground(), DARK);
        program.press(&format!("j{}{end}j", WHITE.trim_end_matches('\x07')));
        program.wait_for("▸    3 5");
        assert_eq!(program.ground(), LIGHT);
        let seen = program.watch(Duration::from_millis(200));
        assert!(seen.contains("Queue in the order") && !seen.contains("is not used"), "{seen}");
        leave(program);
    }
}

#[test]
fn a_theme_that_was_chosen_stays_whatever_the_ground() {
    let mut program = start("0;15", &["campus", "--theme", "dark"]);
    assert_eq!(program.ground(), DARK);
    // Chosen before the answer came.
    let mut late = start("", &["campus"]);
    late.press(":theme high-contrast\r");
    late.wait_for("theme high-contrast");
    let chosen = late.ground();
    late.press(WHITE);
    late.watch(Duration::from_millis(300));
    assert_eq!(late.ground(), chosen);
    leave(late);
    program.press("?");
    program.wait_for("Esc");
    program.press("\x1b");
    program.watch(Duration::from_millis(200));
    leave(program);
}

/// `auto` applies whatever was chosen before, by the variable and by the answer.
#[test]
fn auto_brings_the_theme_of_the_ground_back() {
    for (variable, answer) in [("0;15", ""), ("15;0", WHITE)] {
        let mut program = start(variable, &["campus", "--theme", "dark"]);
        program.press(answer);
        program.watch(Duration::from_millis(300));
        assert_eq!(program.ground(), DARK);
        program.press(":theme auto\r");
        program.wait_for("theme default-light");
        assert_eq!(program.ground(), LIGHT, "{variable}");
        leave(program);
    }
}

/// Without colours there is no theme to choose.
#[test]
fn a_console_without_colours_asks_nothing() {
    let mut program = Program::start_with(&[("NO_COLOR", "1")], &["campus"], (80, 24));
    program.wait_for("Queue in the order");
    assert!(!program.was_asked_for_its_ground);
    leave(program);
}
