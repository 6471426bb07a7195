//! The settings that are on or off: set, changed, kept under a name, and taken again.

use super::rows::WhatIfRow;
use super::saved::SavedWhatIfs;
use super::{WhatIf, WhatIfSetting};

impl WhatIf {
    /// The view with these settings on, whose answer is shown in every view when it comes.
    pub(crate) fn entering(settings: Vec<String>) -> Self {
        let settings = settings.into_iter().map(|text| WhatIfSetting { text, on: true }).collect();
        Self { settings, enters: true, ..Self::default() }
    }

    /// Those kept under a name.
    pub(crate) fn saved(&self) -> &SavedWhatIfs {
        &self.saved.all
    }

    /// Takes over what was kept.
    pub(crate) fn keep(&mut self, all: SavedWhatIfs) {
        self.saved.all = all;
        self.compare_saved();
    }

    /// Keeps the settings that are on under a name.
    ///
    /// # Errors
    /// Nothing is set; in words.
    pub(crate) fn save(&mut self, name: &str) -> Result<(), String> {
        let texts = self.texts();
        if texts.is_empty() {
            return Err("nothing is set; = sets something".to_owned());
        }
        self.saved.all.insert(name.to_owned(), texts);
        self.compare_saved();
        Ok(())
    }

    /// Sets what is kept under a name, in the place of what is set; false where nothing is.
    pub(crate) fn take_saved(&mut self, name: &str) -> bool {
        let Some(texts) = self.saved.all.get(name) else { return false };
        self.settings = texts.iter().map(|text| WhatIfSetting { text: text.clone(), on: true }).collect();
        self.ask();
        true
    }

    pub(super) fn compare_saved(&mut self) {
        let request = self.saved.compare(self.base.as_ref());
        self.more.extend(request);
        self.refresh();
    }

    pub(super) fn texts(&self) -> Vec<String> {
        self.settings.iter().filter(|setting| setting.on).map(|setting| setting.text.clone()).collect()
    }

    /// The settings as they would be with what is typed.
    pub(super) fn tried(&self, text: &str) -> Vec<String> {
        let kept =
            self.settings.iter().enumerate().filter(|(at, one)| one.on && Some(*at) != self.typing.changing);
        kept.map(|(_, one)| one.text.clone()).chain([text.to_owned()]).collect()
    }

    /// Puts the cursor on a setting.
    pub(super) fn put_on(&mut self, setting: usize) {
        self.list.put_on(|row| matches!(row, WhatIfRow::Setting { at, .. } if *at == setting));
    }
}
