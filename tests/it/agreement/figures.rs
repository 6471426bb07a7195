//! The shares that agree, in numbers; never rounded up.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use super::super::cases::Family;
use super::compare::{CASE_FIELDS, Comparison, JOB_FIELDS, Semantics};

/// Prints one line per family directly to the output; the tables by field and case only with the test's own
/// output.
pub(super) fn print(comparisons: &[Comparison]) {
    let mut summary = String::new();
    for semantics in Semantics::BOTH {
        for family in Family::ALL {
            let of = |c: &&Comparison| c.semantics == semantics && c.family == family;
            let members: Vec<&Comparison> = comparisons.iter().filter(of).collect();
            summary.push_str(&line(family, semantics, &members));
            #[allow(clippy::disallowed_macros, reason = "shown with the test's own output")]
            {
                print!("{}", tables(family, semantics, &members));
            }
        }
    }
    std::io::stdout().write_all(summary.as_bytes()).unwrap();
}

fn line(family: Family, semantics: Semantics, members: &[&Comparison]) -> String {
    let whole = members.iter().filter(|comparison| comparison.differences.is_empty()).count();
    let (agree, compared) = totals(members).values().fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
    let unknown: usize = members.iter().map(|comparison| comparison.without_truth).sum();
    let cases = members.iter().filter(|comparison| comparison.without_truth > 0).count();
    let left_out = match unknown {
        0 => String::new(),
        _ => format!(", {unknown} values in {cases} cases without a truth"),
    };
    format!(
        "agreement {:<7} {:<8} {whole:>3} of {:>3} cases, {agree:>6} of {compared:>6} values ({}){left_out}\n",
        family.name(),
        semantics.name(),
        members.len(),
        percent(agree, compared)
    )
}

/// Formats a percentage with one decimal, cut off.
fn percent(part: usize, whole: usize) -> String {
    let tenths = (part * 1000).checked_div(whole).unwrap_or(0);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

fn totals(members: &[&Comparison]) -> BTreeMap<&'static str, (usize, usize)> {
    let mut totals: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    for (field, (agree, compared)) in members.iter().flat_map(|comparison| &comparison.counts) {
        let total = totals.entry(field).or_default();
        total.0 += agree;
        total.1 += compared;
    }
    totals
}

fn tables(family: Family, semantics: Semantics, members: &[&Comparison]) -> String {
    let mut text = format!("\n{}, {}\n", family.name(), semantics.name());
    let totals = totals(members);
    for field in JOB_FIELDS.into_iter().chain(CASE_FIELDS) {
        let (agree, compared) = totals.get(field).copied().unwrap_or_default();
        writeln!(text, "  {field:<12} {agree:>5} of {compared:>5}  {}", percent(agree, compared)).unwrap();
    }
    for comparison in members.iter().filter(|comparison| !comparison.differences.is_empty()) {
        let (agree, compared) = comparison.counts.values().fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
        let reasons = comparison.reasons.join("; ");
        writeln!(text, "  {:<24} {agree:>4} of {compared:>4}  {reasons}", comparison.case).unwrap();
    }
    text
}

#[test]
fn percentages_are_cut_off_not_rounded() {
    assert_eq!(percent(9999, 10_000), "99.9 %");
    assert_eq!(percent(10_000, 10_000), "100.0 %");
}
