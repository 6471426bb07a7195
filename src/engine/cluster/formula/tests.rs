use proptest::prelude::*;

use super::*;

fn values(name: &str) -> Option<f64> {
    match name {
        "ncpus" => Some(8.0),
        "walltime" => Some(7200.0),
        "job_priority" => Some(-3.0),
        "eligible_time" => Some(0.0),
        _ => None,
    }
}

fn value(text: &str) -> f64 {
    Formula::parse(text).unwrap().evaluate(&values).unwrap()
}

fn fault(text: &str) -> FormulaFault {
    Formula::parse(text).unwrap().evaluate(&values).unwrap_err()
}

/// Rule 6.5: formulas as sites write them in `job_sort_formula`.
#[test]
fn formulas_of_real_sites_have_their_values() {
    assert_eq!(value("ncpus*2 + job_priority/10"), 15.7);
    assert_eq!(
        value("100 if ncpus >= 8 and walltime > 3600 else (50 if job_priority > 0 else ncpus)"),
        100.0
    );
    assert_eq!(value("min(walltime/3600, 5)*2 + max(job_priority, 0)"), 4.0);
    assert_eq!(value("eligible_time**0.5 + ncpus"), 8.0);
    assert_eq!(value("1.5e3 - .5 + 2."), 1501.5);
}

/// Rule 6.5: Python's precedence and grouping.
#[test]
fn operators_bind_as_in_python() {
    assert_eq!(value("2 + 3 * 4 ** 2"), 50.0);
    assert_eq!(value("2 ** 3 ** 2"), 512.0);
    assert_eq!(value("-2 ** 2"), -4.0);
    assert_eq!(value("2 ** -1"), 0.5);
    assert_eq!(value("10 - 4 - 3"), 3.0);
    assert_eq!(value("100 / 10 / 5"), 2.0);
    assert_eq!(value("not 1 == 2"), 1.0);
    assert_eq!(value("1 or 0 and 0"), 1.0);
    assert_eq!(value("1 if 0 else 2 if 0 else 3"), 3.0);
}

/// Rule 6.5: Python rounds down, and the remainder has the divisor's sign.
#[test]
fn division_rounds_down() {
    assert_eq!(value("7 // 2"), 3.0);
    assert_eq!(value("-7 // 2"), -4.0);
    assert_eq!(value("-7 % 3"), 2.0);
    assert_eq!(value("7 % -3"), -2.0);
    assert_eq!(value("1 // 0.1"), 9.0);
}

/// Rule 6.5: comparisons chain and give 0 or 1; `and` and `or` give one of their operands.
#[test]
fn comparisons_chain() {
    assert_eq!(value("1 < 2 < 3"), 1.0);
    assert_eq!(value("3 > 2 > 2"), 0.0);
    assert_eq!(value("(3 > 2) + 1"), 2.0);
    assert_eq!(value("0 or 7"), 7.0);
    assert_eq!(value("5 and 7"), 7.0);
    assert_eq!(value("2 > 3 > 1/0"), 0.0, "the chain stops before the division");
}

#[test]
fn functions_have_their_values() {
    assert_eq!(value("max(1, 5, 3) - min(4, 2)"), 3.0);
    assert_eq!(value("abs(-2) + sqrt(16) + pow(2, 3)"), 14.0);
    assert_eq!(value("floor(-1.5) + ceil(1.2) + int(-1.9)"), -1.0);
    assert_eq!(value("round(0.5) + round(1.5)"), 2.0);
    assert_eq!(value("round(2.675, 2)"), 2.67);
    assert_eq!(value("round(1250, -2)"), 1200.0);
    assert_eq!(value("log10(1000) + log(1) + exp(0) + log(8, 2)"), 7.0);
}

/// Rule 6.5: callers count an error as 0; here it has a kind and a position.
#[test]
fn faults_state_what_and_where() {
    assert_eq!(fault("1000 / eligible_time"), FormulaFault::DivisionByZero { at: 0..20 });
    assert_eq!(fault("1 + gpus"), FormulaFault::UnknownName { name: "gpus".into(), at: 4..8 });
    assert_eq!(fault("(-8) ** 0.5"), FormulaFault::Complex { at: 0..11 });
    assert_eq!(fault("0 ** -1"), FormulaFault::DivisionByZero { at: 0..7 });
    assert_eq!(fault("10 ** 400"), FormulaFault::NotFinite { at: 0..9 });
    assert_eq!(fault("1e308 * 10"), FormulaFault::NotFinite { at: 0..10 });
    assert_eq!(fault("sqrt(-1)"), FormulaFault::Domain { at: 0..8 });
    assert_eq!(fault("1 / 0").to_string(), "division by zero");
}

#[test]
fn errors_state_the_byte_and_what_was_expected() {
    for (text, at, expected) in [
        ("", 0, "a number, a name or `(`"),
        ("ncpus +", 7, "a number, a name or `(`"),
        ("ncpus * * 2", 8, "a number, a name or `(`"),
        ("(ncpus", 6, "`)`"),
        ("ncpus walltime", 6, "an operator or the end"),
        ("1 if 2", 6, "`else`"),
        ("3ncpus", 1, "an operator after the number"),
        ("ncpus ? 2", 6, "a number, a name or an operator"),
        ("min(1)", 0, "two or more arguments"),
        ("2 * not 3", 4, "a number, a name or `(`"),
        ("é + $", 5, "a number, a name or an operator"),
    ] {
        let error = Formula::parse(text).unwrap_err();
        assert_eq!((error.at, error.expected), (at, expected), "{text}");
    }
    assert!(Formula::parse("system(1)").unwrap_err().expected.starts_with("a known function"));
}

#[test]
fn depth_and_length_are_bounded() {
    assert!(Formula::parse(&"(".repeat(100_000)).is_err());
    assert!(Formula::parse(&"-".repeat(900)).is_err());
    assert!(Formula::parse(&vec!["1"; 100_000].join("+")).is_err());
    assert_eq!(value(&vec!["1"; 500].join("+")), 500.0);
}

#[test]
fn names_and_terms_are_in_order_of_use() {
    let formula = Formula::parse("walltime * ncpus + walltime + gpus").unwrap();
    assert_eq!(formula.names(), ["walltime", "ncpus", "gpus"]);
    let evaluation = formula.evaluate_terms(&values);
    assert_eq!(evaluation.terms[1], FormulaTerm { name: "ncpus".into(), value: Some(8.0) });
    assert_eq!(evaluation.terms[2].value, None);
    assert!(evaluation.value.is_err());
}

#[test]
fn parts_have_their_text() {
    let formula = Formula::parse("ncpus * (walltime + 1)").unwrap();
    let FormulaNode::Binary(Arithmetic::Multiply, _, right) = &formula.root().node else {
        panic!("a product")
    };
    assert_eq!(&formula.text()[right.at.clone()], "(walltime + 1)");
}

/// A fully parenthesised expression with its value from plain arithmetic.
fn expression() -> impl Strategy<Value = (String, f64)> {
    let leaf = (-20i32..20).prop_map(|n| (format!("({n})"), f64::from(n)));
    leaf.prop_recursive(5, 40, 2, |inner| {
        (inner.clone(), inner, 0..6).prop_map(|((a, x), (b, y), operator)| match operator {
            0 => (format!("({a}+{b})"), x + y),
            1 => (format!("({a} - {b})"), x - y),
            2 => (format!("max({a}, {b})"), x.max(y)),
            3 => (format!("({a} <= {b})"), f64::from(u8::from(x <= y))),
            4 => (format!("({b} if {a} else {a})"), if x == 0.0 { x } else { y }),
            _ => (format!("({a} or {b})"), if x == 0.0 { y } else { x }),
        })
    })
}

proptest! {
    #[test]
    fn values_agree_with_plain_arithmetic((text, expected) in expression()) {
        prop_assert_eq!(value(&text), expected);
    }

    /// Without parentheses, products bind more tightly than sums.
    #[test]
    fn sums_of_products_need_no_parentheses(terms in prop::collection::vec((-9i32..10, -9i32..10, any::<bool>()), 1..8)) {
        let mut text = "0".to_owned();
        let mut expected = 0;
        for (a, b, plus) in terms {
            text += &format!(" {} {a} * {b}", if plus { "+" } else { "-" });
            expected += if plus { a * b } else { -a * b };
        }
        prop_assert_eq!(value(&text), f64::from(expected));
    }

    #[test]
    fn quotient_and_remainder_belong_together(x in -1000i32..1000, y in -50i32..50) {
        prop_assume!(y != 0);
        let (quotient, rest) = (value(&format!("({x}) // ({y})")), value(&format!("({x}) % ({y})")));
        prop_assert_eq!(quotient * f64::from(y) + rest, f64::from(x));
        prop_assert!(rest == 0.0 || (rest < 0.0) == (y < 0));
        prop_assert!(rest.abs() < f64::from(y).abs());
    }

    #[test]
    fn reading_never_panics(text in "[-+*/%().,<>=! 0-9a-z_é]{0,60}") {
        if let Ok(formula) = Formula::parse(&text) {
            let _ = formula.evaluate_terms(&values);
        }
    }
}
