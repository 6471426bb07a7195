//! The first line: the most important facts; the least important are dropped first.

use ratatui::text::{Line, Span};

use super::text::{clean, truncate, width};
use crate::theme::{Role, Theme};

/// A fact with a lower `keep` is dropped before more important ones are shortened.
const ASIDE: u8 = 35;

/// If a fact of at least this `keep` is dropped, the line ends with a mark.
const MARKED: u8 = 40;

/// One fact of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeaderFact {
    pub text: String,
    /// A shorter form, used if there is little room.
    pub short: Option<String>,
    /// A still shorter form, used before the fact is dropped.
    pub tight: Option<String>,
    pub role: Role,
    /// Whether it is drawn as a block.
    pub badge: bool,
    /// Its importance: facts with the lowest value are dropped first if there is little room.
    pub keep: u8,
}

impl HeaderFact {
    /// A plain fact.
    pub(crate) fn new(text: impl Into<String>, keep: u8) -> Self {
        Self { text: text.into(), short: None, tight: None, role: Role::Text, badge: false, keep }
    }

    /// Adds a shorter form.
    #[must_use]
    pub(crate) fn with_short(self, short: impl Into<String>) -> Self {
        Self { short: Some(short.into()), ..self }
    }

    /// Adds a form that is used before the fact is dropped.
    #[must_use]
    pub(crate) fn with_tight(self, tight: impl Into<String>) -> Self {
        Self { tight: Some(tight.into()), ..self }
    }

    /// Returns the fact in its short form.
    pub(crate) fn shortened(self) -> Self {
        let text = self.short.unwrap_or(self.text);
        Self { text, short: None, ..self }
    }

    /// Sets the role.
    #[must_use]
    pub(crate) fn of(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// A state, which is dropped last.
    pub(crate) fn badge(text: impl Into<String>, role: Role) -> Self {
        Self { text: text.into(), short: None, tight: None, role, badge: true, keep: u8::MAX }
    }

    fn shown(&self, text: &str, theme: &Theme) -> String {
        let text = clean(text);
        if self.badge {
            return format!(" {text} ");
        }
        let sign = if self.role == Role::Text { "" } else { theme.glyph(self.role) };
        if sign.is_empty() { text.into_owned() } else { format!("{sign} {text}") }
    }
}

/// The line of facts, at most `columns` wide.
pub(crate) fn header(facts: &[HeaderFact], columns: u16, theme: &Theme) -> Line<'static> {
    let columns = usize::from(columns).saturating_sub(2);
    let mut shown: Vec<(&HeaderFact, String)> =
        facts.iter().map(|fact| (fact, fact.shown(&fact.text, theme))).collect();
    let dot = theme.dot();
    let mut by_worth: Vec<&HeaderFact> = facts.iter().collect();
    by_worth.sort_by_key(|fact| fact.keep);
    for fact in by_worth {
        if total(&shown, dot) <= columns {
            break;
        }
        let Some(at) = shown.iter().position(|(other, _)| std::ptr::eq(*other, fact)) else { continue };
        if fact.keep < ASIDE {
            // Drop unimportant facts before more important ones are shortened.
            shown.remove(at);
        } else if let Some(short) = &fact.short
            && let Some((_, text)) = shown.get_mut(at)
        {
            *text = fact.shown(short, theme);
        }
    }
    let mut is_cut = false;
    while shown.len() > 1 && total(&shown, dot) > columns {
        let Some(least) = shown.iter().map(|(fact, _)| fact.keep).min() else { break };
        let Some(at) = shown.iter().rposition(|(fact, _)| fact.keep == least) else { break };
        let tight = shown.get(at).and_then(|(fact, text)| {
            let tight = fact.shown(fact.tight.as_deref()?, theme);
            (tight != *text).then_some(tight)
        });
        match (tight, shown.get_mut(at)) {
            (Some(tight), Some((_, text))) => *text = tight,
            _ => {
                shown.remove(at);
                is_cut |= least >= MARKED;
            }
        }
    }
    let mut line = Line::from(" ").style(theme.style(Role::Text));
    for (at, (fact, text)) in shown.iter().enumerate() {
        if at > 0 {
            line.push_span(Span::styled(dot, theme.style(Role::TextDim)));
        }
        line.push_span(Span::styled(
            truncate(text, columns, theme.ellipsis()).into_owned(),
            theme.style(fact.role),
        ));
    }
    // A fact of importance is not left out without a mark, for which the line has room.
    if is_cut {
        let gap = if total(&shown, dot) < columns { " " } else { "" };
        line.push_span(Span::styled(format!("{gap}{}", theme.ellipsis()), theme.style(Role::TextDim)));
    }
    line
}

fn total(shown: &[(&HeaderFact, String)], dot: &str) -> usize {
    shown.iter().map(|(_, text)| width(text) + width(dot)).sum::<usize>().saturating_sub(width(dot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::GlyphSet;

    #[test]
    fn an_age_is_written_tighter_before_it_is_dropped() {
        let theme = Theme::mono(GlyphSet::Ascii);
        let facts = [HeaderFact::new("svr", 254), HeaderFact::new("9d old", 40).with_tight("9d").shortened()];
        let at = |columns| header(&facts, columns, &theme).to_string();
        assert_eq!([at(14), at(12), at(9)], [" svr | 9d old", " svr | 9d", " svr ~"]);
    }

    #[test]
    fn what_is_worth_little_goes_before_a_count_is_shortened() {
        let theme = Theme::mono(GlyphSet::Ascii);
        let facts = [
            HeaderFact::new("svr", 254),
            HeaderFact::new("9 nodes: 4 free 5 full", 80).with_short("4/9 free"),
            HeaderFact::new("6d old", 40),
            HeaderFact::new("UTC", 30),
        ];
        let at = |columns| header(&facts, columns, &theme).to_string();
        assert_eq!(at(60), " svr | 9 nodes: 4 free 5 full | 6d old | UTC");
        assert_eq!(at(40), " svr | 9 nodes: 4 free 5 full | 6d old");
        assert_eq!(at(36), " svr | 4/9 free | 6d old");
        assert_eq!(at(20), " svr | 4/9 free ~");
    }
}
