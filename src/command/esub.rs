//! `qscope esub`: the class of a job, and what its policy would require of a node; as LSF's submission filter, or as
//! pieces for PBS.

mod lsf;
mod pbs;

use std::path::PathBuf;

use clap::Args;
use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use qscope_engine::cluster::show_duration;
use qscope_exits::Lines;
use qscope_planning::farm::esub::{SubmissionConditions, adequacy, attribute};
use qscope_planning::farm::policy_file::PolicyFile;
use qscope_planning::farm::res_req::merged;
use qscope_planning::farm::snapshot_workload::class_of;
use qscope_planning::farm::{Criterion, FarmPolicy};

use super::arguments::FolderArgs;
use super::elim::{criterion, read_policies};
use super::farm::class_policy;
use super::{open, output};

/// The arguments of `esub`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope esub 4711 /var/spool/qscope --policy atlas=exclusive")]
pub(super) struct EsubArgs {
    /// The job, with or without the server part.
    #[arg(required_unless_present_any = ["lsf", "pbs"], conflicts_with_all = ["lsf", "pbs"])]
    pub job: Option<String>,
    /// How jobs fall into classes; by default as the policy file states, without one by group.
    #[arg(long, value_name = "CRITERION")]
    pub class: Option<String>,
    /// The packing policies of the site.
    #[arg(long, value_name = "FILE")]
    pub policy_file: Option<PathBuf>,
    /// Filter a submission as LSF runs an esub: it reads LSB_SUB_PARM_FILE and writes LSB_SUB_MODIFY_FILE.
    #[arg(long, requires = "policy_file", conflicts_with_all = ["pbs", "json"])]
    pub lsf: bool,
    /// Print the same policies as pieces for PBS: resources, scheduler lines, selects, rules of hooks; nothing is installed.
    #[arg(long, requires = "policy_file", conflicts_with = "json")]
    pub pbs: bool,
    /// The policies of classes, as atlas=exclusive,cms=relaxed; by default the job's own class is relaxed.
    #[arg(long, value_delimiter = ',', value_name = "CLASS=POLICY")]
    pub policy: Vec<String>,
    /// The folder and the output form.
    #[command(flatten)]
    pub at: FolderArgs,
}

/// The class of a job, and the conditions of its policy on nodes.
#[derive(Serialize)]
struct EsubJson<'a> {
    /// The full id.
    job: &'a str,
    /// The criterion by which jobs fall into classes.
    criterion: &'a str,
    class: &'a str,
    policy: String,
    /// The attribute by which nodes publish the class.
    attribute: String,
    /// The preference as an expression.
    prefers: Option<String>,
    /// The preference as an order of nodes.
    order: Option<String>,
    /// The conditions, all of which must hold.
    requires: Vec<String>,
    /// The conditions as a filter.
    select: Option<String>,
    /// The condition on jobs of other classes.
    others_require: Option<String>,
    /// All of it as one resource requirement string of LSF, for a job that requests nothing else.
    res_req: String,
}

/// Prints the class and the conditions.
///
/// # Errors
/// If the input is bad, or there is no such job.
pub(super) fn run(args: &EsubArgs) -> Result<u8> {
    let file = args.policy_file.as_deref().map(read_policies).transpose()?;
    let Some(name) = &args.job else { return without_job(args, file) };
    let criterion = criterion(args.class.as_deref(), file.as_ref())?;
    let generation = open::generation(&args.at.paths, &args.at.form.reading)?;
    let job = &generation.snapshot.jobs[open::job(&generation, name)?];
    let class = class_of(&generation.snapshot, job, &criterion);
    let policies = args.policy.iter().map(|text| class_policy("--policy", text));
    let mut policies = policies.collect::<Result<Vec<_>>>()?;
    policies.extend(file.into_iter().flat_map(|file| file.classes));
    if policies.is_empty() {
        policies.push((class.clone(), FarmPolicy::Relaxed));
    }
    let own =
        policies.iter().find(|(name, _)| *name == class).map_or(FarmPolicy::Plain, |(_, policy)| *policy);
    let asks = adequacy(&class, &policies);
    let res_req = merged("", &asks)?;
    if args.at.form.json {
        let answer = EsubJson {
            job: &job.name,
            criterion: &criterion.to_string(),
            class: &class,
            policy: own.to_string(),
            attribute: attribute(&class),
            prefers: asks.prefers,
            order: asks.order,
            requires: asks.requires,
            select: asks.select,
            others_require: asks.others,
            res_req,
        };
        output::print_json_about(&generation, answer)?;
        return Ok(0);
    }
    output::print_about(&generation, &to_text(&job.name, (&class, &criterion), own, asks, &res_req))?;
    Ok(0)
}

/// Filters a submission, or prints pieces to install.
fn without_job(args: &EsubArgs, file: Option<PolicyFile>) -> Result<u8> {
    let policies = file.ok_or_else(|| eyre!("--lsf and --pbs need --policy-file"))?;
    if args.lsf {
        return lsf::run(&policies);
    }
    output::print(&pbs::pieces(&policies))?;
    Ok(0)
}

fn to_text(
    job: &str,
    (class, by): (&str, &Criterion),
    own: FarmPolicy,
    asks: SubmissionConditions,
    res_req: &str,
) -> Lines {
    let none = || "nothing".to_owned();
    let order = asks.order.as_ref().map_or(String::new(), |order| format!(", as an order of nodes: {order}"));
    let select = asks.select.map_or(String::new(), |select| format!(", as a filter: {select}"));
    let mut text = Lines::new();
    text.line(format_args!("job {job}: class {class} by {by}, policy {own}"));
    text.line(format_args!("prefers   {}{order}", asks.prefers.unwrap_or_else(none)));
    let requires = if asks.requires.is_empty() { none() } else { asks.requires.join(" && ") };
    text.line(format_args!("requires  {requires}{select}"));
    if let Some(others) = asks.others {
        let while_there = match own {
            FarmPolicy::Ttl(seconds) => format!(
                "for {} after the latest start of a job of {class} there; the count alone does not show when that was",
                show_duration(seconds as f64)
            ),
            _ => format!("while a job of {class} runs there"),
        };
        text.line(format_args!("others    {others}, {while_there}"));
    }
    if asks.order.is_some() {
        text.line(
            "A preference is an order, not a filter: `A || B` in a select would let every node through.",
        );
        text.line(format_args!("The order holds where {} is defined as increasing.", attribute(class)));
    }
    if !res_req.is_empty() {
        text.line(format_args!("as one string: -R \"{res_req}\""));
    }
    text
}
