//! The rows of a page: headings, facts and attributes, each with a name and a text.

use std::ops::Range;

use crate::story::wrap_text;
use crate::theme::Role;
use crate::views::Object;
use crate::views::names::NameLink;
use crate::widgets::text::width;
use qscope_session::as_read::RawAttribute;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PageRow {
    /// Empty if the row continues the one above.
    pub(super) name: String,
    pub(super) text: String,
    pub(super) role: Role,
    pub(super) is_heading: bool,
    /// What Enter opens: the first one, or another that was selected.
    pub(super) links: Vec<NameLink>,
    /// The line in the file, such as `:12`.
    pub(super) place: String,
    /// An amount and its maximum, for a bar before the text.
    pub(super) gauge: Option<(f64, f64)>,
}

impl PageRow {
    /// A fact.
    pub(crate) fn fact(name: &str, text: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            text: text.into(),
            role: Role::Text,
            is_heading: false,
            links: Vec::new(),
            place: String::new(),
            gauge: None,
        }
    }

    /// A heading for the rows below.
    pub(super) fn heading(text: &str) -> Self {
        Self { is_heading: true, role: Role::Heading, ..Self::fact("", text) }
    }

    /// A text without a name.
    pub(super) fn text(text: &str) -> Self {
        Self { role: Role::TextDim, ..Self::fact("", text) }
    }

    /// Adds a bar for `have` of `of`.
    pub(super) fn with_bar(self, have: f64, of: f64) -> Self {
        Self { gauge: Some((have, of)), ..self }
    }

    pub(crate) fn in_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    pub(super) fn to(self, object: Object) -> Self {
        self.leading_to([object])
    }

    /// Links the row to these objects.
    pub(super) fn leading_to(self, objects: impl IntoIterator<Item = Object>) -> Self {
        Self { links: objects.into_iter().map(NameLink::to).collect(), ..self }
    }

    /// An attribute of a file.
    pub(super) fn attribute(found: &RawAttribute) -> Self {
        let place = found.line.map_or_else(String::new, |line| format!(":{line}"));
        Self { place, ..Self::fact(&found.name, found.value.clone()) }
    }

    pub(super) fn words(&self) -> String {
        format!("{} {}", self.name, self.text)
    }

    /// Whether the row counts in a title: not headings, texts without a name and continued rows.
    pub(super) fn is_counted(&self) -> bool {
        !self.is_heading && !self.name.is_empty()
    }

    pub(super) fn is_same(a: &Self, b: &Self) -> bool {
        (&a.name, a.is_heading, &a.links) == (&b.name, b.is_heading, &b.links) && !a.name.is_empty()
    }
}

/// Columns for the name of a fact.
pub(super) const NAME: usize = 10;

/// Wraps facts that do not fit into `columns` columns into several rows.
pub(super) fn wrapped(rows: Vec<PageRow>, columns: usize) -> Vec<PageRow> {
    let widest = rows.iter().map(|row| width(&row.name)).max().unwrap_or(0);
    let names = widest.clamp(NAME - 1, (columns / 2).max(NAME - 1));
    // The cursor is before the name, a space after it, and one at the end.
    let room = columns.saturating_sub(names + 3).max(10);
    let mut all = Vec::new();
    for row in rows {
        // A bar stays in one row with its numbers.
        if row.is_heading || row.gauge.is_some() || width(&row.text) <= room {
            all.push(row);
            continue;
        }
        let mut from = 0;
        for (at, text) in wrap_text(&row.text, room).into_iter().enumerate() {
            let name = if at == 0 { row.name.clone() } else { String::new() };
            from += row.text.get(from..).and_then(|rest| rest.find(&*text)).unwrap_or_default();
            let links = links_within(&row.links, from..from + text.len());
            from += text.len();
            all.push(PageRow { name, text, links, ..row.clone() });
        }
    }
    all
}

/// The links in a part of a text, with their places there; if there are none, all links of the text without places.
fn links_within(links: &[NameLink], part: Range<usize>) -> Vec<NameLink> {
    let here = |link: &NameLink| {
        let at = link.at.clone().filter(|at| part.contains(&at.start))?;
        let at = at.start - part.start..at.end.min(part.end) - part.start;
        Some(NameLink { object: link.object.clone(), at: Some(at) })
    };
    let found: Vec<NameLink> = links.iter().filter_map(here).collect();
    if found.is_empty() {
        links.iter().map(|link| NameLink::to(link.object.clone())).collect()
    } else {
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::names::in_text;

    /// No line begins with the end of the previous word, such as a closing bracket.
    #[test]
    fn an_exec_vnode_breaks_between_its_chunks() {
        let comment =
            "Job run at 01:57 on (cn003:ncpus=16)+(cn006:ncpus=16)+(cn009:ncpus=16)+(cn012:ncpus=16)";
        let rows = wrapped(vec![PageRow::fact("PBS", comment)], 78);
        let texts: Vec<&str> = rows.iter().map(|row| row.text.trim_end()).collect();
        let parts =
            ["Job run at 01:57 on (cn003:ncpus=16)+(cn006:ncpus=16)+", "(cn009:ncpus=16)+(cn012:ncpus=16)"];
        assert_eq!(texts, parts);
    }

    #[test]
    fn a_link_goes_with_the_line_that_its_name_stands_in() {
        let text = "wait for 2 ncpus: jobs 2 17";
        let jobs = ["2.s", "17.s"].map(|name| Object::Job(name.to_owned()));
        let row = PageRow { links: in_text(jobs, text), ..PageRow::fact("jobs", text) };
        let rows = wrapped(vec![row], 25 + 12);
        let places: Vec<Vec<_>> =
            rows.iter().map(|row| row.links.iter().map(|link| link.at.clone()).collect()).collect();
        assert_eq!(rows[1].text.get(places[1][0].clone().unwrap()), Some("17"));
        assert_eq!(rows[0].text.get(places[0][0].clone().unwrap()), Some("2"));
        assert_eq!(places, [vec![Some(23..24)], vec![Some(0..2)]]);
    }
}
