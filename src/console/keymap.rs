//! Which key does what: a pure function of keymap, context and key.

mod configured;

use crossterm::event::{KeyEvent, KeyEventKind};

use super::action::{Action, Context, Contexts, TABLE};
use super::key::Key;

/// The bindings, in the order of the action table.
#[derive(Debug, Clone)]
pub struct Keymap {
    bindings: Vec<(Contexts, Key, Action)>,
}

impl Default for Keymap {
    fn default() -> Self {
        let all = TABLE
            .iter()
            .flat_map(|entry| entry.keys.iter().map(|(contexts, key)| (entry.action, *contexts, *key)));
        // An unreadable key in the table fails a test, not the program.
        let bindings =
            all.filter_map(|(action, contexts, key)| Some((contexts, key.parse().ok()?, action))).collect();
        Self { bindings }
    }
}

impl Keymap {
    /// Returns the action of a key event in a context. Releases do nothing; a held key repeats.
    pub fn resolve(&self, context: Context, event: KeyEvent) -> Option<Action> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        self.action(context, Key::from(event))
    }

    /// Returns the action of a key in a context.
    pub fn action(&self, context: Context, key: Key) -> Option<Action> {
        let hit = self.bindings.iter().find(|(contexts, bound, _)| contexts.has(context) && *bound == key);
        hit.map(|(.., action)| *action)
    }

    /// The keys of an action in a context, the most important first.
    pub fn keys(&self, action: Action, context: Context) -> impl Iterator<Item = Key> {
        self.bindings.iter().filter(move |(c, _, a)| *a == action && c.has(context)).map(|(_, key, _)| *key)
    }

    /// Removes, in one context, the bindings of all actions it does not have.
    pub fn retain_actions(&mut self, context: Context, has: impl Fn(Action) -> bool) {
        for (contexts, _, action) in &mut self.bindings {
            if !has(*action) {
                *contexts = contexts.without(context);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;

    fn press(c: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)
    }

    #[test]
    fn every_key_of_the_table_is_bound_in_its_contexts() {
        let map = Keymap::default();
        for entry in TABLE {
            for context in Context::all() {
                let listed = entry.keys.iter().filter(|(contexts, _)| contexts.has(context)).count();
                assert_eq!(map.keys(entry.action, context).count(), listed, "{} {context:?}", entry.name);
            }
        }
    }

    #[test]
    fn a_key_has_the_meaning_of_its_context() {
        let map = Keymap::default();
        for (context, key, action) in [
            (Context::List, press('.'), Some(Action::StepForward)),
            (Context::List, press('q'), Some(Action::Quit)),
            (Context::Overlay, press('q'), Some(Action::Close)),
            (Context::Prompt, press('q'), None),
            (Context::Prompt, KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE), Some(Action::Accept)),
            (Context::Map, KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE), Some(Action::Select)),
            (Context::Detail, KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE), Some(Action::StepInto)),
            (Context::Prompt, KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Action::Quit)),
            (Context::List, KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT), Some(Action::PreviousPane)),
            (Context::List, press('Q'), None),
        ] {
            assert_eq!(map.resolve(context, key), action, "{context:?} {key:?}");
        }
    }

    #[test]
    fn releasing_a_key_does_nothing_and_holding_it_repeats() {
        let map = Keymap::default();
        let kind = |kind| KeyEvent::new_with_kind(KeyCode::Char('.'), KeyModifiers::NONE, kind);
        assert_eq!(map.resolve(Context::List, kind(KeyEventKind::Release)), None);
        assert_eq!(map.resolve(Context::List, kind(KeyEventKind::Repeat)), Some(Action::StepForward));
    }

    #[test]
    fn there_is_always_a_way_out() {
        let map = Keymap::default();
        for context in Context::all() {
            assert!(map.keys(Action::Quit, context).count() > 0, "{context:?}");
            assert!(map.keys(Action::Close, context).count() > 0, "{context:?}");
        }
    }
}
