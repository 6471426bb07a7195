//! Windows as bars over time, for a terminal.

use qscope_engine::cluster::Seconds;

use super::RequestFit;

/// Returns a line for each window and an axis, at most `columns` columns wide; empty without windows.
pub fn picture(fit: &RequestFit, columns: usize) -> Vec<String> {
    const MARGIN: usize = 10;
    let width = columns.saturating_sub(MARGIN + 3).max(20);
    if fit.windows.is_empty() {
        return Vec::new();
    }
    let ends: Vec<i64> = fit.windows.iter().filter_map(|window| window.minutes).collect();
    let longest = ends.iter().copied().max().unwrap_or(60);
    let unit = unit(longest);
    // A quarter beyond the last end shows that longer windows continue.
    let span = (longest + longest / 4).max(unit);
    let column_at =
        |minutes: i64| usize::try_from(minutes * width as i64 / span).unwrap_or(width).clamp(1, width);
    let mut lines: Vec<String> = fit
        .windows
        .iter()
        .map(|window| {
            let bar = match window.minutes {
                Some(minutes) => "#".repeat(column_at(minutes)),
                None => format!("{}>", "#".repeat(width)),
            };
            format!("{:>MARGIN$} |{bar}", window.nodes)
        })
        .collect();
    let (mut axis, mut labels) = ("-".repeat(width), String::from("now"));
    let mut mark = unit;
    while mark < span {
        let place = column_at(mark);
        if let Some(range) = (place < width).then_some(place..place + 1) {
            axis.replace_range(range, "+");
        }
        let label = format!("+{}", label(mark));
        if labels.len() + 2 < place && place + label.len() <= width + 2 {
            labels = format!("{labels:<place$}{label}");
        }
        mark += unit;
    }
    lines.push(format!("{:>MARGIN$} +{axis}", "nodes"));
    lines.push(format!("{:>MARGIN$}  {labels}", ""));
    lines
}

/// Returns the distance between marks in minutes, so that there are only a few.
fn unit(longest: i64) -> i64 {
    const UNITS: [i64; 13] = [5, 15, 30, 60, 120, 240, 480, 1440, 2880, 10_080, 40_320, 161_280, 525_600];
    UNITS.into_iter().find(|unit| longest / unit <= 6).unwrap_or(525_600)
}

/// Formats minutes as `30m`, `2h` or `3d`.
fn label(minutes: i64) -> String {
    let seconds = Seconds(minutes * 60).0;
    match seconds {
        s if s % 86_400 == 0 => format!("{}d", s / 86_400),
        s if s % 3600 == 0 => format!("{}h", s / 3600),
        s => format!("{}m", s / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::super::FreeWindow;
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_windows() {
        let window = |nodes, minutes: Option<i64>| FreeWindow {
            nodes,
            minutes,
            until: None,
            longer: None,
            wider: String::new(),
            delays: 0,
            preempts: 0,
        };
        let windows = vec![window(8, Some(30)), window(4, Some(120)), window(2, None)];
        let fit = RequestFit {
            queue: "q".to_owned(),
            chunk: "ncpus=8".to_owned(),
            windows,
            none: None,
            never: false,
        };
        let lines = picture(&fit, 53);
        assert_eq!(
            lines,
            [
                "         8 |########",
                "         4 |################################",
                "         2 |########################################>",
                "     nodes +--------+-------+-------+-------+-------",
                "            now     +30m    +1h     +90m    +2h",
            ]
        );
        assert!(picture(&RequestFit { windows: Vec::new(), ..fit }, 53).is_empty());
    }
}
