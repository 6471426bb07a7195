//! The footer: the keys that work at present, from the table that also handles them.

use ratatui::text::{Line, Span};

use super::text::{clean, in_set, truncate, width};
use crate::action::{ALERTS, Action, ActionEntry, Context, FooterEntry, OWN_CHANGES, STATE, TABLE, first};
use crate::keymap::Keymap;
use crate::theme::{Role, Theme};

/// The keys of a view at present.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ViewKeys {
    /// Actions without effect.
    pub(crate) idle: &'static [Action],
    /// Words for actions that differ from the usual ones.
    pub(crate) words: &'static [(Action, &'static str)],
    /// Whether the cycle has no step, so that nothing can be stepped through.
    pub(crate) without_steps: bool,
    pub(crate) without_quick_filters: bool,
    /// Whether there is no view to go back to.
    pub(crate) is_first: bool,
    /// Whether only one pane can have the keys.
    pub(crate) is_one_pane: bool,
    pub(crate) in_alerts: bool,
    /// The end of the cycle at which stepping stops, if it is at one.
    pub(crate) at_end: Option<CycleEnd>,
    /// Whether the snapshot is frozen; `None` where neither freezing nor following has an effect.
    pub(crate) is_frozen: Option<bool>,
}

/// An end of the cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CycleEnd {
    First,
    Last,
}

impl CycleEnd {
    /// The end at which a position of a cycle of `steps` steps is.
    pub(crate) fn of(position: usize, steps: usize) -> Option<Self> {
        match position {
            0 => Some(Self::First),
            at if at >= steps => Some(Self::Last),
            _ => None,
        }
    }
}

/// Actions about the steps of a cycle that have an effect at each of them.
const STEPS: [Action; 3] = [Action::StepInto, Action::Play, Action::TwoPaths];

/// Columns before the first hint, between the hints and the text at the right, and after it.
const GAPS: usize = 4;

/// The hints for a context, most useful first, as many as fit. The key of the help is always shown, except in the help
/// itself; `right` ("3 newer") is at the end and takes precedence over the hints.
pub(crate) fn footer(
    keymap: &Keymap,
    (context, here): (Context, ViewKeys),
    right: &str,
    columns: u16,
    theme: &Theme,
) -> Line<'static> {
    let help = key_hint(keymap, Action::Help, "more", context).filter(|_| !here.idle.contains(&Action::Help));
    let of_help: usize = help.iter().map(size).sum();
    let room = usize::from(columns).saturating_sub(of_help + GAPS);
    let right = clean(right);
    let right = in_set(&right, theme.theme_options().glyphs);
    let right = truncate(&right, room, theme.ellipsis()).into_owned();
    let fixed = of_help + if right.is_empty() { 0 } else { width(&right) + 2 };
    let mut room = usize::from(columns).saturating_sub(fixed + 1);
    let mut shown = Vec::new();
    for one in hints(keymap, context, here) {
        let Some(left) = room.checked_sub(size(&one)) else { continue };
        room = left;
        shown.push(one);
    }
    shown.extend(help);
    line_of(shown, right, columns, theme)
}

/// Hints at the left and a text at the right.
fn line_of(shown: Vec<KeyHint>, right: String, columns: u16, theme: &Theme) -> Line<'static> {
    let mut line = Line::from(" ").style(theme.style(Role::Text));
    for (key, word) in shown {
        line.push_span(Span::styled(key, theme.style(Role::Key)));
        line.push_span(Span::styled(format!(" {word}  "), theme.style(Role::TextDim)));
    }
    let gap = usize::from(columns).saturating_sub(line.width() + width(&right) + 1);
    line.push_span(Span::raw(" ".repeat(gap)));
    line.push_span(Span::raw(right));
    line
}

/// The keys that work while there are no data.
pub(crate) fn without_data(keymap: &Keymap, context: Context, columns: u16, theme: &Theme) -> Line<'static> {
    let all = [
        (Action::Reload, "read again"),
        (Action::Palette, "command"),
        (Action::Quit, "quit"),
        (Action::Help, "more"),
    ];
    let shown: Vec<KeyHint> =
        all.into_iter().filter_map(|(action, word)| key_hint(keymap, action, word, context)).collect();
    line_of(shown, String::new(), columns, theme)
}

type KeyHint = (String, &'static str);

fn size((key, word): &KeyHint) -> usize {
    width(key) + width(word) + 3
}

fn key_hint(keymap: &Keymap, action: Action, word: &'static str, context: Context) -> Option<KeyHint> {
    keymap.keys(action, context).next().map(|key| (key.to_string(), word))
}

/// The hint of one of a view's main keys: one key, or two related ones.
fn first_hint(keymap: &Keymap, one: &FooterEntry, context: Context, here: ViewKeys) -> Option<KeyHint> {
    let usable = [Some(one.actions.0), one.actions.1];
    let usable = usable.into_iter().flatten().filter(|action| !here.is_idle(*action, context));
    let keys: Vec<String> =
        usable.filter_map(|action| Some(keymap.keys(action, context).next()?.to_string())).collect();
    (!keys.is_empty()).then(|| (keys.join(" "), here.word(one.actions.0, one.word)))
}

impl ViewKeys {
    fn word(self, action: Action, usual: &'static str) -> &'static str {
        self.words.iter().find(|(other, _)| *other == action).map_or(usual, |(_, word)| word)
    }

    fn first(self, context: Context) -> &'static [FooterEntry] {
        if self.in_alerts { ALERTS } else { first(context) }
    }

    /// Whether there is no step in the direction of an end of the cycle.
    fn ends(self, end: CycleEnd) -> bool {
        self.without_steps || self.at_end == Some(end)
    }

    fn is_idle(self, action: Action, context: Context) -> bool {
        let is_idle = match action {
            Action::Back => self.is_first,
            Action::NextPane => self.is_one_pane,
            // Other contexts have no room for marks.
            Action::SetMark => !STATE.has(context),
            Action::QuickFilter => self.without_quick_filters,
            Action::StepBack | Action::FirstStep => self.ends(CycleEnd::First),
            Action::StepForward | Action::LastStep | Action::NextWaiting => self.ends(CycleEnd::Last),
            Action::Follow => self.is_frozen == Some(false),
            Action::Freeze => self.is_frozen == Some(true),
            Action::NextVerdict => self.ends(CycleEnd::Last) && !OWN_CHANGES.has(context),
            _ => self.without_steps && STEPS.contains(&action),
        };
        is_idle || self.idle.contains(&action)
    }
}

fn hints(keymap: &Keymap, context: Context, keys: ViewKeys) -> Vec<KeyHint> {
    let is_first = |action: Action| {
        keys.first(context).iter().any(|one| one.actions.0 == action || one.actions.1 == Some(action))
    };
    let mut ranked: Vec<_> =
        TABLE.iter().filter(|entry| entry.hint.0 > 0 && !is_first(entry.action)).collect();
    ranked.retain(|entry| !keys.is_idle(entry.action, context));
    ranked.sort_by_key(|entry| std::cmp::Reverse(entry.hint.0));
    let word = |entry: &ActionEntry| keys.word(entry.action, entry.hint.1);
    let ranked = ranked.into_iter().filter_map(|entry| key_hint(keymap, entry.action, word(entry), context));
    let firsts = keys.first(context).iter().filter_map(|one| first_hint(keymap, one, context, keys));
    firsts.chain(ranked).collect()
}
