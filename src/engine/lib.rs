//! The scheduling cycle of PBS-family batch systems as a library: no files, no terminal, no clock.
//!
//! A [`cluster::Snapshot`] is the input: vnodes, queues, jobs, reservations and options at one time, including that
//! time. [`cycle::run_cycle`] runs one cycle of the modelled scheduler on it. The result, a [`cycle::Run`], holds the
//! outcome of every job and a journal; [`cycle::Debugger`] moves along that journal in both directions and explains
//! any job again with a [`placement::Probe`] attached. The same snapshot always gives the same run, byte for byte.
//!
//! # Example
//!
//! Two vnodes of four cores and two jobs. The first job takes both nodes exclusively, so the second waits:
//!
//! ```
//! use std::sync::Arc;
//!
//! use qscope_engine::cluster::{
//!     Amount, Epoch, Job, Node, Place, Queue, ResourceId, Seconds, Select, Snapshot, Value,
//! };
//! use qscope_engine::cycle::{Debugger, Verdict, run_cycle};
//! use qscope_engine::universe::Quirks;
//!
//! let mut snap = Snapshot::empty("two nodes", Epoch(1_763_700_000));
//! snap.queues.push(Queue::named("workq"));
//! for name in ["n1", "n2"] {
//!     let mut node = Node { name: name.into(), ..Node::default() };
//!     node.available.set(ResourceId::ncpus(), Value::Amount(Amount(4.0)));
//!     snap.nodes.push(node);
//! }
//! for (sequence, place) in [(1, "scatter:excl"), (2, "free")] {
//!     let select = Select::parse("2:ncpus=4")?;
//!     let mut job = Job {
//!         name: format!("{sequence}.server").into(),
//!         sequence,
//!         queue: "workq".into(),
//!         requested: select.sums(&snap.catalogue).into(),
//!         select: Some(select),
//!         place: Some(Place::parse(place)?),
//!         ..Job::default()
//!     };
//!     job.requested.set(ResourceId::walltime(), Value::Amount(Amount(3600.0)));
//!     snap.jobs.push(job);
//! }
//!
//! let run = Arc::new(run_cycle(Arc::new(snap), Quirks::default()));
//! let first = run.steps.iter().next().expect("a job was considered");
//! let placed = first.outcome.placed.as_ref().expect("it starts");
//! assert_eq!(placed.allocation.exec_vnode(&run.plan), "(n1:ncpus=4)+(n2:ncpus=4)");
//! let verdicts: Vec<Verdict> = run.outcomes().map(|outcome| outcome.verdict).collect();
//! assert_eq!(verdicts, [Verdict::Run, Verdict::NotNow]);
//!
//! // The journal leads back to the state before the first job: both nodes are free again.
//! let mut debugger = Debugger::new(run);
//! debugger.seek(0);
//! assert_eq!(debugger.state().buckets.iter().map(|bucket| bucket.free.count()).sum::<usize>(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The four modules
//!
//! Each module imports only from those above it:
//!
//! | module | contents |
//! |---|---|
//! | [`cluster`] | the input as plain data: vnodes, jobs, queues, requests, options |
//! | [`universe`] | what the scheduler derives: node sets, buckets, pools, the timeline, and the journal that undoes and redoes |
//! | [`placement`] | where a job fits: the choice of path, the bucket path, the node path, placement sets |
//! | [`cycle`] | which job is next and when it starts: order, limits, calendar, preemption, the cycle and its steps |
//!
//! The rules that the model implements are listed in [`rules`], by the names and numbers that comments cite.

pub mod cluster;
pub mod cycle;
pub mod placement;
pub mod universe;

#[doc = include_str!("rules.md")]
pub mod rules {}
