//! The types that may be written into a file for others.

use super::{Ansi, Csv, Html, Json, Lines, OpenMetrics};

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Ansi {}
    impl Sealed for super::Archive {}
    impl Sealed for super::Csv {}
    impl Sealed for super::Html {}
    impl Sealed for super::Json {}
    impl Sealed for super::Lines {}
    impl Sealed for super::OpenMetrics {}
}

/// Bytes that have passed the function of their exit. Files for others are written only from these, so skipping that
/// function does not compile:
///
/// ```
/// fn write(page: &impl qscope_exits::Exit) -> usize { page.bytes().len() }
/// let mut lines = qscope_exits::Lines::new();
/// lines.line("a job's comment");
/// assert_eq!(write(&lines), 16);
/// ```
///
/// ```compile_fail
/// fn write(page: &impl qscope_exits::Exit) -> usize { page.bytes().len() }
/// write(&String::from("a job's comment"));
/// ```
///
/// Other crates cannot implement it for their own types:
///
/// ```compile_fail
/// struct Raw(String);
/// impl qscope_exits::Exit for Raw {
///     fn bytes(&self) -> &[u8] { self.0.as_bytes() }
/// }
/// ```
pub trait Exit: sealed::Sealed {
    /// Returns the bytes to be written.
    fn bytes(&self) -> &[u8];
}

/// An archive of dumps, which is unpacked and read again, never shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Archive(pub Vec<u8>);

impl Exit for Archive {
    fn bytes(&self) -> &[u8] {
        &self.0
    }
}

macro_rules! texts {
    ($($text:ty),+) => {
        $(impl Exit for $text {
            fn bytes(&self) -> &[u8] {
                self.as_str().as_bytes()
            }
        })+
    };
}

texts!(Ansi, Csv, Html, Json, Lines, OpenMetrics);
