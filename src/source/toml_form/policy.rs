//! `policy.toml`: options and attributes under their own names.

use super::table::{TomlItem, TomlTable, put};
use super::values;
use crate::attributes::rows;
use crate::sched_config::{Scope, accumulates, clear, pack_if_sorted_per_job, set};
use crate::zone::Zone;
use crate::{scheduler, server};
use qscope_engine::cluster::{Name, Policy, Seconds, Server, Severity, Snapshot};

/// A part of `policy.toml`, each applied to a cluster of dumps at a different time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PolicyPart {
    /// `[[resource]]`, before anything that uses them.
    Resources,
    /// `[server]`, `[scheduler]` and `[maui]`, before the jobs.
    Attributes,
    /// `[sched_config]`, overriding the file of that name.
    Options,
}

/// Reads the whole file into a cluster; resources first, since everything else refers to them.
pub(super) fn read(mut table: TomlTable<'_>, snap: &mut Snapshot) {
    resources(&mut table, snap);
    let zone = table.parse("zone", "a time zone such as \"Europe/Berlin\"", |name| {
        Zone::named(name, "policy.toml").map(|zone| zone.name)
    });
    if let Some(zone) = zone {
        snap.zone = zone;
        "policy.toml".clone_into(&mut snap.zone_source);
    }
    if let Some(options) = table.table("sched_config") {
        sched_config(&options, &mut snap.policy);
    }
    attributes(&mut table, snap);
    table.finish();
}

/// Reads one part of the file over a cluster of dumps; with the first part, returns the names of all settings except
/// the zone, which was needed earlier for dates.
pub(super) fn read_part(mut table: TomlTable<'_>, part: PolicyPart, snap: &mut Snapshot) -> Vec<String> {
    match part {
        PolicyPart::Resources => {
            resources(&mut table, snap);
            return named(&mut table);
        }
        PolicyPart::Attributes => {
            attributes(&mut table, snap);
            for key in ["resource", "zone", "sched_config"] {
                let _read_elsewhere = table.item(key);
            }
            table.finish();
        }
        PolicyPart::Options => {
            if let Some(options) = table.table("sched_config") {
                sched_config(&options, &mut snap.policy);
                snap.policy.assumed = false;
            }
        }
    }
    Vec::new()
}

/// Returns the names of all settings.
fn named(table: &mut TomlTable<'_>) -> Vec<String> {
    let mut named = Vec::new();
    for section in ["sched_config", "server", "scheduler", "maui"] {
        let Some(item) = table.item(section) else { continue };
        let Some(inner) = table.as_table(&item) else { continue };
        named.extend(inner.all().into_iter().map(|(key, _)| format!("{section}.{key}")));
    }
    named
}

fn resources(table: &mut TomlTable<'_>, snap: &mut Snapshot) {
    for mut resource in table.tables("resource") {
        values::define(&mut resource, &mut snap.catalogue);
        resource.finish();
    }
}

fn attributes(table: &mut TomlTable<'_>, snap: &mut Snapshot) {
    if let Some(mut server) = table.table("server") {
        read_server(&mut server, snap);
        server.finish();
    }
    if let Some(mut scheduler) = table.table("scheduler") {
        read_scheduler(&mut scheduler, snap);
        scheduler.finish();
    }
    if let Some(maui) = table.table("maui") {
        snap.maui = pairs(&maui);
    }
}

/// Returns `[maui]` as written, in order; the allocation policies interpret it.
fn pairs(maui: &TomlTable<'_>) -> Vec<(Name, Name)> {
    let mut pairs = Vec::new();
    for (name, item) in maui.all() {
        match item.text() {
            Some(text) => pairs.push((name.into(), text.into())),
            None => maui.report_at_value(&item, format!("`{name}` is a table; expected a value")),
        }
    }
    pairs
}

/// Reads `[sched_config]`: options that are not set stay as shipped.
fn sched_config(options: &TomlTable<'_>, policy: &mut Policy) {
    for (name, item) in options.all() {
        match options.as_table(&item) {
            Some(periods) => {
                for (period, item) in periods.all() {
                    match period {
                        "prime" => option(options, policy, name, &item, Scope::Prime),
                        "non_prime" => option(options, policy, name, &item, Scope::NonPrime),
                        _ => options.report_at_value(
                            &item,
                            format!("`{period}` is no period of `{name}`; expected prime or non_prime"),
                        ),
                    }
                }
            }
            None => option(options, policy, name, &item, Scope::Always),
        }
    }
    policy.node_group_sort_requested |= options.all().iter().any(|(name, _)| *name == "node_group_sort_key");
    if let Some(remark) = pack_if_sorted_per_job(policy) {
        options.remark_at("smp_cluster_dist", remark.severity, remark.code, remark.message);
    }
}

/// Sets one option; a list sets it once for each element if its lines accumulate.
fn option(options: &TomlTable<'_>, policy: &mut Policy, name: &str, item: &TomlItem<'_>, scope: Scope) {
    let texts = if accumulates(name) { item.texts() } else { item.text().map(|text| vec![text]) };
    let Some(texts) = texts else {
        options.report_at_value(item, format!("`{name}` is a table; expected a value"));
        return;
    };
    clear(policy, name, scope);
    for text in texts {
        if let Some(remark) = set(policy, name, &text, scope) {
            options.report_at(item, remark.severity, remark.code, remark.message);
        }
    }
}

fn read_server(table: &mut TomlTable<'_>, snap: &mut Snapshot) {
    put(&mut snap.server.name, table.text("name"));
    rows::read_toml(server::ATTRIBUTES, &mut snap.server, table, &mut snap.catalogue);
    forgotten_switch(table, &snap.server);
}

/// Warns about placement sets without the switch that enables them, a common mistake.
fn forgotten_switch(table: &TomlTable<'_>, server: &Server) {
    if !server.node_group_key.is_empty() && !server.node_group_enable {
        let message = "`node_group_key` has no effect while `node_group_enable` is false".to_owned();
        table.remark_at("node_group_key", Severity::Warning, "node-group-off", message);
    }
}

/// Reads `[scheduler]`: the attributes of the scheduler object (rule 1.8).
fn read_scheduler(table: &mut TomlTable<'_>, snap: &mut Snapshot) {
    let sched = &mut snap.scheduler;
    let length = sched.cycle_length;
    put(&mut sched.name, table.text("name"));
    rows::read_toml(scheduler::ATTRIBUTES, sched, table, &mut snap.catalogue);
    let about_preemption = [
        ("preempt_prio", &sched.preempt_prio),
        ("preempt_order", &sched.preempt_order),
        ("preempt_sort", &sched.preempt_sort),
    ];
    for (key, value) in about_preemption {
        if let Some(wrong) = scheduler::unknown_preemption_word(key, value) {
            table.remark_at(key, Severity::Warning, scheduler::PREEMPTION_WORD, wrong);
        }
    }
    if sched.cycle_length <= Seconds(0) {
        sched.cycle_length = length;
    }
}
