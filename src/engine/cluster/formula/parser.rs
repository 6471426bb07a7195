//! Builds the tree from tokens, by precedence climbing.

use super::lexer::{Token, TokenKind, expected_error, tokens};
use super::{Arithmetic, Expr, FormulaComparison, FormulaError, FormulaNode, Function};
use crate::cluster::message_excerpt;

/// Precedence of operators as in Python, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BindingPower {
    Condition,
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Sign,
    Power,
}

impl BindingPower {
    /// Returns the minimum precedence of the right operand: all operators associate to the left except `**`.
    fn of_right_side(self) -> Self {
        match self {
            Self::Condition => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Not,
            Self::Not => Self::Comparison,
            Self::Comparison => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product | Self::Sign => Self::Sign,
            Self::Power => Self::Power,
        }
    }
}

/// An operator that can follow an operand.
#[derive(Clone, Copy)]
enum Operator {
    Condition,
    Or,
    And,
    Chain,
    Arithmetic(Arithmetic),
}

impl Operator {
    fn binding(self) -> BindingPower {
        match self {
            Self::Condition => BindingPower::Condition,
            Self::Or => BindingPower::Or,
            Self::And => BindingPower::And,
            Self::Chain => BindingPower::Comparison,
            Self::Arithmetic(Arithmetic::Add | Arithmetic::Subtract) => BindingPower::Sum,
            Self::Arithmetic(Arithmetic::Power) => BindingPower::Power,
            Self::Arithmetic(_) => BindingPower::Product,
        }
    }
}

/// Maximum depth of nesting, far above that of formulas in use; Python's is 200.
const DEEPEST: usize = 60;

/// Parses a whole formula.
pub(super) fn parse(text: &str) -> Result<Expr, FormulaError> {
    let mut parser = Parser { text, tokens: tokens(text)?, next: 0, depth: 0 };
    let root = parser.expression(BindingPower::Condition)?;
    match parser.tokens.get(parser.next) {
        None => Ok(root),
        Some(token) => Err(expected_error(text, token.at.start, "an operator or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    /// Parses an expression of operators with at least precedence `least`.
    fn expression(&mut self, least: BindingPower) -> Result<Expr, FormulaError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(expected_error(self.text, self.position(), "fewer levels of nesting"));
        }
        let mut left = self.operand(least)?;
        while let Some(operator) = self.operator(least) {
            left = self.extend(left, operator)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Parses a number, a name, a call, parentheses, or a prefix operator with its operand.
    fn operand(&mut self, least: BindingPower) -> Result<Expr, FormulaError> {
        let expected = "a number, a name or `(`";
        let token = self
            .tokens
            .get(self.next)
            .cloned()
            .ok_or_else(|| expected_error(self.text, self.text.len(), expected))?;
        self.next += 1;
        let start = token.at.start;
        match token.kind {
            TokenKind::Number(value) => Ok(Expr { at: token.at, node: FormulaNode::Number(value) }),
            TokenKind::Sign("(") => {
                let inner = self.expression(BindingPower::Condition)?;
                let end = self.take(")")?;
                Ok(Expr { at: start..end, node: inner.node })
            }
            TokenKind::Sign("-") => self.prefix(start, BindingPower::Sign, FormulaNode::Negative),
            TokenKind::Sign("+") => self.expression(BindingPower::Sign),
            TokenKind::Word("not") if least <= BindingPower::Not => {
                self.prefix(start, BindingPower::Not, FormulaNode::Not)
            }
            TokenKind::Word("and" | "or" | "not" | "if" | "else") | TokenKind::Sign(_) => {
                Err(expected_error(self.text, start, expected))
            }
            TokenKind::Word("True") => Ok(Expr { at: token.at, node: FormulaNode::Number(1.0) }),
            TokenKind::Word("False") => Ok(Expr { at: token.at, node: FormulaNode::Number(0.0) }),
            TokenKind::Word(_) if self.is_next("(") => self.call(&token),
            TokenKind::Word(name) => Ok(Expr { at: token.at, node: FormulaNode::Name(name.into()) }),
        }
    }

    fn prefix(
        &mut self,
        start: usize,
        binding: BindingPower,
        node: fn(Box<Expr>) -> FormulaNode,
    ) -> Result<Expr, FormulaError> {
        let operand = self.expression(binding)?;
        Ok(Expr { at: start..operand.at.end, node: node(Box::new(operand)) })
    }

    /// Parses the arguments of a function, after its name.
    fn call(&mut self, name: &Token<'a>) -> Result<Expr, FormulaError> {
        let start = name.at.start;
        let TokenKind::Word(word) = name.kind else {
            return Err(expected_error(self.text, start, "a function"));
        };
        let function = Function::from_name(word).ok_or_else(|| FormulaError {
            at: start,
            found: format!("`{}(`", message_excerpt(word)),
            expected: "a known function: min max abs pow sqrt log log10 exp ceil floor round int float",
        })?;
        self.take("(")?;
        let mut arguments = vec![self.expression(BindingPower::Condition)?];
        while self.is_next(",") {
            self.next += 1;
            arguments.push(self.expression(BindingPower::Condition)?);
        }
        let end = self.take(")")?;
        function.takes(arguments.len()).map_err(|expected| FormulaError {
            at: start,
            found: format!("{} in `{word}`", arguments.len()),
            expected,
        })?;
        Ok(Expr { at: start..end, node: FormulaNode::Call(function, arguments) })
    }

    /// Returns the next operator if its precedence is at least `least`, without consuming it.
    fn operator(&self, least: BindingPower) -> Option<Operator> {
        let kind = self.tokens.get(self.next)?.kind;
        let operator = match kind {
            TokenKind::Word("and") => Operator::And,
            TokenKind::Word("or") => Operator::Or,
            TokenKind::Word("if") => Operator::Condition,
            _ if comparison(kind).is_some() => Operator::Chain,
            _ => Operator::Arithmetic(arithmetic(kind)?),
        };
        (operator.binding() >= least).then_some(operator)
    }

    /// Parses the next operator and its right operand, and combines them with `left`.
    fn extend(&mut self, left: Expr, operator: Operator) -> Result<Expr, FormulaError> {
        match operator {
            Operator::Condition => return self.condition(left),
            Operator::Chain => return self.chain(left),
            Operator::Or | Operator::And | Operator::Arithmetic(_) => self.next += 1,
        }
        let right = self.expression(operator.binding().of_right_side())?;
        let at = left.at.start..right.at.end;
        let (left, right) = (Box::new(left), Box::new(right));
        let node = match operator {
            Operator::Or => FormulaNode::Or(left, right),
            Operator::Arithmetic(arithmetic) => FormulaNode::Binary(arithmetic, left, right),
            Operator::And | Operator::Chain | Operator::Condition => FormulaNode::And(left, right),
        };
        Ok(Expr { at, node })
    }

    /// Parses `left < b <= c …`, starting at the first comparison.
    fn chain(&mut self, left: Expr) -> Result<Expr, FormulaError> {
        let mut rest: Vec<(FormulaComparison, Expr)> = Vec::new();
        while let Some(operator) = self.tokens.get(self.next).and_then(|token| comparison(token.kind)) {
            self.next += 1;
            rest.push((operator, self.expression(BindingPower::Sum)?));
        }
        let end = rest.last().map_or(left.at.end, |(_, last)| last.at.end);
        Ok(Expr { at: left.at.start..end, node: FormulaNode::Compare(Box::new(left), rest) })
    }

    /// Parses `then if test else otherwise`, starting at `if`.
    fn condition(&mut self, then: Expr) -> Result<Expr, FormulaError> {
        self.next += 1;
        let test = self.expression(BindingPower::Or)?;
        match self.tokens.get(self.next) {
            Some(Token { kind: TokenKind::Word("else"), .. }) => self.next += 1,
            _ => return Err(expected_error(self.text, self.position(), "`else`")),
        }
        let otherwise = self.expression(BindingPower::Condition)?;
        let at = then.at.start..otherwise.at.end;
        let [then, test, otherwise] = [then, test, otherwise].map(Box::new);
        Ok(Expr { at, node: FormulaNode::If { then, test, otherwise } })
    }

    fn is_next(&self, sign: &str) -> bool {
        self.tokens.get(self.next).is_some_and(|token| token.kind == TokenKind::Sign(sign))
    }

    /// Consumes a sign and returns the position after it.
    fn take(&mut self, sign: &'static str) -> Result<usize, FormulaError> {
        match self.tokens.get(self.next) {
            Some(token) if token.kind == TokenKind::Sign(sign) => {
                self.next += 1;
                Ok(token.at.end)
            }
            _ => Err(expected_error(self.text, self.position(), if sign == ")" { "`)`" } else { "`(`" })),
        }
    }

    fn position(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |token| token.at.start)
    }
}

fn arithmetic(kind: TokenKind<'_>) -> Option<Arithmetic> {
    let TokenKind::Sign(sign) = kind else { return None };
    Some(match sign {
        "+" => Arithmetic::Add,
        "-" => Arithmetic::Subtract,
        "*" => Arithmetic::Multiply,
        "/" => Arithmetic::Divide,
        "//" => Arithmetic::FloorDivide,
        "%" => Arithmetic::Remainder,
        "**" => Arithmetic::Power,
        _ => return None,
    })
}

fn comparison(kind: TokenKind<'_>) -> Option<FormulaComparison> {
    let TokenKind::Sign(sign) = kind else { return None };
    Some(match sign {
        "<" => FormulaComparison::Less,
        "<=" => FormulaComparison::LessOrEqual,
        ">" => FormulaComparison::Greater,
        ">=" => FormulaComparison::GreaterOrEqual,
        "==" => FormulaComparison::Equal,
        "!=" => FormulaComparison::NotEqual,
        _ => return None,
    })
}
