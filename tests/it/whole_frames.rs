//! The bytes of a program's terminal, frame by frame: what is held back until its end (`CSI ? 2026`) is not looked at before.

/// What a frame ends with.
const SHOW: &[u8] = b"\x1b[?2026l";
/// What it begins and ends with, but for the last letter.
const MARK: &[u8] = b"\x1b[?2026";

/// Bytes that came, without the frame that has not ended.
#[derive(Default)]
pub(crate) struct WholeFrames {
    held: Vec<u8>,
}

impl WholeFrames {
    /// Takes in what came; what can be shown now.
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
