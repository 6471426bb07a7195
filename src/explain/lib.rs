//! Explains what keeps a job waiting, what blocks it, when it would start, and which change would let it.
//!
//! [`why`] answers for one job quickly: every cause that applies, the decision stage by stage, and whether the
//! scheduler's own comment is right. [`funnels`] counts the nodes lost at every condition. Slower answers are
//! separate: [`find_blockers`], [`forecast`] and [`remedies`] run the cycle at other moments and with edits. [`board`] counts
//! the causes over the whole queue; [`alerts`] are problems that an operator must see without asking.

mod alert;
mod answer;
mod array_names;
mod as_json;
mod assumptions;
mod attempts;
mod blame;
mod blocked_jobs;
mod board;
mod bucket_bits;
mod bucket_map;
mod cause;
mod chunk_fits;
mod comment;
pub mod decision;
mod double_booking;
mod equal_specs;
mod evidence;
mod fit_analysis;
mod forecast;
mod fragmentation;
mod free_capacity;
mod funnel;
mod inquiry;
mod log_lines;
mod moments;
mod more_nodes;
mod node_check;
mod node_story;
mod offers;
mod overdue;
mod reason;
mod remedy;
mod running;
mod same_request;
mod schedule;
mod sets;
mod subjob;
mod tier;
mod turn;
mod undone_starts;
mod usage;
mod why;
pub mod words;

pub use alert::{
    Alert, AlertItem, AlertKind, alerts, is_reserved, scheduling_is_off, scheduling_off, scheduling_off_at,
};
pub use answer::{
    AnswerLine, AnswerSection, AnswerTopic, LineBar, LineKind, LineStatement, as_markdown, as_text,
    blockers_section, comment_lines, estimate_section, node_sections, node_title, on_node, queues_left,
    remedies_section, running_forward, sections, without_effect, wrapped, wrapped_within,
};
pub use array_names::{left_of_array, started_name_after, waiting_name, waiting_name_after, waiting_name_of};
pub use assumptions::{Assumption, Assumptions, in_one_line, is_likely, rests_on, short_text, unseen};
pub use attempts::{NodeListSearch, SearchAttempt, attempts};
pub use blame::{AwaitedEnd, Blockers, FirstFit, WaitChainLink, find_blockers, first_fit};
pub use blocked_jobs::{BlockedJob, BlockedJobs, blocked_jobs, blocked_jobs_section, blocked_jobs_title};
pub use board::{
    Board, BoardBuilder, BoardRow, ExplainedJob, ReasonTally, board, core_hours, last_outcomes,
    waiting_core_hours, waiting_jobs,
};
pub use bucket_bits::{BitMove, BucketBits, bucket_bits};
pub use bucket_map::{
    BucketMap, BusyLaterReason, MappedBucket, bitmap_word, busy_later, busy_later_words, set_buckets,
    set_named,
};
pub use cause::refused::refused_by_server;
pub use cause::{CalendarConflict, Cause, causes, fits_idle};
pub use chunk_fits::{ChunkFits, chunk_fits};
pub use comment::{Comment, judge};
pub use double_booking::DoubleBookingWords;
pub use evidence::{evidence, given_reason};
pub use forecast::{
    Forecast, ForecastListener, ForecastProgress, ForecastSource, ForecastStarts, ForecastStepper,
    Overtaking, RemainingWalltimes, after_cycle, all_starts, assumption, forecast, forecasts, move_clock,
    unknown_start,
};
pub use fragmentation::{
    FragmentFit, Fragmentation, LargestFreeSet, fragmentation, pool_fragmentation, whole_nodes_in,
};
pub use free_capacity::{FreeCapacity, free_capacity};
pub use funnel::{
    ChunkCapacity, Funnel, FunnelStep, LostNodes, NearMiss, NodeMismatch, PassRequirement, funnels,
};
pub use inquiry::{BriefExplanation, Explainer};
pub use log_lines::{comparable, each_turn, is_reproduced, log_lines};
pub use more_nodes::{
    AddedNodesEffect, NodeKind, added_nodes_effects, more_nodes, node_description, node_kinds,
};
pub use node_check::{Condition, FailedCondition, unmet_on_node};
pub use node_story::{NodeRefusal, NodeReport, PartOnNode, StartLocation, why_node, why_not_here};
pub use offers::{ChunkOffer, offers};
pub use overdue::Overdue;
pub use reason::{AmountComparison, WaitReason};
pub use remedy::{
    QueueMove, Remedy, RemedyListener, RemedySearchEvent, TriedChanges, own_changes, remedies, tried_changes,
};
pub use running::RunningEnd;
pub use same_request::{JobFate, same_request};
pub use schedule::{
    Lane, NodeClosure, Occupancy, OccupancyKind, Schedule, TimeEdge, listed_words, occupant_id,
    occupant_name, schedule, schedule_after,
};
pub use subjob::is_starting_subjob;
pub use tier::Tier;
pub use turn::{JobTurn, decided, decided_with_array, first_decided, starting, turn_words};
pub use undone_starts::{UndoneStart, standing_preemptions, standing_starts, undone_starts};
pub use usage::{ResourceUsage, cpus_of, usage};
pub use why::{Explanation, why};
