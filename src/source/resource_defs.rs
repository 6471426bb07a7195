//! Reads definitions of resources from `qmgr -c "list resource"`.

use super::attributes::rows::{self, AttributeRow, row};
use super::context::{AttributeReader, ReadContext};
use super::log::DiagnosticLog;
use super::record::Record;
use qscope_engine::cluster::{FilePosition, Name, ResourceDef, ResourceFlags, ResourceType};

pub(crate) const ATTRIBUTES: &[AttributeRow<ResourceDef>] = &[
    row!(ResourceDef, "type", kind, "what values it takes").read_only(),
    row!(ResourceDef, "flag", flags, "where it is requested, and whether it is consumed").read_only(),
];

/// Returns a site's resource of which only the name is known.
pub(crate) fn named(name: Name) -> ResourceDef {
    ResourceDef {
        name,
        kind: ResourceType::Text,
        flags: ResourceFlags::default(),
        built_in: false,
        guessed: false,
    }
}

/// Adds one definition (rule 1.10). A built-in resource keeps its kind.
pub(crate) fn define(record: &Record<'_>, cx: &mut ReadContext<'_>, log: &mut DiagnosticLog) {
    let name = cx.name(record.name.trim());
    let built_in = cx.catalogue.id(&name).map(|id| cx.catalogue.def(id).clone()).filter(|def| def.built_in);
    let mut def = named(name);
    if let Some(built_in) = &built_in {
        def.kind = built_in.kind;
    } else if record.value("type").is_none() {
        def.kind = ResourceType::Long;
    }
    for attribute in &record.attributes {
        rows::set(ATTRIBUTES, &mut def, &mut AttributeReader { attribute, cx, log });
    }
    let Some(built_in) = built_in else {
        cx.catalogue.insert(def);
        return;
    };
    if built_in.kind != def.kind {
        log.warn("resource-built-in", FilePosition::File, || {
            format!("`{}` is built in as {}; its type here is left aside", def.name, built_in.kind.word())
        });
    }
}
