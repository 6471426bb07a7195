//! What the manual states of an attribute.

/// One attribute or option, as listed in the manual.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttributeDoc {
    pub name: &'static str,
    /// Its possible values, with their unit.
    pub unit: &'static str,
    /// Its meaning, in one line.
    pub doc: &'static str,
    /// Whether `--set` takes it.
    pub settable: bool,
}
