//! Which theme is shown: a built-in one by name, or a file, which is read again when it changes.

use super::Shell;
use crate::theme::{AUTO, BUILT_IN, Background, Theme, built_in_name};
use crate::theme_file::{ThemeFileSender, ThemeText};

impl Shell {
    /// Sets the thread that reads theme files, and the file that the current theme was read from.
    pub(crate) fn follow_theme(&mut self, files: Option<ThemeFileSender>, file: Option<String>) {
        (self.theme_files, self.theme_file) = (files, file);
    }

    /// Sets the background known from the environment, and whether the theme follows the background until another one
    /// is chosen.
    pub(crate) fn begin_on_ground(&mut self, ground: Option<Background>, follows: bool) {
        (self.background, self.follows_ground) = (ground, follows);
    }

    /// Shows the theme for the terminal's background, unless a theme was chosen; returns whether the screen changed.
    pub(super) fn on_ground(&mut self, ground: Background) -> bool {
        self.background = Some(ground);
        let is_other = self.follows_ground && self.theme.name() != ground.theme();
        if is_other {
            self.theme = Theme::built_in(ground.theme(), self.theme.theme_options()).0;
        }
        is_other
    }

    /// Applies the content of a theme's file; returns whether the screen changed. If the file cannot be read, the last
    /// theme stays.
    pub(super) fn on_theme(&mut self, read: ThemeText) -> bool {
        if self.theme_file.as_ref() != Some(&read.path) {
            return false;
        }
        let text = match read.text {
            Ok(text) => text,
            Err(why) => {
                self.set_failure(format!("{}: {why}", read.path));
                return true;
            }
        };
        let (theme, warnings) = Theme::from_toml(&read.path, &text, self.theme.theme_options());
        self.theme = theme;
        match warnings.first() {
            Some(warning) => self.set_failure(warning.to_string()),
            None => self.set_status(format!("theme {} read", self.theme.name())),
        }
        true
    }

    /// Shows a theme by its name, by its file, or for the terminal's background.
    pub(super) fn set_theme(&mut self, name: &str) -> Result<(), String> {
        let known = || [AUTO].into_iter().chain(BUILT_IN.iter().map(|(known, _)| *known));
        if name == AUTO {
            let full = Background::theme_for(self.background);
            self.show_built_in(Theme::built_in(full, self.theme.theme_options()).0);
            self.follows_ground = true;
            return Ok(());
        }
        if let Some(full) = built_in_name(name) {
            self.show_built_in(Theme::built_in(full, self.theme.theme_options()).0);
            return Ok(());
        }
        let is_file = name.contains('/') || name.ends_with(".toml");
        match &self.theme_files {
            Some(files) if is_file => {
                self.follows_ground = false;
                self.theme_file = Some(name.to_owned());
                files.send(self.theme_file.clone()).map_err(|error| error.to_string())
            }
            _ => {
                let wrong = match name {
                    "" => "a theme is needed".to_owned(),
                    name => format!("no theme {name}"),
                };
                Err(format!("{wrong}; {}, or a file", known().collect::<Vec<_>>().join(", ")))
            }
        }
    }

    /// Shows a built-in theme and stops following a theme file.
    pub(super) fn show_built_in(&mut self, theme: Theme) {
        self.theme = theme;
        self.follows_ground = false;
        self.theme_file = None;
        if let Some(files) = &self.theme_files {
            // If the thread has ended, it reads nothing more anyway.
            drop(files.send(None));
        }
        self.set_status(format!("theme {}", self.theme.name()));
    }
}
