//! What lies in a dump, before anything is made of it.

use std::ops::ControlFlow;

use super::choice::Chosen;
use super::files::Files;
use super::log::Log;
use super::record::DumpKind;
use qscope_engine::cluster::FileForm;

/// A dump by its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Survey {
    /// In which form it is.
    pub form: FileForm,
    /// How many records it holds.
    pub records: usize,
    /// How many attributes these have.
    pub attributes: usize,
}

/// Reads a dump of nodes or jobs as a load does, and only counts. Nothing for other files.
#[must_use]
pub fn survey(files: &Files, name: &'static str) -> Option<Survey> {
    let kind = match name.split(['.', '-']).next()? {
        "nodes" => DumpKind::Nodes,
        "jobs" => DumpKind::Jobs,
        _ => return None,
    };
    let file = Chosen::open(files, name, kind)?;
    let mut attributes = 0;
    let head = file.read(kind, &mut Log::default(), &mut |record, _| {
        attributes += record.attributes.len();
        ControlFlow::Continue(())
    });
    Some(Survey { form: file.form, records: head.records, attributes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_attributes_are_counted() {
        let mut files = Files::new("t");
        files.insert("jobs.json", "{\"Jobs\":{\"1\":{\"Job_Name\":\"a\",\"ctime\":5}}}", None);
        let found = survey(&files, "jobs.json");
        assert_eq!(found, Some(Survey { form: FileForm::Json, records: 1, attributes: 2 }));
        assert_eq!(survey(&files, "now"), None);
    }
}
