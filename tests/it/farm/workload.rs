//! The deck's arithmetic, and the synthetic work of `samples/packing` compared with the figures of packing
//! rule 8.

use std::path::Path;

use qscope::farm::summary::cost_slots;
use qscope::farm::synthetic::SyntheticSettings;
use qscope::farm::{FarmPolicy, FarmRunOptions, FarmSummary, FarmWindow, Workload, run};

#[test]
fn the_decks_costs_follow_from_its_differences() {
    for (difference, slots) in [(0.0094, 60), (0.110_341, 706), (0.0438, 280)] {
        assert_eq!(cost_slots(difference, 800 * 8).round() as i64, slots);
    }
}

struct Work {
    farm: Workload,
    packing: Vec<qscope::farm::ClassNo>,
}

fn work(sample: &str, load: f64) -> Work {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/packing").join(sample);
    let mut settings = SyntheticSettings::parse(sample, &std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(settings.seed, 42);
    settings.load = load;
    let farm = settings.workload();
    Work { packing: settings.packing(&farm), farm }
}

impl Work {
    fn under(&self, policy: &str) -> FarmSummary {
        let mut ask =
            FarmRunOptions::with_one_policy(&self.farm, &self.packing, FarmPolicy::parse(policy).unwrap());
        ask.window = Some(FarmWindow { from: 0, to: 6 * 86_400 });
        run(&self.farm, &self.farm.arrivals(), ask, || true).unwrap().summary
    }
}

/// A class that names its stream draws the same jobs at any position, and no two classes draw from one
/// stream.
#[test]
fn a_class_keeps_its_stream() {
    let head = "nodes = \"8x8\"\nspan = \"1d\"\nload = 0.8\n";
    let class = |name: &str, stream: &str| {
        format!("[[class]]\nname = \"{name}\"\nshare = 0.4\nrun = \"1h\"\nsigma = 0.5\nburst = 3\n{stream}\n")
    };
    let jobs = |name: &str, classes: &[String]| -> Vec<(i64, u32)> {
        let farm = SyntheticSettings::parse("s", &format!("{head}{}", classes.concat())).unwrap().workload();
        let wanted = farm.class_named(name).unwrap();
        farm.jobs.iter().filter(|job| job.class == wanted).map(|job| (job.submit, job.run)).collect()
    };
    let first = jobs("a", &[class("a", ""), class("b", "")]);
    assert!(first.len() > 50);
    assert_eq!(first, jobs("a", &[class("b", "stream = 2"), class("a", "stream = 1")]));
    assert_ne!(first, jobs("a", &[class("a", "stream = 7"), class("b", "")]));
    let twice = format!("{head}{}{}", class("a", "stream = 2"), class("b", ""));
    let refused = SyntheticSettings::parse("s.toml", &twice).unwrap_err().to_string();
    assert!(refused.contains("b: stream 2 is drawn from by a too"), "{refused}");
}

/// Asserts that a class's packing index is within `off` of the reference.
fn near(summary: &FarmSummary, work: &Work, class: &str, reference: f64, off: f64) {
    let index = summary.index(work.farm.class_named(class).unwrap()).unwrap();
    assert!((index - reference).abs() <= off, "{class}: {index:.3}, reference {reference}");
}

/// Asserts that a cost is within a quarter of the reference.
fn costs(summary: &FarmSummary, relaxed: &FarmSummary, reference: f64) {
    let cost = summary.cost_against(relaxed).unwrap();
    assert!((cost - reference).abs() <= reference * 0.25, "costs {cost:.1}, reference {reference}");
}

/// One organisation, with a little more work than the farm's capacity: costs within 25 %, indices within
/// 0.05.
#[test]
fn one_organisation_costs_what_the_reference_has() {
    let work = work("one-vo.toml", 1.05);
    assert!((187_000..188_000).contains(&work.farm.jobs.len()), "{}", work.farm.jobs.len());
    let relaxed = work.under("relaxed");
    assert!((relaxed.mean_ff().unwrap() - 0.970).abs() < 0.005);
    near(&relaxed, &work, "lhcb", 0.322, 0.05);
    let hour = work.under("ttl:3600");
    near(&hour, &work, "lhcb", 0.418, 0.05);
    assert!(hour.cost_against(&relaxed).unwrap().abs() < 1.0);
    let six_hours = work.under("ttl:6h");
    near(&six_hours, &work, "lhcb", 0.949, 0.05);
    costs(&six_hours, &relaxed, 47.3);
    let exclusive = work.under("exclusive");
    near(&exclusive, &work, "lhcb", 0.945, 0.05);
    costs(&exclusive, &relaxed, 56.7);
    let none = work.under("none");
    near(&none, &work, "lhcb", 0.229, 0.05);
    assert!(none.cost_against(&relaxed).unwrap().abs() < 1.0);
}

/// One organisation below the farm's capacity: nothing costs anything.
#[test]
fn a_farm_that_is_not_full_costs_nothing() {
    let work = work("one-vo.toml", 0.85);
    let (relaxed, exclusive) = (work.under("relaxed"), work.under("exclusive"));
    assert!((relaxed.mean_ff().unwrap() - 0.817).abs() < 0.005);
    assert!(exclusive.cost_against(&relaxed).unwrap().abs() < 0.05);
    near(&relaxed, &work, "lhcb", 0.875, 0.05);
    near(&exclusive, &work, "lhcb", 0.872, 0.05);
    near(&work.under("none"), &work, "lhcb", 0.168, 0.05);
}

/// Three organisations whose jobs arrive in bursts, above the farm's capacity: the same tolerances.
#[test]
fn three_organisations_cost_what_the_reference_has() {
    let work = work("three-vo.toml", 1.05);
    let relaxed = work.under("relaxed");
    let classes = ["lhcb", "ams", "argo"];
    for (policy, cost, indices) in [
        ("ttl:3600", 6.9, [0.371, 0.253, 0.250]),
        ("ttl:6h", 423.8, [0.723, 0.677, 0.567]),
        ("exclusive", 1068.5, [0.586, 0.542, 0.761]),
    ] {
        let under = work.under(policy);
        costs(&under, &relaxed, cost);
        for (class, index) in classes.into_iter().zip(indices) {
            near(&under, &work, class, index, 0.05);
        }
    }
}

/// Three organisations below the farm's capacity: even there holds cost a little.
#[test]
fn three_organisations_cost_a_little_on_a_farm_that_is_not_full() {
    let work = work("three-vo.toml", 0.85);
    let (relaxed, exclusive) = (work.under("relaxed"), work.under("exclusive"));
    assert!((relaxed.mean_ff().unwrap() - 0.810).abs() < 0.01);
    costs(&exclusive, &relaxed, 17.5);
    for (class, index) in [("lhcb", 0.638), ("ams", 0.565), ("argo", 0.471)] {
        near(&exclusive, &work, class, index, 0.05);
    }
}
