//! Keys from the configuration: `[keys]` binds the name of an action to keys (console.md 2.4).

use super::Keymap;
use crate::action::{Action, Contexts, TABLE};
use crate::key::Key;
use qscope_engine::cluster::did_you_mean::question;
use qscope_source::config::Config;

impl Keymap {
    /// Returns the default keymap with the configured keys replacing the defaults, and the entries that could not be
    /// used, with file and line. A key that already means something else where the action works is not bound.
    pub fn configured(config: &Config) -> (Self, Vec<String>) {
        let (mut keymap, mut problems) = (Self::default(), Vec::new());
        let mut wanted: Vec<(Action, Vec<Key>, String)> = Vec::new();
        for (name, entry) in config.table("keys") {
            let place = entry.source.to_string();
            let Some(action) = Action::named(name) else {
                let asked = question(name, TABLE.iter().map(|entry| entry.name));
                problems.push(format!("{place}: no action {name}{asked}"));
                continue;
            };
            let mut keys = Vec::new();
            for text in &entry.values {
                match text.parse() {
                    Ok(key) => keys.push(key),
                    Err(error) => problems.push(format!("{place}: {error}")),
                }
            }
            wanted.push((action, keys, place));
        }
        // All actions to rebind lose their keys first, so that two actions can swap keys.
        keymap.bindings.retain(|(.., action)| {
            !wanted.iter().any(|(bound, keys, _)| bound == action && !keys.is_empty())
        });
        for (action, keys, place) in wanted {
            for key in keys {
                problems.extend(keymap.bind(action, key, &place));
            }
            if !keymap.bindings.iter().any(|(.., bound)| *bound == action) {
                keymap.restore(action);
            }
        }
        (keymap, problems)
    }

    /// Binds a key wherever the action works; returns the problem if the key has another meaning there.
    fn bind(&mut self, action: Action, key: Key, place: &str) -> Option<String> {
        let contexts = action.entry().keys.iter().fold(Contexts::NONE, |all, (one, _)| all.or(*one));
        let clash = self
            .bindings
            .iter()
            .find(|(there, bound, other)| *bound == key && *other != action && there.intersects(contexts));
        if let Some((.., other)) = clash {
            let (name, taken) = (action.entry().name, other.entry().name);
            return Some(format!("{place}: {key} for {name} is the key of {taken} already"));
        }
        self.bindings.push((contexts, key, action));
        None
    }

    /// Restores the default keys of an action.
    fn restore(&mut self, action: Action) {
        let usual = Self::default().bindings.into_iter().filter(|(.., bound)| *bound == action);
        self.bindings.extend(usual);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::action::Context;
    use crate::views::ViewName;

    fn read(text: &str) -> (Keymap, Vec<String>) {
        let mut config = Config::default();
        config.add_text(Path::new("c.toml"), text);
        Keymap::configured(&config)
    }

    fn resolve(keymap: &Keymap, letter: char) -> Option<Action> {
        let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE);
        keymap.resolve(Context::View(ViewName::Jobs), key)
    }

    #[test]
    fn keys_change_places() {
        let (keymap, problems) = read("[keys]\nsort = \"a\"\nwhy = [\"s\", \"u\"]\n");
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(resolve(&keymap, 'a'), Some(Action::Sort));
        assert_eq!(resolve(&keymap, 's'), Some(Action::AskWhy));
        assert_eq!(resolve(&keymap, 'u'), Some(Action::AskWhy));
    }

    #[test]
    fn unknown_names_unreadable_keys_and_clashes_are_reported_with_their_line() {
        let (keymap, problems) = read("[keys]\nsrt = \"x\"\nquit = \"entr\"\nsort = \"a\"\n");
        assert_eq!(
            problems,
            [
                "c.toml:3: \"entr\" is no key; write a letter, \"enter\", \"ctrl-l\", \"shift-tab\" or the like",
                "c.toml:2: no action srt, did you mean `sort`?",
                "c.toml:4: a for sort is the key of why already",
            ]
        );
        assert_eq!(resolve(&keymap, 'q'), Some(Action::Quit), "its usual keys stay");
        assert_eq!(resolve(&keymap, 's'), Some(Action::Sort), "its usual keys stay");
    }
}
