//! The files that the snapshot was read from, and why other files were not used.
//!
//! ```text
//! file          form    records     size      age  note
//! nodes.json    JSON         32    20 kB       2s  pbs01 23.06.06
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::theme::{Role, Theme};
use crate::widgets::frame;
use crate::widgets::table::{Cell, Table, TableColumn, TableState, Width, height};
use crate::wording;
use qscope_engine::cluster::{FileRecord, Snapshot};
use qscope_session::dump_times::DumpTimes;

/// The files that were used, then the others, each group in the order read.
#[derive(Debug, Default)]
pub(super) struct FileList {
    skew: String,
    lines: Vec<FileListLine>,
}

#[derive(Debug)]
struct FileListLine {
    name: String,
    form: &'static str,
    records: String,
    size: String,
    time: String,
    note: String,
    is_used: bool,
}

impl FileList {
    pub(super) fn of(snap: &Snapshot) -> Self {
        let mut lines: Vec<FileListLine> = snap.files.iter().map(|file| line(snap, file)).collect();
        lines.sort_by_key(|line| !line.is_used);
        Self { skew: DumpTimes::of(snap).skew().unwrap_or_default(), lines }
    }

    pub(super) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let title = match self.lines.len() {
            0 => "Files".to_owned(),
            files => format!("Files{}{files}", theme.dot()),
        };
        let inner = frame::pane(area, buf, theme, &title, &self.skew, false);
        if self.lines.is_empty() {
            return frame::empty(inner, buf, theme, &["This snapshot was read from no file."]);
        }
        let cell = |line: &FileListLine, text: &str| {
            Cell::of(if line.is_used { Role::Text } else { Role::TextDim }, text.to_owned())
        };
        let columns = [
            TableColumn::words("file", Width::Between(8, 24), 100, |line: &FileListLine| {
                cell(line, &line.name)
            }),
            TableColumn::words("form", Width::Fixed(5), 60, |line: &FileListLine| cell(line, line.form)),
            TableColumn::words("records", Width::Fixed(8), 80, |line: &FileListLine| {
                cell(line, &line.records)
            })
            .at_right(),
            TableColumn::words("size", Width::Fixed(8), 85, |line: &FileListLine| cell(line, &line.size))
                .at_right(),
            TableColumn::words("made", Width::Between(12, 28), 90, |line: &FileListLine| {
                cell(line, &line.time)
            }),
            TableColumn::words("note", Width::Fill(12), 70, |line: &FileListLine| cell(line, &line.note)),
        ];
        let table = Table::new(&columns, &self.lines, TableState::default(), theme);
        Table { focused: false, has_cursor: false, ..table }.render(inner, buf);
        frame::left_out(self.lines.len().saturating_sub(height(inner)), inner, buf, theme);
    }
}

fn line(snap: &Snapshot, file: &FileRecord) -> FileListLine {
    let named = [&file.server, &file.version].into_iter().flatten();
    let by = named.map(|name| &**name).collect::<Vec<_>>().join(" ");
    let note = match (&file.unused, file.records) {
        (Some(why), _) => format!("not used: {why}"),
        (None, 0) if file.bytes < 2 => "empty".to_owned(),
        _ => by,
    };
    let time = match (file.timestamp, file.modified) {
        (Some(at), _) => wording::clock(snap, at),
        (None, Some(at)) => format!("written {}", wording::clock(snap, at)),
        (None, None) => "no time".to_owned(),
    };
    FileListLine {
        name: file.name.to_string(),
        form: file.form.word(),
        records: if file.is_used() { file.records.to_string() } else { String::new() },
        size: wording::bytes(file.bytes),
        time,
        note,
        is_used: file.is_used(),
    }
}
