//! What the arguments request: the workload to be read, and a run for each policy.

use color_eyre::eyre::{Result, eyre};

use qscope_planning::farm::policy::whole_seconds;
use qscope_planning::farm::{
    CaseInput, ClassNo, Criterion, FarmCase, FarmOptions, FarmPolicy, FarmRunOptions, HoldAnchor,
};

use super::FarmArgs;

/// Returns the lifetime at which the slider of the view begins; the other policies are always available there.
pub(super) fn lifetime(args: &FarmArgs) -> Result<Option<i64>> {
    let mut lifetime = None;
    for name in args.policies() {
        if name == "mixed" {
            return Err(eyre!(
                "--view: shows one policy for all classes that pack, so not `mixed`; leave --view out"
            ));
        }
        match FarmPolicy::parse(&name)? {
            FarmPolicy::Ttl(seconds) => lifetime = Some(seconds),
            _ if name.starts_with("ttl") => lifetime = Some(i64::MAX),
            _ => {}
        }
    }
    Ok(lifetime)
}

/// Returns what is to be read.
pub(super) fn wanted(args: &FarmArgs) -> Result<CaseInput> {
    Ok(CaseInput {
        files: args.files.clone(),
        criterion: args.class.as_deref().map(Criterion::parse).transpose()?.unwrap_or_default(),
        is_criterion_named: args.class.is_some(),
        pack: args.pack.clone(),
        nodes: args.nodes.clone(),
        scenario: args.scenario.clone(),
        ids: args.json || args.csv.is_some(),
        seed: args.seed,
        load: args.load,
        window: args.window.clone(),
        options: options(args)?,
    })
}

/// Returns the requested runs, in order.
pub(super) fn requested_runs(args: &FarmArgs, case: &FarmCase) -> Result<Vec<FarmRunOptions>> {
    let mut names = args.policies();
    if !args.mixed.is_empty() && !names.iter().any(|name| name == "mixed") {
        names.push("mixed".to_owned());
    }
    if names.is_empty() {
        let defaults: &[&str] =
            if args.json { &["relaxed"] } else { &["relaxed", "ttl:1h", "exclusive", "none"] };
        names = defaults.iter().map(|name| (*name).to_owned()).collect();
    }
    names.iter().map(|name| requested_run(args, case, name)).collect()
}

/// Returns the options that depart from the rules.
fn options(args: &FarmArgs) -> Result<FarmOptions> {
    let every = |flag: &str, text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => match whole_seconds(text) {
            Some(seconds) if seconds > 0 => Ok(Some(seconds)),
            _ => Err(eyre!("--{flag}: expected a time as 15 or 1m, found `{text}`")),
        },
    };
    Ok(FarmOptions {
        anchor: if args.anchor_first { HoldAnchor::First } else { HoldAnchor::Last },
        fullest_first: args.fullest_first,
        fifo: args.fifo,
        cycle: every("cycle", &args.cycle)?,
        publish: every("publish", &args.publish)?,
    })
}

fn requested_run(args: &FarmArgs, case: &FarmCase, name: &str) -> Result<FarmRunOptions> {
    let mut ask = if name == "mixed" {
        FarmRunOptions::with_class_policies(&case.workload, &mixed(args, case)?)
    } else {
        let mut ask =
            FarmRunOptions::with_one_policy(&case.workload, &case.packing, FarmPolicy::parse(name)?);
        ask.name = if name.ends_with("inf") { "ttl:inf".to_owned() } else { ask.name };
        ask
    };
    ask.options = options(args)?;
    ask.window = case.window;
    Ok(ask)
}

/// Returns the policy of each class, from the arguments or from the scenario.
fn mixed(args: &FarmArgs, case: &FarmCase) -> Result<Vec<(ClassNo, FarmPolicy)>> {
    if args.mixed.is_empty() {
        if case.mixed.is_empty() {
            return Err(eyre!(
                "--policy mixed: name the policy of each class, as --mixed atlas=exclusive,cms=ttl:1h"
            ));
        }
        return Ok(case.mixed.clone());
    }
    let one = |text: &String| {
        let (name, policy) = class_policy("--mixed", text)?;
        let class = case.workload.class_named(&name).ok_or_else(|| eyre!("--mixed: no class `{name}`"))?;
        Ok((class, policy))
    };
    args.mixed.iter().map(one).collect()
}

pub(in crate::command) fn class_policy(flag: &str, text: &str) -> Result<(String, FarmPolicy)> {
    let (class, policy) =
        text.split_once('=').ok_or_else(|| eyre!("{flag} {text}: expected CLASS=POLICY"))?;
    Ok((class.to_owned(), FarmPolicy::parse(policy)?))
}
