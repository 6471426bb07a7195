//! Comments and other free texts: kept if every word is one of the scheduler's own or a known name.

use super::names::NameReplacements;
use qscope_engine::cluster::{Catalogue, Name};

/// The words of the scheduler's comments (rule 7), in lower case.
const VOCABULARY: &str = "not running can never run job would conflict with reservation or top insufficient amount of \
    resource queue server started limit reached for user group project overall has been running \
    concurrent number subjobs dedicated time cross boundary will in primetime only nonprimetime into non-primetime \
    is under job_sort_formula threshold value zero shares fairshare break strict sorted order enough free total nodes \
    available no resources on can't fit the largest placement set and span psets requesting an exclusive node use \
    satisfy multi-node pbs license eligible advance cannot provision provisioning disabled vnode requested eoe aoe \
    too few state ineligible exceed complex per-user per-group per-project held by owner due to a at run_count system \
    offline down unknown stale busy job-busy job-exclusive resv-exclusive maintenance sleep provisioning \
    wait-provisioning initializing state-unknown r t mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep \
    oct nov dec draining evicted preempted";

/// Returns whether a character is part of a word; the parts of names are not separated.
fn is_within(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']' | '\'') || !c.is_ascii()
}

/// Returns a text of the scheduler with its names replaced; `None` if a word is neither one of the scheduler's nor a
/// number, a resource or a known name, since its meaning cannot be known.
pub(super) fn scheduler_text(text: &str, names: &NameReplacements, catalogue: &Catalogue) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c: char| !is_within(c)).unwrap_or(rest.len());
        if end == 0 {
            // Paths and addresses do not occur in comments of the scheduler.
            if !c.is_ascii() || !matches!(c, ' ' | ':' | ',' | '(' | ')' | '=' | '!' | '+' | '"' | '\t') {
                return None;
            }
            out.push(c);
            rest = rest.get(c.len_utf8()..)?;
            continue;
        }
        let (word, after) = rest.split_at_checked(end)?;
        out.push_str(&replaced(word, names, catalogue)?);
        rest = after;
    }
    Some(out)
}

/// Replaces one word, which may be a name with a point or a genitive after it.
fn replaced(word: &str, names: &NameReplacements, catalogue: &Catalogue) -> Option<Name> {
    if let Some(stands) = names.comment_replacement(word) {
        return Some(stands);
    }
    if is_plain(word, catalogue) {
        return Some(word.into());
    }
    let end = [".", "'s", "'"].into_iter().find(|end| word.ends_with(end) && word.len() > end.len())?;
    let inner = word.strip_suffix(end)?;
    let stands =
        names.comment_replacement(inner).or_else(|| is_plain(inner, catalogue).then(|| inner.into()))?;
    Some(format!("{stands}{end}").into())
}

fn is_plain(word: &str, catalogue: &Catalogue) -> bool {
    let lower = word.to_ascii_lowercase();
    VOCABULARY.split_whitespace().any(|known| known == lower)
        || catalogue.id(word).is_some()
        || is_amount(&lower)
        || matches!(&*lower, "true" | "false")
}

/// Returns whether a word is a number, possibly negative, or with the unit of a size.
fn is_amount(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = word.get(digits.len()..).unwrap_or_default();
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && matches!(unit, "" | "b" | "kb" | "mb" | "gb" | "tb" | "pb" | "kw" | "mw" | "gw")
}

impl NameReplacements {
    /// Returns a comment of the scheduler with the names in it replaced; `None` if that is not possible.
    pub fn redact_comment(&self, text: &str, catalogue: &Catalogue) -> Option<String> {
        scheduler_text(text, self, catalogue)
    }
}
