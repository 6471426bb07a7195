//! Evaluation of formulas, by Python's rules on real numbers.

use std::ops::Range;

use crate::cluster::{Arithmetic, Expr, FormulaComparison, FormulaNode, Function, Name, message_excerpt};

/// Why a formula has no value for a job; the scheduler then counts 0 (rule 6.5).
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormulaFault {
    /// A name that is neither a consumable resource nor one defined by the scheduler.
    #[error("name '{}' is not defined", message_excerpt(.name))]
    UnknownName {
        name: Name,
        /// Position of the name.
        at: Range<usize>,
    },
    /// `/`, `//` or `%` by zero, or zero to a negative power.
    #[error("division by zero")]
    DivisionByZero {
        /// Position of the division.
        at: Range<usize>,
    },
    /// Too large, or not a number.
    #[error("the result is not a finite number")]
    NotFinite {
        /// Position of the part with this result.
        at: Range<usize>,
    },
    /// A negative number to a fractional power.
    #[error("the result is a complex number")]
    Complex {
        /// Position of the power.
        at: Range<usize>,
    },
    /// A function outside its domain, such as the root of a negative number.
    #[error("math domain error")]
    Domain {
        /// Position of the call.
        at: Range<usize>,
    },
}

/// The value of one name in one evaluation.
#[derive(Clone, PartialEq, Debug)]
pub struct FormulaTerm {
    pub name: Name,
    pub value: Option<f64>,
}

/// One evaluation with the values used.
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluation {
    /// The names, in the order of first use.
    pub terms: Vec<FormulaTerm>,
    /// What the formula adds up, as written, with what each part adds; one part if it is no sum.
    pub parts: Vec<FormulaTerm>,
    pub value: Result<f64, FormulaFault>,
}

type Values<'a> = &'a dyn Fn(&str) -> Option<f64>;

/// Returns the value of a whole formula, which must be finite.
pub(super) fn finite(root: &Expr, value_of: Values<'_>) -> Result<f64, FormulaFault> {
    let value = evaluate(root, value_of)?;
    if value.is_finite() { Ok(value) } else { Err(FormulaFault::NotFinite { at: root.at.clone() }) }
}

fn evaluate(expr: &Expr, value_of: Values<'_>) -> Result<f64, FormulaFault> {
    let value = |part: &Expr| evaluate(part, value_of);
    match &expr.node {
        FormulaNode::Number(number) => Ok(*number),
        FormulaNode::Name(name) => value_of(name)
            .ok_or_else(|| FormulaFault::UnknownName { name: name.clone(), at: expr.at.clone() }),
        FormulaNode::Negative(x) => Ok(-value(x)?),
        FormulaNode::Not(x) => Ok(truth(value(x)? == 0.0)),
        FormulaNode::Binary(operator, x, y) => arithmetic(*operator, value(x)?, value(y)?, &expr.at),
        FormulaNode::Compare(first, rest) => chain(value(first)?, rest, value_of),
        FormulaNode::And(x, y) => match value(x)? {
            0.0 => Ok(0.0),
            _ => value(y),
        },
        FormulaNode::Or(x, y) => match value(x)? {
            0.0 => value(y),
            x => Ok(x),
        },
        FormulaNode::If { then, test, otherwise } => {
            value(if value(test)? == 0.0 { otherwise } else { then })
        }
        FormulaNode::Call(function, arguments) => {
            let arguments = arguments.iter().map(value).collect::<Result<Vec<_>, _>>()?;
            call(*function, &arguments, &expr.at)
        }
    }
}

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// Evaluates a comparison chain up to the first pair that does not hold.
fn chain(first: f64, rest: &[(FormulaComparison, Expr)], value_of: Values<'_>) -> Result<f64, FormulaFault> {
    let mut left = first;
    for (comparison, expr) in rest {
        let right = evaluate(expr, value_of)?;
        if !holds(*comparison, left, right) {
            return Ok(0.0);
        }
        left = right;
    }
    Ok(1.0)
}

// Formulas compare exactly, also with `==`.
fn holds(comparison: FormulaComparison, x: f64, y: f64) -> bool {
    match comparison {
        FormulaComparison::Less => x < y,
        FormulaComparison::LessOrEqual => x <= y,
        FormulaComparison::Greater => x > y,
        FormulaComparison::GreaterOrEqual => x >= y,
        FormulaComparison::Equal => x == y,
        FormulaComparison::NotEqual => x != y,
    }
}

fn arithmetic(operator: Arithmetic, x: f64, y: f64, at: &Range<usize>) -> Result<f64, FormulaFault> {
    let divides = matches!(operator, Arithmetic::Divide | Arithmetic::FloorDivide | Arithmetic::Remainder);
    if divides && y == 0.0 {
        return Err(FormulaFault::DivisionByZero { at: at.clone() });
    }
    Ok(match operator {
        Arithmetic::Add => x + y,
        Arithmetic::Subtract => x - y,
        Arithmetic::Multiply => x * y,
        Arithmetic::Divide => x / y,
        Arithmetic::FloorDivide => floor_divide(x, y),
        Arithmetic::Remainder => remainder(x, y),
        Arithmetic::Power => return power(x, y, at),
    })
}

/// Returns `x % y`, with the sign of the divisor.
fn remainder(x: f64, y: f64) -> f64 {
    let rest = x % y;
    if rest != 0.0 && (rest < 0.0) != (y < 0.0) { rest + y } else { rest }
}

/// Returns `x // y`, from the remainder, so that `x == (x // y) * y + x % y` holds as closely as possible.
fn floor_divide(x: f64, y: f64) -> f64 {
    let quotient = (x - remainder(x, y)) / y;
    let below = quotient.floor();
    if quotient - below > 0.5 { below + 1.0 } else { below }
}

fn power(x: f64, y: f64, at: &Range<usize>) -> Result<f64, FormulaFault> {
    let at = || at.clone();
    if x == 0.0 && y < 0.0 {
        return Err(FormulaFault::DivisionByZero { at: at() });
    }
    if x < 0.0 && y.is_finite() && y.fract() != 0.0 {
        return Err(FormulaFault::Complex { at: at() });
    }
    match x.powf(y) {
        large if large.is_infinite() && x.is_finite() && y.is_finite() => {
            Err(FormulaFault::NotFinite { at: at() })
        }
        value => Ok(value),
    }
}

fn call(function: Function, arguments: &[f64], at: &Range<usize>) -> Result<f64, FormulaFault> {
    let x = arguments.first().copied().unwrap_or_default();
    let y = arguments.get(1).copied();
    let domain = |fits: bool| if fits { Ok(()) } else { Err(FormulaFault::Domain { at: at.clone() }) };
    let whole = |value: f64| {
        if value.is_finite() { Ok(value) } else { Err(FormulaFault::NotFinite { at: at.clone() }) }
    };
    match function {
        Function::Min => {
            Ok(arguments.iter().copied().fold(x, |least, next| if next < least { next } else { least }))
        }
        Function::Max => {
            Ok(arguments.iter().copied().fold(x, |most, next| if next > most { next } else { most }))
        }
        Function::Abs => Ok(x.abs()),
        Function::Pow => power(x, y.unwrap_or(1.0), at),
        Function::Sqrt => domain(x >= 0.0).map(|()| x.sqrt()),
        Function::Log => logarithm(x, y, at),
        Function::Log10 => domain(x > 0.0).map(|()| x.log10()),
        Function::Exp => whole(x.exp()),
        Function::Ceil => whole(x.ceil()),
        Function::Floor => whole(x.floor()),
        Function::Int => whole(x.trunc()),
        Function::Round => whole(round(x, y)),
        Function::Float => Ok(x),
    }
}

fn logarithm(x: f64, base: Option<f64>, at: &Range<usize>) -> Result<f64, FormulaFault> {
    if x <= 0.0 || base.is_some_and(|base| base <= 0.0) {
        return Err(FormulaFault::Domain { at: at.clone() });
    }
    match base.map(f64::ln) {
        None => Ok(x.ln()),
        Some(0.0) => Err(FormulaFault::DivisionByZero { at: at.clone() }),
        Some(base) => Ok(x.ln() / base),
    }
}

/// Rounds to nearest, halves to even. Digits are rounded in decimal, as Python does, so that 2.675 to two digits is
/// 2.67.
fn round(x: f64, digits: Option<f64>) -> f64 {
    let digits = digits.unwrap_or_default().trunc().clamp(-308.0, 308.0);
    if digits > 0.0 {
        return format!("{x:.*}", digits as usize).parse().unwrap_or(x);
    }
    let unit = 10_f64.powf(-digits);
    (x / unit).round_ties_even() * unit
}
