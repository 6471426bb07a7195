//! The bytes of a program's terminal, frame by frame: a frame is not processed before its end (`CSI ? 2026`).

/// The end of a frame.
const SHOW: &[u8] = b"\x1b[?2026l";
/// The beginning and end of a frame, without the last letter.
const MARK: &[u8] = b"\x1b[?2026";

/// Received bytes, of which an unfinished frame is held back.
#[derive(Default)]
pub(crate) struct WholeFrames {
    held: Vec<u8>,
}

impl WholeFrames {
    /// Takes the received bytes; returns what can be shown now.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let place =
            |mark: &[u8], from: usize| (from..self.held.len()).find(|at| self.held[*at..].starts_with(mark));
        let mut whole = 0;
        while let Some(at) = place(SHOW, whole) {
            whole = at + SHOW.len();
        }
        let whole = place(MARK, whole).unwrap_or(self.held.len());
        self.held.drain(..whole).collect()
    }
}
