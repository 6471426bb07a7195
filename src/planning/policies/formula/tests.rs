use super::*;

fn weights(text: &str) -> Vec<(&'static str, f64)> {
    PriorityFormula::parse(text).unwrap().terms.iter().map(|(c, w)| (c.word(), *w)).collect()
}

fn error(text: &str) -> PriorityFormulaError {
    PriorityFormula::parse(text).unwrap_err()
}

#[test]
fn the_strings_of_the_manual_give_their_weights() {
    assert_eq!(
        weights("SPEED+ .01 * AMEM - 10 * JOBCOUNT"),
        [("SPEED", 1.0), ("AMEM", 0.01), ("JOBCOUNT", -10.0)]
    );
    assert_eq!(weights("-LOAD - 5*USAGE"), [("LOAD", -1.0), ("USAGE", -5.0)]);
    assert_eq!(weights("PRIORITY + APROCS"), [("PRIORITY", 1.0), ("APROCS", 1.0)]);
    assert_eq!(weights("JOBCOUNT"), [("JOBCOUNT", 1.0)]);
    assert_eq!(weights("5 * PREF - LOAD"), [("PREF", 5.0), ("LOAD", -1.0)]);
    assert_eq!(
        weights("10 * APROCS - LOAD - JOBCOUNT"),
        [("APROCS", 10.0), ("LOAD", -1.0), ("JOBCOUNT", -1.0)]
    );
    assert_eq!(
        weights("6*LOAD + -.01 * CMEM - JOBCOUNT"),
        [("LOAD", 6.0), ("CMEM", -0.01), ("JOBCOUNT", -1.0)]
    );
    assert_eq!(weights("5 LOAD -- 10.AMEM"), [("LOAD", 5.0), ("AMEM", 10.0)]);
    assert_eq!(weights("1e3*SPEED"), [("SPEED", 1000.0)]);
}

#[test]
fn components_of_other_systems_are_named_all_at_once() {
    let error = error("1000*OS+1000*POWER");
    assert_eq!(error.column, 5);
    assert!(error.message.starts_with("unknown component OS, POWER"), "{}", error.message);
}

#[test]
fn what_maui_misreads_is_reported_with_its_place() {
    assert_eq!(error("LOADX").column, 0);
    assert_eq!(error("LOAD_X").column, 4);
    assert_eq!(error("LOAD * SPEED").column, 5);
    assert_eq!(error("LOAD +").column, 6);
    assert_eq!(error("(LOAD").column, 5);
    assert_eq!(error("LOAD / 0").column, 5);
    assert_eq!(error("LOAD LOAD").column, 5);
    assert_eq!(error("").column, 0);
    assert_eq!(error("LOAD\u{1b}").message, "unexpected `\\u{1b}`");
    assert!(error(&"(".repeat(100_000)).message.contains("deep"));
    let found = error("LOAD_X");
    assert_eq!((found.column, &*found.message), (4, "unexpected `_`"));
}

#[test]
fn what_maui_drops_is_kept_with_a_remark() {
    let remark_of = |text: &str, word: &str| {
        let formula = PriorityFormula::parse(text).unwrap();
        assert!(formula.remarks.iter().any(|remark| remark.contains(word)), "{text}: {:?}", formula.remarks);
        formula
    };
    assert_eq!(remark_of("LOAD + 5", "does not change the order").constant, 5.0);
    assert_eq!(remark_of("LOAD * 5", "after its component").weight(Component::Load), 5.0);
    assert_eq!(remark_of("load", "lower case").weight(Component::Load), 1.0);
    assert_eq!(remark_of("2 * (LOAD - SPEED) / 4", "parentheses").weight(Component::Speed), -0.5);
    assert_eq!(remark_of("LOAD + 2*LOAD", "twice").weight(Component::Load), 3.0);
    assert_eq!(weights("5*3*LOAD"), [("LOAD", 15.0)]);
    remark_of(&format!("LOAD{}", " + SPEED".repeat(9)), "63 characters");
}
