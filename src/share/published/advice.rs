//! Advice against a cause: the site's own advice in `reasons.toml`, or else a line for each kind of cause.

use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;

use super::LARGEST;
use super::answers::PublishedAnswer;
use qscope_engine::cluster::did_you_mean;
use qscope_explain::Tier;
use qscope_system::input;

/// Causes by their `kind` in `why --json`, each with advice for when nothing more is known.
const CAUSES: &[(&str, &str)] = &[
    ("held", "qrls releases the hold, if you may"),
    ("dependency", "it waits for the job that it depends on"),
    ("failed-starts", "find out why its starts failed, then qrls"),
    ("queue-stopped", "the site has to start the queue; qmove takes the job to another one"),
    ("queue-unknown", "qmove takes it to a queue that there is"),
    ("partition", "qmove takes it to a queue of a partition that has nodes"),
    ("run-limit", "wait until one of the jobs that count ends"),
    ("resource-limit", "wait until jobs that count end, or request less"),
    ("subjob-limit", "wait until a subjob ends"),
    ("server-resource", "wait until jobs that use it end"),
    ("queue-resource", "wait until jobs that use it end"),
    ("node-limit", "wait until jobs on the nodes end"),
    ("chunk-too-large", "request chunks that one vnode can hold: qalter -l select=..."),
    ("pack-too-large", "place=free or scatter lets it use several hosts"),
    ("set-too-small", "request fewer nodes, so that one placement set holds them"),
    ("whole-cluster", "request less: the cluster does not have as much"),
    ("no-such-node", "request a node or value that there is"),
    ("lost-nodes", "ask the site to requeue it, or to bring its nodes back"),
    ("does-not-fit", "change the request: it does not fit even the idle cluster"),
    ("too-many-chunks", "request fewer kinds of chunks"),
    ("invalid", "change the request: the scheduler cannot read it"),
    ("never-for-now", "wait: it can run once nodes are back"),
    ("switched-off", "wait until the site switches it on again"),
    ("strict-order", "wait for the jobs ahead: the order is strict"),
    ("overtaken", "wait: it comes up in a later cycle"),
    ("no-shares", "ask the site for shares"),
    ("under-threshold", "wait until its priority has grown"),
    ("time-window", "wait for the time in which its queue is served"),
    ("prime-boundary", "a shorter walltime may end before the time changes"),
    ("dedicated-time", "a shorter walltime may end before dedicated time"),
    ("reservation-ahead", "a shorter walltime may end before the reservation"),
    ("planned", "a shorter walltime may end before the planned job"),
    ("not-exclusive", "wait for whole nodes, or share: place=shared"),
];

/// Returns the advice if only the kind of cause is known.
fn by_tier(tier: &str) -> Option<&'static str> {
    Some(match tier {
        "not_eligible" => "it is not eligible to run; qstat -f shows its state",
        "stopped" => "wait until the site or the time of day lets it run",
        "never" => "change the request: waiting does not help",
        "limit" => "wait until jobs that count against the limit end",
        "order" => "wait for the jobs ahead",
        "short" => "wait until jobs end, or request less",
        "fragmented" => "smaller or fewer chunks may fit what is free",
        "calendar" => "a shorter walltime may fit before what is planned",
        "not_considered" => "wait for the next cycle",
        _ => return None,
    })
}

/// An error in `reasons.toml`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file}: {what}")]
pub struct AdviceError {
    pub file: String,
    pub what: String,
}

/// The site's own advice.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Advice(Vec<AdviceEntry>);

/// One entry of the file.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AdviceEntry {
    /// A tier or a cause.
    cause: String,
    /// A text that must occur in the cause, its objects or the scheduler's comment.
    #[serde(rename = "match")]
    matches: Option<String>,
    text: String,
    link: Option<String>,
}

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AdviceFile {
    #[serde(default)]
    reason: Vec<AdviceEntry>,
}

impl Advice {
    /// Reads the advice in `reasons.toml` of a folder; returns empty advice if there is no such file.
    ///
    /// # Errors
    /// If the file cannot be read, or an entry is invalid.
    pub fn read(etc: &Path) -> Result<Self, AdviceError> {
        let path = etc.join("reasons.toml");
        let fail = |what: String| AdviceError { file: path.display().to_string(), what };
        match input::read_text(&path, LARGEST) {
            Ok(text) => Self::parse(&text).map_err(fail),
            Err(why) if why.io_kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(why) => Err(fail(why.to_string())),
        }
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    /// If the text is invalid: states the fault, with the line for invalid TOML or an unknown key.
    pub fn parse(text: &str) -> Result<Self, String> {
        let reasons: AdviceFile = toml::from_str(text).map_err(|why| {
            let line =
                why.span().map(|span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
            line.map_or_else(|| why.message().to_owned(), |line| format!("line {line}: {}", why.message()))
        })?;
        for (at, reason) in (1..).zip(&reasons.reason) {
            reason.check().map_err(|what| format!("[[reason]] {at}: {what}"))?;
        }
        Ok(Self(reasons.reason))
    }

    /// Returns advice: the site's first matching entry, else a proven change, else a line about the cause.
    pub fn for_answer(&self, answer: &PublishedAnswer) -> Option<String> {
        if let Some(reason) = self.0.iter().find(|reason| reason.fits(answer)) {
            return Some(match &reason.link {
                Some(link) => format!("{} {link}", reason.text),
                None => reason.text.clone(),
            });
        }
        if let Some(change) = &answer.change {
            return Some(change.clone());
        }
        let cause = answer.cause.as_deref()?;
        let known = CAUSES.iter().find(|(word, _)| *word == cause).map(|(_, text)| *text);
        known.or_else(|| by_tier(answer.tier.as_deref()?)).map(str::to_owned)
    }
}

impl AdviceEntry {
    fn check(&self) -> Result<(), String> {
        let tiers = Tier::ALL.iter().map(|tier| tier.word());
        let known: Vec<&str> = tiers.chain(CAUSES.iter().map(|(word, _)| *word)).collect();
        if !known.contains(&&*self.cause) {
            let asked = did_you_mean::question(&self.cause, known.iter().copied());
            return Err(format!("cause `{}` is none{asked}", self.cause));
        }
        if self.text.trim().is_empty() || self.text.chars().any(qscope_exits::is_control_or_format) {
            return Err("text is empty, or holds control characters or line breaks".to_owned());
        }
        if self.matches.as_deref() == Some("") {
            return Err("match is empty".to_owned());
        }
        match &self.link {
            Some(link) if !is_link(link) => {
                Err(format!("link `{link}` is none; expected https://... or http://..."))
            }
            _ => Ok(()),
        }
    }

    fn fits(&self, answer: &PublishedAnswer) -> bool {
        let is_about =
            [&answer.tier, &answer.cause].into_iter().any(|word| word.as_ref() == Some(&self.cause));
        let stands_in = |text: &str| {
            let texts = [Some(&answer.headline), answer.comment.as_ref()];
            texts.into_iter().flatten().chain(&answer.objects).any(|words| words.contains(text))
        };
        is_about && self.matches.as_deref().is_none_or(stands_in)
    }
}

fn is_link(link: &str) -> bool {
    let rest = link.strip_prefix("https://").or_else(|| link.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(tier: &str, cause: &str, headline: &str) -> PublishedAnswer {
        PublishedAnswer {
            job: "1.s".to_owned(),
            user: "ann".to_owned(),
            queue: "q".to_owned(),
            state: 'Q',
            verdict: Some("not_now".to_owned()),
            final_verdict: None,
            tier: Some(tier.to_owned()),
            cause: Some(cause.to_owned()),
            objects: vec!["max_run".to_owned()],
            headline: headline.to_owned(),
            likely: false,
            comment: None,
            start: None,
            when: None,
            change: None,
            starting: None,
        }
    }

    #[test]
    fn the_site_counts_before_what_is_built_in() {
        let text = "[[reason]]\ncause = \"limit\"\nmatch = \"max_run\"\ntext = \"Each user runs 4 jobs.\"\nlink = \"https://site/limits\"\n";
        let advice = Advice::parse(text).unwrap();
        let about = |answer: &PublishedAnswer| advice.for_answer(answer).unwrap();
        assert_eq!(about(&waiting("limit", "run-limit", "x")), "Each user runs 4 jobs. https://site/limits");
        assert_eq!(about(&waiting("short", "nodes", "x")), "wait until jobs end, or request less");
        assert_eq!(about(&waiting("not_eligible", "held", "x")), "qrls releases the hold, if you may");
    }

    #[test]
    fn a_wrong_entry_is_named() {
        let wrong = |text: &str| Advice::parse(text).unwrap_err();
        let typo = wrong("[[reason]]\ncause = \"limits\"\ntext = \"x\"\n");
        assert!(typo.starts_with("[[reason]] 1: cause `limits` is none"), "{typo}");
        let key = wrong("[[reason]]\ncause = \"limit\"\ntext = \"x\"\nlnik = \"https://a\"\n");
        assert!(key.contains("line 4") && key.contains("lnik"), "{key}");
        let link = wrong("[[reason]]\ncause = \"limit\"\ntext = \"x\"\nlink = \"javascript:alert(1)\"\n");
        assert!(link.contains("expected https://"), "{link}");
        assert!(wrong("[[reason]]\ncause = \"limit\"\ntext = \"a\\u001b[2J\"\n").contains("control"));
    }
}
