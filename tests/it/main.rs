//! The integration tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail as tests do"
)]

mod advice_fits;
mod advice_lint;
mod advice_lint_claims;
mod advice_order;
mod advice_try;
mod agree;
mod agreement;
mod blocked_by;
mod buckets;
mod capacity;
mod cases;
mod collect;
mod compare;
mod console_board;
mod console_calendar;
mod console_capacity;
mod console_commands;
mod console_cycle;
mod console_daily;
mod console_faults;
mod console_footer;
mod console_forms;
mod console_history;
mod console_house;
mod console_inside;
mod console_likely;
mod console_marks;
mod console_moments;
mod console_pace;
mod console_pages;
mod console_pictures;
mod console_policies;
mod console_pools;
mod console_program;
mod console_questions;
mod console_run_to;
mod console_scripts;
mod console_soak;
mod console_terminal;
mod console_time;
mod console_views;
mod console_what_if;
mod console_why;
mod console_words;
mod decision;
mod doctor;
mod doubts;
mod extremes;
mod farm;
mod faults;
mod fuzz;
mod hostile;
mod hostile_files;
#[path = "../oracle/literal.rs"]
mod literal;
mod live;
mod log_lines;
mod measured;
mod node_filter;
mod node_pages;
mod one_verdict;
mod oracle;
#[allow(dead_code, reason = "the oracle keeps more of a cycle than is compared")]
#[allow(
    clippy::match_same_arms,
    clippy::needless_pass_by_value,
    reason = "rules stand one by one, to the letter"
)]
#[path = "../oracle/whole/mod.rs"]
mod oracle_cycle;
mod own_nodes;
mod packing;
mod policies;
mod policies_site;
mod policies_spec;
mod preemption;
mod program;
mod properties;
mod qrun;
mod query;
mod quirks;
mod random;
mod readme;
mod real;
mod record;
mod rests_on;
mod rooms;
mod rules;
mod samples;
mod set_order;
mod share;
mod share_commands;
mod simulate;
mod simulate_properties;
mod simulate_scale;
mod sites;
mod sites_archives;
mod sites_commands;
mod sites_linear;
mod sites_logs;
mod sites_names;
mod sites_torque;
mod soak;
mod source_cases;
mod source_forms;
mod source_hostile;
mod source_memory;
mod source_real;
mod source_same;
mod source_schedulers;
mod system_house;
mod universe_follows;
mod what_if;
mod what_if_trials;
mod when;
mod whole_cycle;
mod why;
mod why_later;
mod words;
mod world;
