//! Resource requirement strings of LSF: what a packing policy adds to a job's own requirement, as one string.

use super::esub::SubmissionConditions;

/// The sections in the order in which they are written.
const SECTIONS: [&str; 7] = ["select", "order", "rusage", "span", "same", "cu", "affinity"];

/// Why a requirement is not changed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ResReqError {
    /// `2*{…}+…`, where each part has sections of its own.
    #[error("a compound requirement is not changed: `{0}`")]
    Compound(String),
    /// A bracket is not closed, or a section is unknown or repeated.
    #[error("`{0}` is no requirement of the form select[…] order[…] rusage[…] span[…] same[…]")]
    Form(String),
}

/// Merges both: conditions of both must hold, the policy's order comes before the job's own, other sections
/// stay.
///
/// # Errors
/// The job's own string cannot be parsed.
pub fn merged(own: &str, policy: &SubmissionConditions) -> Result<String, ResReqError> {
    let mut sections = sections(own)?;
    let conditions = policy.requires.join(" && ");
    let select = take(&mut sections, "select");
    let select = match (select.is_empty(), conditions.is_empty()) {
        (_, true) => select,
        (true, false) => conditions,
        (false, false) => format!("({select}) && {conditions}"),
    };
    let order = take(&mut sections, "order");
    let first = policy.order.as_deref().and_then(|order| order.strip_prefix("order[")?.strip_suffix(']'));
    let order = first.into_iter().chain((!order.is_empty()).then_some(order.as_str())).collect::<Vec<_>>();
    sections.push(("select", select));
    sections.push(("order", order.join(":")));
    let written = SECTIONS.iter().filter_map(|name| {
        let (_, text) = sections.iter().find(|(have, _)| have == name)?;
        (!text.is_empty()).then(|| format!("{name}[{text}]"))
    });
    Ok(written.collect::<Vec<_>>().join(" "))
}

fn take(sections: &mut Vec<(&'static str, String)>, name: &str) -> String {
    let at = sections.iter().position(|(have, _)| *have == name);
    at.map(|at| sections.remove(at).1).unwrap_or_default()
}

/// Splits a string into its sections; text before the first one is the select section.
fn sections(text: &str) -> Result<Vec<(&'static str, String)>, ResReqError> {
    if text.contains('{') {
        return Err(ResReqError::Compound(text.to_owned()));
    }
    let fault = || ResReqError::Form(text.to_owned());
    let mut found: Vec<(&'static str, String)> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let named = SECTIONS.iter().find_map(|name| {
            let after = rest.strip_prefix(name)?.trim_start().strip_prefix('[')?;
            Some((*name, after))
        });
        let (name, inside, after) = match named {
            Some((name, after)) => {
                let (inside, after) = after.split_at(closing(after).ok_or_else(fault)?);
                (name, inside, after.get(1..).unwrap_or_default())
            }
            None if found.is_empty() => {
                let end =
                    SECTIONS.iter().filter_map(|name| section_at(rest, name)).min().unwrap_or(rest.len());
                let (inside, after) = rest.split_at(end);
                ("select", inside, after)
            }
            None => return Err(fault()),
        };
        if found.iter().any(|(have, _)| *have == name) {
            return Err(fault());
        }
        found.push((name, inside.trim().to_owned()));
        rest = after.trim_start();
    }
    Ok(found)
}

/// Finds where a section of this name begins after other text.
fn section_at(text: &str, name: &str) -> Option<usize> {
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        let after = text.get(at + name.len()..).unwrap_or_default().trim_start();
        *at > 0 && before.is_some_and(char::is_whitespace) && after.starts_with('[')
    })
}

/// Finds the bracket that closes the open one.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_u32;
    for (at, sign) in text.char_indices() {
        match sign {
            '[' => open += 1,
            ']' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::esub::adequacy;
    use super::super::policy::FarmPolicy;
    use super::*;

    fn policy(class: &str) -> SubmissionConditions {
        let all = [("atlas".to_owned(), FarmPolicy::Relaxed), ("lhcb".to_owned(), FarmPolicy::Exclusive)];
        adequacy(class, &all)
    }

    #[test]
    fn one_string_holds_what_both_request() {
        let merged = |own: &str| merged(own, &policy("atlas")).unwrap();
        assert_eq!(merged(""), "select[packing_lhcb == 0] order[-packing_atlas]");
        assert_eq!(
            merged("select[mem>100 || swp>1] order[ut] rusage[mem=10:duration=5] span[hosts=1]"),
            "select[(mem>100 || swp>1) && packing_lhcb == 0] order[-packing_atlas:ut] rusage[mem=10:duration=5] span[hosts=1]"
        );
        assert_eq!(
            merged("type==any order[r1m]"),
            "select[(type==any) && packing_lhcb == 0] order[-packing_atlas:r1m]"
        );
        assert_eq!(
            super::merged("select[fs] same[type]", &policy("lhcb")).unwrap(),
            "select[fs] order[-packing_lhcb] same[type]"
        );
    }

    #[test]
    fn what_is_not_understood_stays_as_it_is() {
        for text in ["2*{select[a]}+1*{select[b]}", "select[a", "select[a] select[b]", "order[ut] nonsense"] {
            assert!(merged(text, &policy("atlas")).is_err(), "{text}");
        }
    }
}
