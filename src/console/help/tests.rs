use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::action::Action;
use crate::theme::{ColorDepth, GlyphSet, Role, ThemeOptions};
use crate::views::ViewName;
use crate::widgets::footer::{ViewKeys, footer};
use crate::widgets::header::{HeaderFact, header};
use crate::widgets::margin::MarginBuffer;

const SCREEN: Rect = Rect::new(0, 0, 80, 12);

fn theme(glyphs: GlyphSet) -> &'static Theme {
    static BOTH: std::sync::LazyLock<[Theme; 2]> = std::sync::LazyLock::new(|| {
        [GlyphSet::Unicode, GlyphSet::Ascii]
            .map(|glyphs| Theme::built_in("default-dark", ThemeOptions { depth: ColorDepth::None, glyphs }).0)
    });
    &BOTH[usize::from(glyphs == GlyphSet::Ascii)]
}

fn draw(help: &Help, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let draw = |frame: &mut ratatui::Frame<'_>| {
        help.render(frame.area(), frame.buffer_mut(), theme(GlyphSet::Unicode), &Keymap::default());
    };
    terminal.draw(draw).unwrap();
    terminal.backend().to_string()
}

fn type_in(help: &mut Help, text: &str) {
    let keymap = Keymap::default();
    help.take(&AppInput::<()>::Action(Action::Filter), &keymap, SCREEN);
    assert_eq!(help.context(), Context::Prompt);
    for c in text.chars() {
        help.take(&AppInput::<()>::Letter(c), &keymap, SCREEN);
    }
}

#[test]
fn the_help_names_every_action_that_works_here() {
    let keymap = Keymap::default();
    for context in Context::all() {
        let lines = Help::new(context).lines(&keymap, HelpColumns::of(SCREEN));
        let shown = lines.iter().map(|line| line.actions().len()).sum::<usize>();
        let works = TABLE.iter().filter(|entry| keymap.keys(entry.action, context).count() > 0).count();
        assert_eq!(shown, works, "{context:?}");
    }
}

#[test]
fn the_help_of_a_list() {
    insta::assert_snapshot!(draw(&Help::new(Context::List), 80, 60));
}

#[test]
fn the_help_is_searched_by_word_and_by_key() {
    let mut help = Help::new(Context::List);
    type_in(&mut help, "verdict");
    insta::assert_snapshot!(draw(&help, 80, 12));
    assert!(help.take(&AppInput::<()>::Action(Action::Close), &Keymap::default(), SCREEN));
    assert!(!help.handles_close());
}

#[test]
fn the_help_scrolls_to_its_end_and_at_once_back() {
    let keymap = Keymap::default();
    let mut help = Help::new(Context::List);
    let mut press = |action| help.take(&AppInput::<()>::Action(action), &keymap, SCREEN);
    assert!(press(Action::End) && !press(Action::Down) && press(Action::Up) && press(Action::PageDown));
    insta::assert_snapshot!(draw(&help, 80, 12));
}

#[test]
fn no_text_of_the_help_is_cut() {
    let (keymap, theme) = (Keymap::default(), theme(GlyphSet::Unicode));
    for width in [80, 100, 120, 160, 200, 300] {
        let column = HelpColumns::of(Rect::new(0, 0, width, 40));
        for context in Context::all() {
            let lines = Help::new(context).lines(&keymap, column);
            let widest = lines.iter().map(|line| line.draw(theme).width()).max();
            assert!(widest < Some(usize::from(column.width)), "{context:?} at {width}");
        }
    }
}

#[test]
fn the_help_fits_any_screen() {
    for width in 0..90 {
        for height in 0..30 {
            let mut screen = MarginBuffer::around(width, height);
            let theme = theme(GlyphSet::Ascii);
            Help::new(Context::Map).render(screen.area, &mut screen.buf, theme, &Keymap::default());
            screen.assert_margin_is_untouched();
        }
    }
}

#[test]
fn the_footer_lists_the_keys_that_work_here_as_many_as_fit() {
    let keymap = Keymap::default();
    let line = |context, columns, right| {
        let line = footer(&keymap, (context, ViewKeys::default()), right, columns, theme(GlyphSet::Ascii));
        assert!(line.width() <= usize::from(columns).max(10), "{line}");
        line.to_string()
    };
    let drawn: Vec<String> = Context::all()
        .filter(|context| !matches!(context, Context::View(_)))
        .map(|context| line(context, 80, ""))
        .chain([
            line(Context::List, 40, ""),
            line(Context::List, 80, "3 newer"),
            line(Context::List, 120, "3 newer"),
        ])
        .collect();
    insta::assert_snapshot!(drawn.join("\n"));
}

/// The next change is a verdict of the cycle, which a cycle without steps does not have; the calendar has its own
/// events.
#[test]
fn the_footer_of_a_cycle_without_steps_names_no_key_for_its_verdicts() {
    let keymap = Keymap::default();
    let names_change = |view, without_steps| {
        let here = ViewKeys { without_steps, ..ViewKeys::default() };
        let context = Context::View(view);
        let line = footer(&keymap, (context, here), "", 300, theme(GlyphSet::Ascii));
        line.to_string().contains(" } ")
    };
    for view in [ViewName::Nodes, ViewName::Jobs, ViewName::Queue, ViewName::Settings] {
        assert_eq!((names_change(view, false), names_change(view, true)), (true, false), "{view:?}");
    }
    for view in [ViewName::Calendar, ViewName::Compare] {
        assert!(names_change(view, true), "{view:?}");
    }
}

#[test]
fn the_header_drops_the_least_important_first() {
    let facts = [
        HeaderFact::new("alpha", 9),
        HeaderFact::new("2048 nodes", 3),
        HeaderFact::new("13:02:11 (41 s old)", 6),
        HeaderFact::badge("PAUSED", Role::BadgePaused),
        HeaderFact::new("step 412/9310", 7),
        HeaderFact::new("job 57/301", 5),
    ];
    let drawn: Vec<String> = [100, 80, 60, 40, 20, 5]
        .map(|columns| {
            let line = header(&facts, columns, theme(GlyphSet::Unicode));
            assert!(line.width() <= usize::from(columns));
            line.to_string()
        })
        .to_vec();
    insta::assert_snapshot!(drawn.join("\n"));
}
