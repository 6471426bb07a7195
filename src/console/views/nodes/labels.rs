//! Labels of groups that stay unlike after a cut.

use crate::widgets::text::width;

/// Labels that stay unlike after a cut at their end: where two long ones begin alike, the parts that differ come first.
pub(super) fn unlike(labels: &[String]) -> Vec<String> {
    const CUT: usize = 24;
    let begin = |label: &str| label.chars().take(CUT).collect::<String>();
    let clashes = |label: &String| {
        width(label) > CUT && labels.iter().filter(|other| begin(other) == begin(label)).count() > 1
    };
    let own = |label: &String| {
        if !clashes(label) {
            return label.clone();
        }
        let alike: Vec<&String> = labels.iter().filter(|other| begin(other) == begin(label)).collect();
        let is_common = |part: &&str| alike.iter().all(|other| other.split(' ').any(|own| own == *part));
        let (common, differs): (Vec<&str>, Vec<&str>) = label.split(' ').partition(is_common);
        differs.into_iter().chain(common).collect::<Vec<_>>().join(" ")
    };
    labels.iter().map(own).collect()
}

#[cfg(test)]
mod tests {
    use super::unlike;

    /// Two labels that are equal up to the cut of a narrow screen name what differs first.
    #[test]
    fn labels_stay_unlike_after_a_cut() {
        let labels =
            ["mem=64gb ncpus=16 priority=10 fast=True", "mem=64gb ncpus=16 priority=10 fast=None", "p=1"];
        let short = unlike(&labels.map(str::to_owned));
        assert_eq!(short[0], "fast=True mem=64gb ncpus=16 priority=10");
        assert_eq!(short[1], "fast=None mem=64gb ncpus=16 priority=10");
        assert_eq!(short[2], "p=1");
    }
}
