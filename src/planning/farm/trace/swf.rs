//! One line of a trace in the Standard Workload Format (traces rule 1).

/// A job with its numbers as written; `-1` is unknown.
#[derive(Clone, PartialEq, Debug)]
pub struct SwfJob<'a> {
    /// Its number.
    pub job: i64,
    /// When it arrived.
    pub submit: f64,
    /// When it started; none if the wait is unknown.
    pub start: Option<f64>,
    /// Run time in seconds; none if it never ran.
    pub run: Option<f64>,
    /// Processors allocated or, if unknown, requested.
    pub slots: i64,
    pub user: i64,
    pub group: i64,
    pub executable: i64,
    pub queue: i64,
    pub partition: i64,
    pub status: i64,
    pub fields: usize,
    /// The fields beyond the eighteenth.
    pub extra: Vec<&'a str>,
}

/// The kind of a line.
#[derive(Clone, PartialEq, Debug)]
pub enum SwfLine<'a> {
    /// `; Label: value`.
    Header(&'a str, &'a str),
    /// `; words`.
    Comment(&'a str),
    Job(SwfJob<'a>),
    /// An empty line.
    Blank,
}

/// Why a line cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SwfError {
    /// The line has too few fields for a job.
    #[error("fewer than 5 fields")]
    Short,
    /// A field is not a number.
    #[error("field {field}: `{found}` is not a number")]
    Number {
        /// The field, from 1.
        field: usize,
        found: String,
    },
}

/// Reads a line.
///
/// # Errors
/// A job has fewer than five fields, or one of the standard's fields is not a number.
pub fn parse(line: &str) -> Result<SwfLine<'_>, SwfError> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(SwfLine::Blank);
    }
    if let Some(comment) = line.strip_prefix(';') {
        let comment = comment.trim_start_matches(';').trim();
        let label = |text: &str| {
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        return Ok(match comment.split_once(':') {
            Some((name, value)) if label(name) => SwfLine::Header(name, value.trim()),
            _ => SwfLine::Comment(comment),
        });
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.len() < 5 {
        return Err(SwfError::Short);
    }
    job(&words).map(SwfLine::Job)
}

fn job<'a>(words: &[&'a str]) -> Result<SwfJob<'a>, SwfError> {
    let real = |field: usize| -> Result<f64, SwfError> {
        let word = words.get(field - 1).copied().unwrap_or("-1");
        let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| SwfError::Number { field, found: word.chars().take(40).collect() })
    };
    let whole = |field: usize| real(field).map(|number| number as i64);
    let submit = real(2)?;
    let (wait, run) = (real(3)?, real(4)?);
    let allocated = whole(5)?;
    Ok(SwfJob {
        job: whole(1)?,
        submit,
        start: (wait >= 0.0).then_some(submit + wait),
        run: (run >= 0.0).then_some(run),
        slots: if allocated > 0 { allocated } else { whole(8)? },
        user: whole(12)?,
        group: whole(13)?,
        executable: whole(14)?,
        queue: whole(15)?,
        partition: whole(16)?,
        status: whole(11)?,
        fields: words.len(),
        extra: words.get(18..).unwrap_or_default().to_vec(),
    })
}
