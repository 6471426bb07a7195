//! Names in a story that are links to objects.

use ratatui::layout::Rect;

use super::{Story, TextPiece};
use crate::layout::cells;
use crate::theme::Role;
use crate::views::Object;
use crate::views::names::{NameLink, in_text};
use crate::widgets::text::width;

/// A link as drawn, and its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoryLink {
    pub(crate) at: Rect,
    pub(crate) object: Object,
}

/// Width of a sign with its blank.
const SIGN: u16 = 2;

impl TextPiece {
    /// Makes the piece a link to an object.
    pub(crate) fn leading_to(self, object: Object) -> Self {
        Self { leads_to: Some(object), ..self }
    }

    /// A text in a role in which the names of these objects are links.
    pub(crate) fn naming(role: Role, text: &str, objects: impl IntoIterator<Item = Object>) -> Vec<Self> {
        Self::linked(role, text, in_text(objects, text))
    }

    /// A text in a role with these links.
    pub(crate) fn linked(role: Role, text: &str, links: impl IntoIterator<Item = NameLink>) -> Vec<Self> {
        let mut names: Vec<_> = links.into_iter().filter_map(|link| Some((link.at?, link.object))).collect();
        names.sort_by_key(|(place, _)| place.start);
        let (mut pieces, mut done) = (Vec::new(), 0);
        for (place, object) in names {
            let Some(before) = text.get(done..place.start) else { continue };
            pieces.push(Self::of(role, before));
            done = place.end;
            pieces.push(Self::of(role, text.get(place).unwrap_or_default()).leading_to(object));
        }
        pieces.push(Self::of(role, text.get(done..).unwrap_or_default()));
        pieces.retain(|piece| !piece.text.is_empty());
        pieces
    }
}

/// Makes the count of omitted items at the end of a text (`28 4 5 +3` or `+10 more`) a link to the object with the full
/// list.
pub(crate) fn rest_leading_to(mut pieces: Vec<TextPiece>, object: Object) -> Vec<TextPiece> {
    let Some(last) = pieces.pop_if(|last| last.leads_to.is_none()) else { return pieces };
    let count = last
        .text
        .rfind('+')
        .filter(|at| *at == 0 || last.text.get(..*at).is_some_and(|head| head.ends_with(' ')));
    let counted = |at: &usize| {
        let number = last.text.get(at + 1..).unwrap_or_default().trim_end_matches(" more");
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let Some((head, rest)) = count.filter(counted).and_then(|at| last.text.split_at_checked(at)) else {
        pieces.push(last);
        return pieces;
    };
    let part = |text: &str| TextPiece { text: text.to_owned(), ..last.clone() };
    pieces.extend((!head.is_empty()).then(|| part(head)));
    pieces.push(part(rest).leading_to(object));
    pieces
}

impl Story {
    /// The links in the lines that an area shows, from the first line on.
    pub(crate) fn links(&self, area: Rect) -> Vec<StoryLink> {
        let mut found = Vec::new();
        for (line, row) in self.lines.iter().zip(area.rows()) {
            let mut x = row.x;
            for piece in line {
                let sign = if piece.signed { SIGN } else { 0 };
                let wide = cells(width(&piece.text)).saturating_add(sign);
                let at = Rect { x, width: wide, ..row }.intersection(row);
                if let Some(object) = piece.leads_to.clone().filter(|_| !at.is_empty()) {
                    found.push(StoryLink { at, object });
                }
                x = x.saturating_add(wide);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_what_has_no_room_leads_to_all_of_it() {
        let object = Object::Queue("workq".to_owned());
        let shown = |text: &str| -> Vec<(String, bool)> {
            let pieces = rest_leading_to(vec![TextPiece::plain(text)], object.clone());
            pieces.into_iter().map(|piece| (piece.text, piece.leads_to.is_some())).collect()
        };
        let own = |text: &str, leads: bool| (text.to_owned(), leads);
        assert_eq!(shown("4 5 +3"), [own("4 5 ", false), own("+3", true)]);
        assert_eq!(shown("+10 more"), [own("+10 more", true)]);
        assert_eq!(shown("2+3"), [own("2+3", false)]);
        assert_eq!(shown("4 5 +x"), [own("4 5 +x", false)]);
    }

    #[test]
    fn names_lead_to_their_objects_where_they_are_drawn() {
        let job = |name: &str| Object::Job(name.to_owned());
        let jobs = [job("9.s"), job("14.s"), job("66[].s"), job("99.s")];
        let pieces = TextPiece::naming(Role::Text, "14 66[1,3] 9 +2", jobs);
        let mut story = Story::plain([vec![TextPiece::dim("wait  ")], pieces].concat());
        story.fit(13);
        let links = story.links(Rect::new(2, 4, 13, 5));
        let found: Vec<_> =
            links.iter().map(|link| (link.at.x, link.at.y, link.at.width, link.object.name())).collect();
        assert_eq!(found, [(8, 4, 2, "14.s"), (2, 5, 7, "66[].s"), (10, 5, 1, "9.s")]);
    }
}
