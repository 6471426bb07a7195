//! A query as written, with its parsed expression.

use super::field::{QueryFields, QueryRecord};
use super::parser::parse;
use super::{QueryError, QueryExpr};

/// Selects records.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    text: String,
    expr: Option<QueryExpr>,
}

impl Query {
    /// Parses a query for records with these fields. An empty text selects everything.
    ///
    /// # Errors
    /// If a field is unknown, a value has the wrong kind, or a bracket or quote is not closed; each with its place.
    pub fn parse(text: &str, fields: &QueryFields) -> Result<Self, QueryError> {
        Ok(Self { text: text.trim().to_owned(), expr: parse(text, fields)? })
    }

    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.expr.is_none()
    }

    /// Whether it names this field, so that records need to know it.
    pub fn names(&self, field: &str) -> bool {
        self.expr.as_ref().is_some_and(|expr| expr.names(field))
    }

    /// Whether it contains a bare word, which is searched in all texts of a record.
    pub fn has_words(&self) -> bool {
        self.expr.as_ref().is_some_and(QueryExpr::has_words)
    }

    pub fn fits(&self, record: &dyn QueryRecord) -> bool {
        self.expr.as_ref().is_none_or(|expr| expr.fits(record))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::field::{FieldColumn, FieldKind, FieldValue};
    use super::*;
    use qscope_engine::cluster::{Epoch, Seconds};

    struct Job;

    impl QueryRecord for Job {
        fn fact(&self, field: &str) -> Option<FieldValue<'_>> {
            Some(match field {
                "user" => FieldValue::text("Ann"),
                "node" => FieldValue::texts(["n1", "n17"]),
                "ncpus" => FieldValue::Number(12.0),
                "mem" => FieldValue::Size(16.0 * 1024.0 * 1024.0),
                "walltime" => FieldValue::Span(Seconds(7200)),
                "start" => FieldValue::Moment(Epoch(10_000), Epoch(8_200)),
                "top" => FieldValue::Flag(true),
                _ => return None,
            })
        }

        fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
            ["12", "Ann", "workq", "wait", "not now"].into_iter().any(holds)
        }
    }

    fn fields() -> QueryFields {
        use FieldKind as K;
        let field = |(name, kind)| FieldColumn::new(name, kind, (4, 1), "", ());
        QueryFields::of(
            &[
                ("node", K::Text),
                ("user", K::Text),
                ("ncpus", K::Number),
                ("mem", K::Size),
                ("walltime", K::Span),
                ("start", K::Moment),
                ("top", K::Flag),
                ("set", K::Text),
            ]
            .map(field),
        )
    }

    #[test]
    fn what_fits_and_what_does_not() {
        for (text, fits) in [
            ("", true),
            ("user:an", true),
            ("user=an", false),
            ("user=ANN", true),
            ("user=a*", true),
            ("user!=ann", false),
            ("workq wait", true),
            ("workq bob", false),
            ("bob or wait", true),
            ("bob | ann & wait", true),
            ("(bob | ann) & !wait", false),
            ("not not ann", true),
            ("node=n17 node=n1", true),
            ("node=n2", false),
            ("node!=n2", true),
            ("node!=n1", false),
            ("ncpus>=12 ncpus<13 ncpus!=11", true),
            ("ncpus > 12", false),
            ("mem=16gb mem>1000mb", true),
            ("walltime=2h walltime<=120m walltime>01:00:00", true),
            ("start=+30m start>9999", true),
            ("top:yes", true),
            ("top=no", false),
            ("top!=no", true),
            ("node~^n1[67]$", true),
            ("node~^n[23]", false),
            ("user~AN+", true),
            ("user~'^(bob|ann)$'", true),
            ("name~n17", true),
            ("ncpus~12", true),
            ("set:sw1", false),
            ("set!=sw1", false),
            ("'not now'", true),
            // A phrase has to be within one text.
            ("'12 ann'", false),
            ("\"and\" or workq", true),
        ] {
            let query = Query::parse(text, &fields()).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(query.fits(&Job), fits, "{text}");
        }
    }

    #[test]
    fn errors_point_at_their_place() {
        for (text, caret) in [
            ("usr:ann", "^^^ there is no field usr, did you mean `user`?"),
            ("ann walltime>soon", "             ^^^^ walltime takes a time such as 02:00:00, 90m or 2h"),
            ("mem>4x", "    ^^ mem takes a size such as 16gb"),
            ("user<ann", "     ^^^ user takes = or : here, since it is a text"),
            ("user:", "     ^ compare user with what?"),
            ("user~[", "     ^ user takes a regular expression after ~; quotes keep brackets together"),
            ("(ann", "^ this bracket is never closed"),
            ("ann)", "   ^ this bracket was never opened"),
            ("ann or", "      ^ something is missing here"),
            ("or ann", "^^ something is missing before this"),
            ("'ann", "^^^^ the quote is never closed"),
            ("=3", "^ a field belongs before this"),
            ("ü top:maybe", "      ^^^^^ top takes yes or no"),
        ] {
            let error = Query::parse(text, &fields()).unwrap_err();
            assert_eq!(error.pointed(text)[1], caret, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_panics_and_every_error_lies_within_it(text in r#"[a-z0-9 ()!&|<>=:~"'*+üs-]{0,40}"#) {
            match Query::parse(&text, &fields()) {
                Ok(query) => prop_assert!(query.is_empty() || query.fits(&Job) || !query.fits(&Job)),
                Err(error) => {
                    prop_assert!(error.span.end <= text.len() && text.is_char_boundary(error.span.start));
                    prop_assert!(error.pointed(&text)[1].contains('^'));
                }
            }
        }

        #[test]
        fn deep_brackets_are_an_error(depth in 51usize..900) {
            prop_assert!(Query::parse(&"(".repeat(depth), &fields()).is_err());
        }
    }
}
