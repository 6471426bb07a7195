use super::*;
use crate::theme::{ColorDepth, GlyphSet, ThemeOptions};
use qscope_engine::cluster::Seconds;

fn theme(glyphs: GlyphSet) -> Theme {
    Theme::mono(glyphs)
}

fn span(from: i64, to: i64, fill: BarKind, name: &str) -> GanttBar {
    GanttBar {
        from: Epoch(from),
        to: (to >= 0).then_some(Epoch(to)),
        fill,
        name: name.to_owned(),
        is_subject: false,
    }
}

/// A row of 40 minutes in 40 columns, and the line of times.
fn drawn(spans: Vec<GanttBar>, note: &str, glyphs: GlyphSet) -> [String; 2] {
    let theme = theme(glyphs);
    let minute = |at: Epoch| format!("{:02}:{:02}", at.0 / 3600, at.0 / 60 % 60);
    let axis = Axis::new(Epoch(180), Seconds(2400), 40, Seconds(0), minute);
    let gantt = Gantt { axis: &axis, theme: &theme, label: 5, edges: &[], dedicated: &[] };
    let mut buf = Buffer::empty(Rect::new(0, 0, 45, 2));
    gantt.draw_times(Rect::new(0, 0, 45, 1), &mut buf);
    let lane = GanttLane { label: "n[1-2]".to_owned(), spans, note: note.to_owned() };
    gantt.lane(&lane, Rect::new(0, 1, 45, 1), &mut buf, Role::Text);
    let row = |y| (0..45).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    [row(0), row(1)]
}

#[test]
fn bars_stand_at_their_times_with_their_names() {
    let spans = vec![span(0, 780, BarKind::Running, "50"), span(1380, 99_999, BarKind::Planned, "54")];
    assert_eq!(
        drawn(spans.clone(), "", GlyphSet::Unicode),
        ["     00:03  ╷00:10    ╷00:20    ╷00:30", "n[1… ▓50▓▓▓▓▓▓▓       ·  ▏54░░░░░░░░░░░░░░░░→"]
    );
    assert_eq!(drawn(spans, "", GlyphSet::Ascii)[1], "n[1~ #50#######       .  |54---------------->");
}

/// Console.md 5: the name of a bar is on the ground of the bar, which its cells have too.
#[test]
fn bars_have_a_fill_under_their_names_and_signs() {
    let options = ThemeOptions { depth: ColorDepth::True, glyphs: GlyphSet::Unicode };
    let theme = Theme::built_in("default-dark", options).0;
    let axis = Axis::new(Epoch(180), Seconds(2400), 40, Seconds(0), |at| at.0.to_string());
    let gantt = Gantt { axis: &axis, theme: &theme, label: 0, edges: &[], dedicated: &[] };
    let ground = theme.style(Role::Text).bg;
    let fills = [
        (BarKind::Running, Role::BarRunning),
        (BarKind::Starting, Role::BarStarting),
        (BarKind::Planned, Role::BarPlanned),
    ];
    for (fill, role) in fills {
        let mut buf = Buffer::empty(Rect::new(0, 0, 40, 1));
        let spans = vec![span(240, 1500, fill, "54")];
        let lane = GanttLane { label: String::new(), spans, note: String::new() };
        gantt.lane(&lane, buf.area, &mut buf, Role::Text);
        let named = (1..20).find(|x| buf[(*x, 0)].symbol() == "5").unwrap();
        let (name, sign, blank) =
            (buf[(named, 0)].style(), buf[(named + 3, 0)].style(), buf[(35, 0)].style());
        assert_eq!((name.fg, name.bg), (theme.style(role).fg, theme.style(role).bg), "{role:?}");
        assert_ne!(name.bg, ground, "{role:?}");
        assert_eq!((sign.bg, blank.bg), (name.bg, ground), "{role:?}");
    }
}

#[test]
fn a_bar_without_an_end_goes_to_the_edge() {
    let [_, row] = drawn(vec![span(180, -1, BarKind::Starting, "68")], "", GlyphSet::Unicode);
    assert_eq!(row, format!("n[1… ▒68{}→", "▒".repeat(36)));
}

#[test]
fn a_bar_thinner_than_a_cell_has_its_name_beside_it() {
    let [_, row] = drawn(vec![span(180, 190, BarKind::Running, "504")], "", GlyphSet::Unicode);
    assert!(row.starts_with("n[1… ▓504"), "{row}");
}

/// In a window of a year both lie in one cell: what is drawn there is not named after the other.
#[test]
fn a_name_beside_a_bar_is_the_name_of_that_bar() {
    let both = vec![span(180, 190, BarKind::Running, "50"), span(190, 210, BarKind::Planned, "54")];
    let [_, row] = drawn(both, "", GlyphSet::Unicode);
    assert!(row.starts_with("n[1… ▓50") && !row.contains("54"), "{row}");
}

#[test]
fn jobs_that_share_a_node_are_named_or_counted() {
    let two = vec![span(180, 900, BarKind::Starting, "61"), span(180, 1500, BarKind::Starting, "62")];
    assert!(drawn(two, "", GlyphSet::Unicode)[1].starts_with("n[1… ▒61 62▒▒▒▒"));
    let many = (0..5)
        .map(|n| span(180, 900 + n * 60, BarKind::Running, &format!("{}", 100 + n)))
        .collect::<Vec<_>>();
    assert!(drawn(many, "", GlyphSet::Unicode)[1].starts_with("n[1… ▓104 +4▓"));
}

#[test]
fn a_bar_counts_the_jobs_that_it_lies_over() {
    let both = vec![span(180, 1500, BarKind::Running, "3"), span(180, 900, BarKind::Starting, "23")];
    let [_, row] = drawn(both, "", GlyphSet::Unicode);
    assert!(row.starts_with("n[1… ▓3 +1▓"), "{row}");
    let later = vec![span(180, 600, BarKind::Running, "3"), span(900, 1500, BarKind::Planned, "23")];
    let [_, row] = drawn(later, "", GlyphSet::Unicode);
    assert!(row.contains("▓3▓") && row.contains("23░"), "{row}");
}

/// A planned bar that begins under another bar would otherwise have no name.
#[test]
fn a_bar_with_another_over_its_beginning_is_named_behind_that() {
    let row = |planned_to| {
        let planned = span(900, planned_to, BarKind::Planned, "55");
        drawn(vec![span(180, 1500, BarKind::Starting, "68"), planned], "", GlyphSet::Unicode)[1].clone()
    };
    assert!(row(1860).contains("▒░55░░░ "), "{}", row(1860));
    assert!(row(1680).contains("▒░55 "), "{}", row(1680));
    // Without a cell of its own kind before it, the name would seem to belong to the bar before.
    assert!(!row(1620).contains("55"), "{}", row(1620));
}

#[test]
fn the_bar_that_the_picture_is_about_lies_over_longer_ones() {
    let subject = GanttBar { is_subject: true, ..span(180, 900, BarKind::Starting, "11") };
    let over = [span(180, 2400, BarKind::Running, "3"), span(180, 1500, BarKind::Starting, "12"), subject];
    let [_, row] = drawn(over.to_vec(), "", GlyphSet::Unicode);
    // Job 3 is named behind the subject, so that only job 12, which it covers, is counted.
    assert!(row.starts_with("n[1… ▒11▒▒▒▒▒▒▒▒▒▓3 +1▓▓"), "{row}");
}

#[test]
fn a_bar_named_in_its_rest_is_not_counted_by_the_one_over_it() {
    let row = |to| {
        let spans = vec![span(180, to, BarKind::Starting, "33"), span(180, 900, BarKind::Running, "38")];
        drawn(spans, "", GlyphSet::Unicode)[1].clone()
    };
    assert!(row(1500).starts_with("n[1… ▓38▓▓▓▓▓▓▓▓▓▒33▒▒"), "{}", row(1500));
    assert!(row(1020).starts_with("n[1… ▓38 +1▓▓▓▓▓▓▒▒ "), "{}", row(1020));
}

/// A letter of the covered name behind that of the other bar would make up another job.
#[test]
fn nothing_is_left_of_a_name_that_another_bar_covers_in_part() {
    let spans = vec![span(180, 1500, BarKind::Starting, "R71"), span(180, 300, BarKind::Running, "75")];
    let [_, row] = drawn(spans, "", GlyphSet::Unicode);
    assert!(row.starts_with("n[1… 75▒R71▒▒▒"), "{row}");
}

#[test]
fn what_would_fit_is_framed_and_what_is_closed_is_crossed_out() {
    let [_, row] = drawn(vec![span(780, 1380, BarKind::Fits, "57")], "", GlyphSet::Unicode);
    assert!(row.contains("╎57┄┄┄┄┄┄╎"), "{row}");
    let [_, row] = drawn(vec![span(0, -1, BarKind::OutOfService, "offline")], "", GlyphSet::Unicode);
    assert!(row.contains("╱offline╱╱╱"), "{row}");
    let [_, row] = drawn(Vec::new(), "queue special", GlyphSet::Unicode);
    assert!(row.starts_with("n[1… ·queue special"), "{row}");
}

#[test]
fn past_and_empty_bars_draw_nothing_and_nothing_breaks() {
    let [_, row] = drawn(vec![span(0, 120, BarKind::Running, "50")], "", GlyphSet::Unicode);
    assert!(!row.contains("50"), "{row}");
    for width in [0, 1, 2, 7] {
        let axis = Axis::new(Epoch(0), Seconds(0), width, Seconds(0), |at| at.0.to_string());
        let theme = theme(GlyphSet::Unicode);
        let gantt = Gantt { axis: &axis, theme: &theme, label: 3, edges: &[Epoch(0)], dedicated: &[] };
        let mut buf = Buffer::empty(Rect::new(0, 0, 9, 1));
        let lane = GanttLane {
            label: "n".to_owned(),
            spans: vec![span(i64::MIN, -1, BarKind::OutOfService, "down"), span(5, 2, BarKind::Planned, "1")],
            note: String::new(),
        };
        gantt.draw_times(buf.area, &mut buf);
        gantt.lane(&lane, Rect::new(0, 0, 9, 1), &mut buf, Role::Text);
    }
}

/// Prime and dedicated time have different marks; bars are on top of both.
#[test]
fn prime_and_dedicated_time_have_marks_of_their_own() {
    let slot = DedicatedSlot { from: Epoch(1200), to: Epoch(1800) };
    for (glyphs, expected) in [
        (GlyphSet::Unicode, "▓50▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓┈┈┈┈┈┈┈┈┈┇        ┊"),
        (GlyphSet::Ascii, "#50##################~~~~~~~~~~        :"),
    ] {
        let theme = theme(glyphs);
        let axis = Axis::new(Epoch(0), Seconds(2400), 40, Seconds(0), |_| String::new());
        let edges = [Epoch(300), Epoch(2340)];
        let gantt = Gantt { axis: &axis, theme: &theme, label: 0, edges: &edges, dedicated: &[slot] };
        let mut buf = Buffer::empty(Rect::new(0, 0, 40, 1));
        let lane = GanttLane {
            label: String::new(),
            spans: vec![span(0, 1260, BarKind::Running, "50")],
            note: String::new(),
        };
        gantt.lane(&lane, buf.area, &mut buf, Role::Text);
        let seen: String = (0..40).map(|x| buf[(x, 0)].symbol()).collect();
        assert_eq!(seen.replace(['·', '.'], " ").trim_end(), expected);
    }
}
