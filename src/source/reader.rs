//! Selects the reader of a file: by its content, or for a form that its content does not show to every reader.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::intake::node_table;
use super::log::DiagnosticLog;
use super::record::{Attribute, DumpHeader, RawDump, Record, RecordCallback, text_of_bytes};
use super::torque::{self, TorqueContext};
use super::{dsv, qmgr};
use qscope_engine::cluster::FilePosition;

/// Reader of a file.
#[derive(Clone, Debug, Default)]
pub(crate) enum ReaderKind {
    /// JSON or text, depending on the content.
    #[default]
    ByContent,
    /// `-F dsv`.
    Dsv,
    /// A script of `qmgr`.
    Script,
    /// The table of `pbsnodes -aSj`.
    NodeTable,
    /// `resourcedef` of the server: `name type=TYPE flag=LETTERS`.
    Definitions,
    /// `server_priv/nodes` of Torque: `name np=N gpus=N property`.
    TorqueNodeFile,
    /// Torque's text or XML.
    Torque {
        is_xml: bool,
        /// Facts from other files.
        context: Arc<TorqueContext>,
    },
}

impl ReaderKind {
    /// Passes on every record of a kind; returns `None` if the content decides the reader.
    pub(crate) fn read<'a>(
        &self,
        dump: RawDump<'a>,
        log: &mut DiagnosticLog,
        sink: RecordCallback<'_, 'a>,
    ) -> Option<DumpHeader> {
        Some(match self {
            Self::ByContent => return None,
            Self::Dsv => dsv::read(dump, log, sink),
            Self::Script => qmgr::read(dump, log, sink),
            Self::NodeTable => node_table::read(dump.bytes, log, sink),
            Self::Definitions => lines(dump.bytes, log, sink, definition),
            Self::TorqueNodeFile => lines(dump.bytes, log, sink, torque_node),
            Self::Torque { is_xml, context } => torque::read(dump, *is_xml, context, log, sink),
        })
    }
}

/// Passes on one record per line; `#` begins a comment.
fn lines<'a>(
    bytes: &'a [u8],
    log: &mut DiagnosticLog,
    sink: RecordCallback<'_, 'a>,
    read: fn(&str, usize) -> Option<Record<'static>>,
) -> DumpHeader {
    let mut head = DumpHeader::default();
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = text_of_bytes(line);
        let body = line.split('#').next().unwrap_or_default().trim();
        if body.is_empty() {
            continue;
        }
        let Some(record) = read(body, number + 1) else {
            log.warn("line", FilePosition::Line(number + 1), || {
                "skipped a line; expected a name and words such as key=value".to_owned()
            });
            continue;
        };
        head.records += 1;
        if sink(&record, log) == ControlFlow::Break(()) {
            break;
        }
    }
    head
}

fn attribute(name: &'static str, resource: Option<String>, value: &str, line: usize) -> Attribute<'static> {
    Attribute::on_line(name.into(), resource.map(Into::into), value.to_owned().into(), line)
}

/// Parses `name type=TYPE flag=LETTERS`, the words in either order; the type defaults to string.
fn definition(text: &str, line: usize) -> Option<Record<'static>> {
    let mut words = text.split_whitespace();
    let name = words.next().filter(|name| !name.contains('='))?.to_owned();
    let mut attributes = vec![attribute("type", None, "string", line)];
    for word in words {
        let (key, value) = word.split_once('=')?;
        match key {
            "type" => attributes.push(attribute("type", None, value, line)),
            "flag" => attributes.push(attribute("flag", None, value, line)),
            _ => {}
        }
    }
    Some(Record { name: name.into(), position: FilePosition::Line(line), attributes })
}

/// Parses `name[:ts] np=N gpus=N mics=N property`: what the node has, without its state.
fn torque_node(text: &str, line: usize) -> Option<Record<'static>> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let (name, is_shared) = name.strip_suffix(":ts").map_or((name, false), |name| (name, true));
    let state = if is_shared { "offline" } else { "free" };
    let mut attributes = vec![attribute("Mom", None, name, line), attribute("state", None, state, line)];
    let mut slots = "1";
    for word in words {
        match word.split_once('=') {
            Some(("np", count)) => slots = count,
            Some(("gpus", count)) => {
                attributes.push(attribute("resources_available", Some("ngpus".to_owned()), count, line));
            }
            Some(("mics", count)) => {
                attributes.push(attribute("resources_available", Some("nmics".to_owned()), count, line));
            }
            Some(_) => {}
            None => attributes.push(attribute("resources_available", Some(word.to_owned()), "True", line)),
        }
    }
    attributes.push(attribute("resources_available", Some("ncpus".to_owned()), slots, line));
    Some(Record { name: name.to_owned().into(), position: FilePosition::Line(line), attributes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::DumpKind;

    fn all(reader: &ReaderKind, kind: DumpKind, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        reader.read(RawDump::new(kind, text.as_bytes()), &mut DiagnosticLog::default(), &mut |record, _| {
            let set = record
                .attributes
                .iter()
                .map(|a| format!("{}.{}={}", a.name, a.resource.as_deref().unwrap_or(""), a.value));
            all.push(format!("{} {}", record.name, set.collect::<Vec<_>>().join(" ")));
            ControlFlow::Continue(())
        });
        all
    }

    #[test]
    fn definitions_in_either_order() {
        let text = "# made by hand\nngpus type=long flag=hn\nscratch flag=q type=size\nplain\n=x\n";
        assert_eq!(
            all(&ReaderKind::Definitions, DumpKind::Resources, text),
            [
                "ngpus type.=string type.=long flag.=hn",
                "scratch type.=string flag.=q type.=size",
                "plain type.=string"
            ]
        );
    }

    #[test]
    fn the_node_file_of_torque() {
        let text = "n1 np=4 fast\nn2:ts np=8 gpus=2\n";
        let all = all(&ReaderKind::TorqueNodeFile, DumpKind::Nodes, text);
        assert_eq!(
            all[0],
            "n1 Mom.=n1 state.=free resources_available.fast=True resources_available.ncpus=4"
        );
        assert!(all[1].contains("state.=offline") && all[1].contains("resources_available.ngpus=2"));
    }
}
