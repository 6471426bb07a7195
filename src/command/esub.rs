//! `qscope esub`: which class a job is in, and what its policy would ask of a node.

use clap::Args;
use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use qscope_engine::cluster::show_duration;
use qscope_exits::Lines;
use qscope_planning::farm::esub::{adequacy, attribute};
use qscope_planning::farm::now::class_of;
use qscope_planning::farm::{Criterion, Policy};

use super::cli::FolderArgs;
use super::{open, output};

/// What `esub` takes.
#[derive(Args, Clone, Debug)]
pub(super) struct EsubArgs {
    /// The job, with or without the server part.
    pub job: String,
    /// By what jobs fall into classes.
    #[arg(long, default_value = "group", value_name = "CRITERION")]
    pub class: String,
    /// The policies of classes, as atlas=exclusive,cms=relaxed; without it the job's own class is relaxed.
    #[arg(long, value_delimiter = ',', value_name = "CLASS=POLICY")]
    pub policy: Vec<String>,
    /// The folder and the form.
    #[command(flatten)]
    pub at: FolderArgs,
}

/// The class of a job, and the conditions of its policy on nodes.
#[derive(Serialize)]
struct EsubJson<'a> {
    /// The full id.
    job: &'a str,
    /// By what jobs fall into classes.
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
}

/// Prints class and conditions.
///
/// # Errors
/// Bad input, no such job.
pub(super) fn run(args: &EsubArgs) -> Result<u8> {
    let criterion = Criterion::parse(&args.class)?;
    let generation = open::generation(&args.at)?;
    let job = &generation.snapshot.jobs[open::job(&generation, &args.job)?];
    let class = class_of(&generation.snapshot, job, &criterion);
    let one = |text: &String| {
        let (name, policy) =
            text.split_once('=').ok_or_else(|| eyre!("--policy {text}: expected CLASS=POLICY"))?;
        Ok((name.to_owned(), Policy::parse(policy)?))
    };
    let mut policies = args.policy.iter().map(one).collect::<Result<Vec<_>>>()?;
    if policies.is_empty() {
        policies.push((class.clone(), Policy::Relaxed));
    }
    let own = policies.iter().find(|(name, _)| *name == class).map_or(Policy::Plain, |(_, policy)| *policy);
    let asks = adequacy(&class, &policies);
    if args.at.json {
        let answer = EsubJson {
            job: &job.name,
            criterion: &args.class,
            class: &class,
            policy: own.to_string(),
            attribute: attribute(&class),
            prefers: asks.prefers,
            order: asks.order,
            requires: asks.requires,
            select: asks.select,
            others_require: asks.others,
        };
        output::print_json_about(&generation, answer)?;
        return Ok(0);
    }
    let none = || "nothing".to_owned();
    let order = asks.order.as_ref().map_or(String::new(), |order| format!(", as an order of nodes: {order}"));
    let select = asks.select.map_or(String::new(), |select| format!(", as a filter: {select}"));
    let mut text = Lines::new();
    text.line(format_args!("job {}: class {class} by {}, policy {own}", job.name, args.class));
    text.line(format_args!("prefers   {}{order}", asks.prefers.unwrap_or_else(none)));
    let requires = if asks.requires.is_empty() { none() } else { asks.requires.join(" && ") };
    text.line(format_args!("requires  {requires}{select}"));
    if let Some(others) = asks.others {
        let while_there = match own {
            Policy::Ttl(seconds) => format!(
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
        text.line(format_args!("The order holds where {} is defined as increasing.", attribute(&class)));
    }
    output::print_about(&generation, &text)?;
    Ok(0)
}
