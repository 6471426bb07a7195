//! Definitions of resources from `qmgr -c "list resource"`.

use super::log::Log;
use super::record::Record;
use qscope_engine::cluster::{Catalogue, Flags, Kind, ResourceDef, Spot};

/// Adds one definition (rule 1.10). A built-in resource keeps its kind.
pub(crate) fn define(record: &Record<'_>, catalogue: &mut Catalogue, log: &mut Log) {
    let name = record.name.trim();
    let word = record.value("type").unwrap_or("long").trim();
    let built_in = catalogue.id(name).map(|id| catalogue.def(id).clone()).filter(|def| def.built_in);
    let kind = Kind::from_word(word).unwrap_or_else(|| {
        let assumed = built_in.as_ref().map_or(Kind::Text, |def| def.kind);
        log.warn("resource-type", record.spot, || {
            format!("found type `{word}`; expected boolean, long, string, size, float or string_array; taken as {}", assumed.word())
        });
        assumed
    });
    if let Some(def) = built_in {
        if def.kind != kind {
            log.warn("resource-built-in", Spot::File, || {
                format!("`{name}` is built in as {}; its type here is left aside", def.kind.word())
            });
        }
        return;
    }
    let flags = Flags::from_letters(record.value("flag").unwrap_or_default());
    catalogue.insert(ResourceDef { name: name.into(), kind, flags, built_in: false, guessed: false });
}
