//! `qscope lint`: settings that do not do what they state.

use clap::Args;
use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use qscope_advice::lint::{LintFinding, LintLevel, LintReport, LintRule, lint, rule, rules};
use qscope_engine::cluster::did_you_mean::question;
use qscope_exits::Lines;
use qscope_explain::words;

use super::arguments::FolderArgs;
use super::plain::{self, NoVerdictsSubject};
use super::table::{grid, paragraph};
use super::{open, output};

const EXAMPLE: &str = "Examples:
  qscope lint FOLDER                     all findings, the gravest first
  qscope lint FOLDER --fail-on error     exit code 1 only where jobs or vnodes are shut out
  qscope lint --explain limit-of-zero    what a rule finds, and why
  qscope lint --rules                    the list of rules

Exit code 0: no finding from that level on; 1: there are some. Nothing is changed.";

/// The arguments of `lint`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLE)]
pub(super) struct LintArgs {
    /// Level from which findings make the exit code 1: error, warning or note.
    #[arg(long, value_name = "LEVEL", default_value = "warning", value_parser = level)]
    pub fail_on: LintLevel,
    /// Only findings of this rule (repeatable).
    #[arg(long, value_name = "RULE")]
    pub rule: Vec<String>,
    /// Explain a rule instead.
    #[arg(long, value_name = "RULE", conflicts_with = "rules")]
    pub explain: Option<String>,
    /// List the rules instead.
    #[arg(long)]
    pub rules: bool,
    /// The folder and the output form.
    #[command(flatten)]
    pub at: FolderArgs,
}

fn level(text: &str) -> Result<LintLevel, String> {
    LintLevel::from_word(text).ok_or_else(|| "expected error, warning or note".to_owned())
}

/// Lists findings; the exit code is 1 ("no") if one has the chosen level or a more severe one.
///
/// # Errors
/// If the input is bad, there is no such rule, or the output cannot be written.
pub(super) fn run(args: &LintArgs) -> Result<u8> {
    if args.rules {
        let json = || rules().map(RuleJson::of).collect::<Vec<_>>();
        output::print_json_or_text(args.at.form.json, json, rules_text)?;
        return Ok(0);
    }
    if let Some(name) = args.explain.iter().chain(&args.rule).find(|name| rule(name).is_none()) {
        let hint = question(name, rules().map(|rule| rule.id));
        return Err(eyre!("no rule `{name}`{hint}; qscope lint --rules lists them"));
    }
    if let Some(found) = args.explain.as_deref().and_then(rule) {
        let text = || {
            let mut text = Lines::new();
            text.line(format_args!("{} ({})", found.id, found.level.word()));
            text.append(&paragraph("  ", &format!("{}. {}", found.summary, found.explain)));
            text
        };
        output::print_json_or_text(args.at.form.json, || RuleJson::of(found), text)?;
        return Ok(0);
    }
    let (generation, files) = open::generation_with_files(&args.at)?;
    if let Some(code) = plain::print_if_no_verdicts(&generation, args.at.form.json, NoVerdictsSubject::Queue)?
    {
        return Ok(code);
    }
    let mut report = lint(&generation.run, &files);
    if !args.rule.is_empty() {
        report.findings.retain(|finding| args.rule.iter().any(|name| name == finding.rule));
    }
    let about = output::AnswerContext::as_a_whole(&generation);
    output::answer(about, args.at.form.json, || &report, || to_text(&report))?;
    Ok(u8::from(report.has_level(args.fail_on)))
}

/// A rule, for programs.
#[derive(Serialize)]
struct RuleJson {
    rule: &'static str,
    level: &'static str,
    summary: &'static str,
    explain: &'static str,
}

impl RuleJson {
    fn of(rule: &LintRule) -> Self {
        Self { rule: rule.id, level: rule.level.word(), summary: rule.summary, explain: rule.explain }
    }
}

fn rules_text() -> Lines {
    let rows: Vec<Vec<String>> =
        rules().map(|rule| vec![rule.id.to_owned(), rule.level.word().to_owned()]).collect();
    let mut text = grid(&["rule", "level"], &rows, &[]);
    text.blank();
    text.line("qscope lint --explain RULE explains one; qscope help lint-rules explains all.");
    text
}

fn to_text(report: &LintReport) -> Lines {
    let mut text = Lines::new();
    for finding in &report.findings {
        text.append(&finding_text(finding));
        text.blank();
    }
    let count = |level: LintLevel| words::count(report.count(level), level.word());
    let found = if report.findings.is_empty() {
        "no findings".to_owned()
    } else {
        LintLevel::ALL.map(count).join(", ")
    };
    text.line(format_args!("{} checked: {found}", words::count(report.rules, "rule")));
    text
}

fn finding_text(finding: &LintFinding) -> Lines {
    let mut text = Lines::new();
    text.line(format_args!("{} {}", finding.level.word(), finding.rule));
    text.append(&paragraph("  ", &finding.what));
    let places: Vec<String> = finding.places.iter().map(ToString::to_string).collect();
    if !places.is_empty() {
        text.append(&paragraph("  at    ", &words::first_names(&places, 6)));
    }
    let label = if finding.cost.is_gain() { "  gives " } else { "  costs " };
    text.append(&paragraph(label, &finding.cost.words()));
    text.append(&paragraph("  fix   ", &finding.fix));
    text
}
