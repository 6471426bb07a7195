//! The settings: switching, changing, saving and restoring them.

use super::rows::WhatIfRow;
use super::saved::SavedWhatIfs;
use super::{WhatIfSetting, WhatIfView};

impl WhatIfView {
    /// A view with these settings, whose answer is shown in every view when it arrives.
    pub(crate) fn entering(settings: Vec<String>) -> Self {
        let settings = settings.into_iter().map(|text| WhatIfSetting { text, on: true }).collect();
        Self { settings, enters: true, ..Self::default() }
    }

    /// The saved what-ifs.
    pub(crate) fn saved(&self) -> &SavedWhatIfs {
        &self.saved.all
    }

    /// Takes over saved what-ifs.
    pub(crate) fn set_saved(&mut self, all: SavedWhatIfs) {
        self.saved.all = all;
        self.compare_saved();
    }

    /// Saves the active settings under a name.
    ///
    /// # Errors
    /// Describes the error if nothing is set.
    pub(crate) fn save(&mut self, name: &str) -> Result<(), String> {
        let texts = self.texts();
        if texts.is_empty() {
            return Err("nothing is set; = sets something".to_owned());
        }
        self.saved.all.insert(name.to_owned(), texts);
        self.compare_saved();
        Ok(())
    }

    /// Replaces the settings by a saved what-if; false if there is none with that name.
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

    /// The active settings with the one being typed.
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
