//! The scheduler's options in the format of `sched_config`.

use qscope_engine::cluster::{ByPeriod, Period, Policy};
use qscope_source::attributes::option_settings;

macro_rules! by_period {
    ($($field:ident)+) => {
        /// Options whose value may differ between prime and non-prime time.
        const BY_PERIOD: &[&str] = &[$(stringify!($field)),+];

        /// Returns the options of one period, as if they held all the time.
        fn in_period(policy: &Policy, period: Period) -> Policy {
            let mut one = policy.clone();
            $(one.$field = ByPeriod::both(policy.$field.get(period).clone());)+
            one.peer_queues.clear();
            one
        }
    };
}

by_period! {
    round_robin by_queue strict_ordering strict_fifo fair_share backfill backfill_prime preemptive_sched prime_spill
    job_sort_key node_sort_key node_group_sort_key smp_cluster_dist
}

/// Options that accumulate one value per line.
const LISTS: [&str; 3] = ["job_sort_key", "node_sort_key", "node_group_sort_key"];

/// Options that schedulers do not know or that are obsolete: left out if they have their defaults.
const UNUSUAL: [&str; 5] =
    ["backfill", "strict_fifo", "node_group_sort_key", "node_group_sort_tuples", "node_group_sort_text"];

/// Returns the text of the file.
pub fn sched_config(policy: &Policy) -> String {
    let mut text = String::from("# written by qscope\n");
    let [prime, non_prime] =
        [Period::Prime, Period::NonPrime].map(|period| option_settings(&in_period(policy, period)));
    let defaults = option_settings(&Policy::program_defaults());
    let is_left_out = |name: &String, value: &Option<String>| {
        UNUSUAL.contains(&&**name) && defaults.contains(&(name.clone(), value.clone()))
    };
    for (name, prime) in &prime {
        if !BY_PERIOD.contains(&&**name) {
            continue;
        }
        let other = non_prime.iter().find(|(other, _)| other == name).and_then(|(_, value)| value.as_ref());
        if prime.as_ref() == other && is_left_out(name, prime) {
            continue;
        }
        if prime.as_ref() == other {
            text += &lines(name, other, "ALL");
        } else {
            text += &lines(name, prime.as_ref(), "prime");
            text += &lines(name, other, "non_prime");
        }
    }
    for (name, value) in option_settings(policy) {
        if is_left_out(&name, &value) {
            continue;
        }
        let Some(value) = value else { continue };
        match &*name {
            "server_dyn_res" => {
                // The program that reports the amount is not part of the model.
                for resource in &policy.server_dyn_res {
                    text += &format!("server_dyn_res: \"{resource} !left-out\"\n");
                }
            }
            "peer_queue" => {
                for peer in &policy.peer_queues {
                    text += &format!("peer_queue: {}\n", quoted(peer));
                }
            }
            // The option is set by being present.
            "allow_aoe_calendar" if !policy.allow_aoe_calendar => {}
            name if BY_PERIOD.contains(&name) => {}
            name => text += &format!("{name}: {}\n", quoted(&value)),
        }
    }
    text
}

/// Formats an option for one period; an option that accumulates gets a line for each value.
fn lines(name: &str, value: Option<&String>, period: &str) -> String {
    let Some(value) = value else { return String::new() };
    let values: Vec<&str> = if LISTS.contains(&name) { value.split("; ").collect() } else { vec![value] };
    values.into_iter().map(|value| format!("{name}: {} {period}\n", quoted(value))).collect()
}

fn quoted(value: &str) -> String {
    if value.contains(char::is_whitespace) || value.is_empty() || value.contains(',') {
        format!("\"{value}\"")
    } else {
        value.to_owned()
    }
}
