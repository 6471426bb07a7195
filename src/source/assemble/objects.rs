//! Takes the records of a dump one by one; those that an earlier reading met are not decoded again.

use std::ops::ControlFlow;

use super::super::choice::Chosen;
use super::super::identity::{Identity, Look};
use super::super::log::Log;
use super::super::memory::Remembered;
use super::super::progress::Progress;
use super::super::record::{Body, DumpKind, Record, Take};
use super::set_down;
use qscope_engine::cluster::{Catalogue, FileRecord, Name, Spot};

/// The objects of one dump, as they are read.
pub(super) trait Objects {
    /// What a record comes to.
    type Read: Clone;
    /// What they are.
    const KIND: DumpKind;

    /// Decodes a record; none if it comes to nothing, which is reported.
    fn decode(&mut self, record: &Record<'_>, log: &mut Log) -> Option<Self::Read>;
    /// Adds what a record came to.
    fn add(&mut self, read: Self::Read, look: &Look, spot: Spot, log: &mut Log);
    /// A name, shared with all others that read the same.
    fn name(&mut self, text: &str) -> Name;
    /// The resources known so far.
    fn catalogue(&self) -> &Catalogue;
    /// What is left for records of this kind to use up; a record that uses some of it is decoded each time.
    fn budget(&self) -> usize;
}

/// Reads a dump of such objects, and sets down what the file reported about itself; how many records there were.
pub(super) fn read<O: Objects>(
    file: &Chosen<'_>,
    objects: &mut O,
    memory: Option<&mut Remembered<O::Read>>,
    files: &mut Vec<FileRecord>,
    log: &mut Log,
) -> usize {
    log.in_file(file.name);
    let report = memory.as_ref().and_then(|memory| memory.report().cloned());
    let progress = Progress::new(file.name, file.bytes, report.as_ref());
    let mut taking = Taking { objects, memory, identity: Identity::default(), progress };
    let head = file.read_known(O::KIND, log, &mut taking);
    let Taking { memory, identity, .. } = taking;
    if let Some(memory) = memory {
        memory.end();
    }
    log.in_record("");
    set_down(file, O::KIND, head, identity, files, log).records
}

struct Taking<'t, O: Objects> {
    objects: &'t mut O,
    memory: Option<&'t mut Remembered<O::Read>>,
    identity: Identity,
    progress: Progress<'t>,
}

impl<'a, O: Objects> Take<'a> for Taking<'_, O> {
    fn take(&mut self, record: &Record<'a>, body: Option<Body<'_>>, log: &mut Log) -> ControlFlow<()> {
        self.progress.reach(record.name.as_bytes());
        let look = self.identity.look(O::KIND, record);
        self.identity.add(&look);
        let (reported, budget) = (log.reported(), self.objects.budget());
        let Some(read) = self.objects.decode(record, log) else { return ControlFlow::Continue(()) };
        let is_plain = log.reported() == reported && self.objects.budget() == budget;
        if let (Some(memory), Some(body)) = (&mut self.memory, body.filter(|_| is_plain)) {
            let name = self.objects.name(&record.name);
            memory.keep(name, body, self.objects.catalogue(), look.clone(), read.clone());
        }
        self.objects.add(read, &look, record.spot, log);
        ControlFlow::Continue(())
    }

    fn again(&mut self, name: &str, spot: Spot, rest: Body<'_>, log: &mut Log) -> Option<usize> {
        self.progress.reach(rest.bytes);
        let memory = self.memory.as_mut()?;
        let (length, look, read) = memory.find(name, rest, self.objects.catalogue())?;
        self.identity.add(look);
        self.objects.add(read, look, spot, log);
        Some(length)
    }
}
