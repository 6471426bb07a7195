//! Parser of priority functions: a unary sign binds tighter than `*` and `/`, those tighter than `+` and `-`.

use crate::policies::{Component, PriorityFormula, PriorityFormulaError};

/// Maximum length of a value in Maui's configuration reader, which cuts longer ones.
const MAUI_CUTS_AT: usize = 63;
/// Maximum depth of parentheses.
const DEEPEST: usize = 64;

#[derive(Clone, PartialEq, Debug)]
enum FormulaToken {
    Number(f64),
    Name(String),
    Sign(char),
}

/// A weighted sum of components and a constant: the general form of a formula.
#[derive(Clone, Default, Debug)]
struct LinearForm {
    terms: Vec<(Component, f64)>,
    constant: f64,
}

impl LinearForm {
    fn constant(value: f64) -> Self {
        Self { terms: Vec::new(), constant: value }
    }

    fn scaled(mut self, factor: f64) -> Self {
        self.terms.iter_mut().for_each(|(_, weight)| *weight *= factor);
        self.constant *= factor;
        self
    }
}

#[derive(Default)]
struct PriorityParser {
    tokens: Vec<(usize, FormulaToken)>,
    at: usize,
    end: usize,
    depth: usize,
    unknown: Vec<(usize, String)>,
    remarks: Vec<String>,
}

/// Parses a whole formula.
pub(super) fn parse(text: &str) -> Result<PriorityFormula, PriorityFormulaError> {
    let tokens = tokens(text)?;
    let mut parser = PriorityParser { tokens, end: text.chars().count(), ..PriorityParser::default() };
    let sum = parser.sum()?;
    if let Some((column, token)) = parser.tokens.get(parser.at) {
        return Err(formula_error(*column, format!("expected + or -, found {}", describe(token))));
    }
    if let Some((column, _)) = parser.unknown.first() {
        let names: Vec<&str> = parser.unknown.iter().map(|(_, name)| name.as_str()).collect();
        return Err(formula_error(
            *column,
            format!("unknown component {}; {}", names.join(", "), known_names()),
        ));
    }
    let mut formula = PriorityFormula {
        text: text.trim().to_owned(),
        terms: Vec::new(),
        constant: sum.constant,
        remarks: parser.remarks,
    };
    collect(sum, &mut formula);
    if text.chars().count() > MAUI_CUTS_AT {
        formula.remarks.push(format!("Maui would cut it after {MAUI_CUTS_AT} characters"));
    }
    Ok(formula)
}

/// Adds up the terms of each component.
fn collect(sum: LinearForm, formula: &mut PriorityFormula) {
    if sum.constant != 0.0 {
        formula.remarks.push("a constant does not change the order; Maui drops it".to_owned());
    }
    for (component, weight) in sum.terms {
        match formula.terms.iter_mut().find(|(have, _)| *have == component) {
            Some((_, sum)) => {
                *sum += weight;
                let word = component.word();
                formula.remarks.push(format!("{word} is written twice: added up here; Maui keeps the last"));
            }
            None => formula.terms.push((component, weight)),
        }
    }
}

impl PriorityParser {
    fn peek(&self) -> Option<&FormulaToken> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn column(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |(column, _)| *column)
    }

    fn take(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(&FormulaToken::Sign(sign));
        self.at += usize::from(found);
        found
    }

    fn sum(&mut self) -> Result<LinearForm, PriorityFormulaError> {
        let mut sum = self.product()?;
        loop {
            let factor = if self.take('+') {
                1.0
            } else if self.take('-') {
                -1.0
            } else {
                return Ok(sum);
            };
            let next = self.product()?.scaled(factor);
            sum.terms.extend(next.terms);
            sum.constant += next.constant;
        }
    }

    fn product(&mut self) -> Result<LinearForm, PriorityFormulaError> {
        let mut left = self.signed()?;
        loop {
            let column = self.column();
            if self.take('*') {
                let postfix = !left.terms.is_empty();
                left = times(left, self.signed()?, column)?;
                if postfix {
                    self.remark("a weight after its component: Maui would lose it");
                }
            } else if self.take('/') {
                self.remark("`/` is not Maui's; Maui would hang on it");
                left = divided(left, &self.signed()?, column)?;
            } else if matches!(self.peek(), Some(FormulaToken::Name(_))) && left.terms.is_empty() {
                left = times(left, self.signed()?, column)?;
            } else {
                return Ok(left);
            }
        }
    }

    fn signed(&mut self) -> Result<LinearForm, PriorityFormulaError> {
        let mut factor = 1.0;
        loop {
            if self.take('-') {
                factor = -factor;
            } else if !self.take('+') {
                return Ok(self.atom()?.scaled(factor));
            }
        }
    }

    fn atom(&mut self) -> Result<LinearForm, PriorityFormulaError> {
        let column = self.column();
        match self.peek().cloned() {
            Some(FormulaToken::Number(value)) => {
                self.at += 1;
                Ok(LinearForm::constant(value))
            }
            Some(FormulaToken::Name(name)) => {
                self.at += 1;
                Ok(self.component(column, name))
            }
            Some(FormulaToken::Sign('(')) => self.in_parentheses(column),
            Some(token) => Err(formula_error(
                column,
                format!("expected a component or a number, found {}", describe(&token)),
            )),
            None => Err(formula_error(column, "expected a component or a number, found the end".to_owned())),
        }
    }

    fn component(&mut self, column: usize, name: String) -> LinearForm {
        match Component::from_word(&name) {
            Some(component) => {
                if name != component.word() {
                    self.remark("a component in lower case: Maui would drop it");
                }
                LinearForm { terms: vec![(component, 1.0)], constant: 0.0 }
            }
            None => {
                self.unknown.push((column, name));
                LinearForm::default()
            }
        }
    }

    fn in_parentheses(&mut self, column: usize) -> Result<LinearForm, PriorityFormulaError> {
        self.at += 1;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(formula_error(column, format!("more than {DEEPEST} parentheses deep")));
        }
        self.remark("parentheses are not Maui's; Maui would hang on them");
        let inner = self.sum()?;
        if !self.take(')') {
            return Err(formula_error(self.column(), "expected `)`".to_owned()));
        }
        self.depth -= 1;
        Ok(inner)
    }

    fn remark(&mut self, text: &str) {
        if !self.remarks.iter().any(|have| have == text) {
            self.remarks.push(text.to_owned());
        }
    }
}

fn times(left: LinearForm, right: LinearForm, column: usize) -> Result<LinearForm, PriorityFormulaError> {
    match (left.terms.is_empty(), right.terms.is_empty()) {
        (true, _) => Ok(right.scaled(left.constant)),
        (_, true) => Ok(left.scaled(right.constant)),
        _ => Err(formula_error(column, "a product of two components is no weighted sum".to_owned())),
    }
}

fn divided(left: LinearForm, right: &LinearForm, column: usize) -> Result<LinearForm, PriorityFormulaError> {
    if !right.terms.is_empty() {
        return Err(formula_error(column, "division by a component is no weighted sum".to_owned()));
    }
    if right.constant == 0.0 {
        return Err(formula_error(column, "division by zero".to_owned()));
    }
    Ok(left.scaled(1.0 / right.constant))
}

fn tokens(text: &str) -> Result<Vec<(usize, FormulaToken)>, PriorityFormulaError> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().enumerate().peekable();
    while let Some((column, char)) = rest.next() {
        let mut word = String::from(char);
        let mut more = |belongs: &dyn Fn(char, &str) -> bool| {
            while let Some((_, next)) = rest.next_if(|(_, next)| belongs(*next, &word)) {
                word.push(next);
            }
            word.clone()
        };
        let token = match char {
            _ if char.is_whitespace() => continue,
            '+' | '-' | '*' | '/' | '(' | ')' => FormulaToken::Sign(char),
            '0'..='9' | '.' => {
                let digits = more(&|next, so_far| {
                    let exponent = so_far.ends_with(['e', 'E']);
                    next.is_ascii_digit()
                        || next == '.'
                        || "eE".contains(next)
                        || (exponent && "+-".contains(next))
                });
                FormulaToken::Number(number(&digits, column)?)
            }
            _ if char.is_alphabetic() => FormulaToken::Name(more(&|next, _| next.is_alphanumeric())),
            other => return Err(formula_error(column, format!("unexpected `{}`", other.escape_default()))),
        };
        tokens.push((column, token));
    }
    Ok(tokens)
}

fn number(text: &str, column: usize) -> Result<f64, PriorityFormulaError> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| formula_error(column, format!("`{text}` is no number")))
}

fn formula_error(column: usize, message: String) -> PriorityFormulaError {
    PriorityFormulaError { column, message }
}

fn known_names() -> String {
    let words: Vec<&str> = Component::ALL.iter().map(|component| component.word()).collect();
    format!("known are {}", words.join(", "))
}

fn describe(token: &FormulaToken) -> String {
    match token {
        FormulaToken::Number(value) => format!("the number {value}"),
        FormulaToken::Name(name) => format!("`{name}`"),
        FormulaToken::Sign(sign) => format!("`{sign}`"),
    }
}
