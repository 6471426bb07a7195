//! The syntax tree of a formula.

use std::ops::Range;

use crate::cluster::Name;

/// A part of a formula and its position.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Byte range in the formula's text.
    pub at: Range<usize>,
    pub node: FormulaNode,
}

/// Kind of a part of a formula.
#[derive(Clone, PartialEq, Debug)]
pub enum FormulaNode {
    /// A number; `True` and `False` are 1 and 0.
    Number(f64),
    /// A name, such as `ncpus` or `eligible_time`.
    Name(Name),
    /// `-x`.
    Negative(Box<Expr>),
    /// `not x`: 1 or 0.
    Not(Box<Expr>),
    /// `x + y` and the like.
    Binary(Arithmetic, Box<Expr>, Box<Expr>),
    /// `a < b <= c`: 1 if every adjacent pair holds, else 0.
    Compare(Box<Expr>, Vec<(FormulaComparison, Expr)>),
    /// `x and y`: x if x is 0, else y.
    And(Box<Expr>, Box<Expr>),
    /// `x or y`: y if x is 0, else x.
    Or(Box<Expr>, Box<Expr>),
    /// `then if test else otherwise`.
    If {
        /// Value if `test` is not 0.
        then: Box<Expr>,
        /// The condition.
        test: Box<Expr>,
        /// Value if `test` is 0.
        otherwise: Box<Expr>,
    },
    /// `min(a, b)` and the like.
    Call(Function, Vec<Expr>),
}

/// The arithmetic operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `//`: rounds down.
    FloorDivide,
    /// `%`: has the sign of the divisor.
    Remainder,
    /// `**`: associates to the right.
    Power,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormulaComparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Function {
    /// The smallest of two or more arguments.
    Min,
    /// The largest of two or more arguments.
    Max,
    /// The absolute value.
    Abs,
    /// `pow(x, y)`, as `x ** y`.
    Pow,
    /// The square root.
    Sqrt,
    /// The natural logarithm, or the logarithm to the base of a second argument.
    Log,
    /// The decimal logarithm.
    Log10,
    /// e to the power of the argument.
    Exp,
    /// Rounded up.
    Ceil,
    /// Rounded down.
    Floor,
    /// Rounded to the nearest, halves to even; a second argument is the number of digits.
    Round,
    /// The whole part.
    Int,
    /// The argument itself.
    Float,
}

impl Function {
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Checks whether the function takes this number of arguments; the error is a description of those it takes.
    pub(super) fn takes(self, count: usize) -> Result<(), &'static str> {
        let (fits, words) = match self {
            Self::Min | Self::Max => (count >= 2, "two or more arguments"),
            Self::Pow => (count == 2, "two arguments"),
            Self::Log | Self::Round => (count == 1 || count == 2, "one or two arguments"),
            _ => (count == 1, "one argument"),
        };
        if fits { Ok(()) } else { Err(words) }
    }
}

impl Expr {
    /// Returns what a sum adds up, in the order of the text, each with whether it is added or subtracted; the whole
    /// part alone if it is no sum.
    pub(super) fn summands(&self) -> Vec<(bool, &Self)> {
        match &self.node {
            FormulaNode::Binary(Arithmetic::Add, x, y) => [x.summands(), y.summands()].concat(),
            FormulaNode::Binary(Arithmetic::Subtract, x, y) => {
                let subtracted = y.summands().into_iter().map(|(is_added, part)| (!is_added, part));
                x.summands().into_iter().chain(subtracted).collect()
            }
            _ => vec![(true, self)],
        }
    }

    /// Calls `seen` with this part and all its parts, in the order of the text, except that the value of a condition
    /// comes after its test.
    pub fn visit<'a>(&'a self, seen: &mut dyn FnMut(&'a Self)) {
        seen(self);
        match &self.node {
            FormulaNode::Number(_) | FormulaNode::Name(_) => {}
            FormulaNode::Negative(x) | FormulaNode::Not(x) => x.visit(seen),
            FormulaNode::Binary(_, x, y) | FormulaNode::And(x, y) | FormulaNode::Or(x, y) => {
                x.visit(seen);
                y.visit(seen);
            }
            FormulaNode::Compare(first, rest) => {
                first.visit(seen);
                rest.iter().for_each(|(_, next)| next.visit(seen));
            }
            FormulaNode::If { then, test, otherwise } => {
                test.visit(seen);
                then.visit(seen);
                otherwise.visit(seen);
            }
            FormulaNode::Call(_, arguments) => arguments.iter().for_each(|argument| argument.visit(seen)),
        }
    }
}
