//! The stages of one decision in words, from what a listening probe heard.

use crate::cycle::Outcome;
use crate::placement::{BucketOffer, BucketRef, Event};
use crate::universe::{Bit, Plan, Rejection};

/// One stage of a decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StageText {
    /// Which stage.
    pub stage: &'static str,
    /// Whether the job passed it; none where there is nothing to pass.
    pub passed: Option<bool>,
    /// What was compared.
    pub text: String,
}

/// What one bucket offered to one part of the select.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChunkOffer {
    /// The part as written.
    pub chunk: String,
    /// How many chunks it wants.
    pub wanted: u32,
    /// The bucket's name.
    pub bucket: String,
    /// Chunks one node of it holds; 0 if it does not match.
    pub fits: u32,
    /// Nodes in it.
    pub total: u32,
    /// Free nodes.
    pub free: usize,
    /// Busy-later nodes.
    pub later: usize,
    /// Busy nodes.
    pub busy: usize,
    /// Why it does not match.
    pub mismatch: Option<String>,
}

/// Tells a decision stage by stage, and what each bucket offered to each part of the select.
#[must_use]
pub fn stages(plan: &Plan, outcome: &Outcome, events: &[Event]) -> (Vec<StageText>, Vec<ChunkOffer>) {
    let mut teller = Teller { plan, stages: Vec::new(), offers: Vec::new() };
    for event in events {
        teller.tell(event);
    }
    teller.tell_outcome(outcome);
    (teller.stages, teller.offers)
}

/// The name of a bucket that an event means.
#[must_use]
pub(super) fn bucket_name(plan: &Plan, bucket: &BucketRef) -> String {
    let mut name = plan.signatures.signature(bucket.sig).show(&plan.snap.catalogue);
    if bucket.priority != 0 {
        name.push_str(&format!(":priority={}", bucket.priority));
    }
    if let Some(queue) = bucket.queue {
        name.push_str(&format!(":queue={}", plan.snap.queues[queue].name));
    }
    name
}

struct Teller<'a> {
    plan: &'a Plan,
    stages: Vec<StageText>,
    offers: Vec<ChunkOffer>,
}

impl Teller<'_> {
    fn say(&mut self, stage: &'static str, passed: Option<bool>, text: String) {
        self.stages.push(StageText { stage, passed, text });
    }

    fn tell(&mut self, event: &Event) {
        let catalogue = &self.plan.snap.catalogue;
        match event {
            Event::PathChosen(choice) => {
                let (path, rule) = (choice.path.word(), choice.rule);
                self.say("path", None, format!("{path} path by test {}: {}", rule.number(), rule.sentence()));
            }
            Event::ClassShortcut { failed_first, rejection } => {
                let why = rejection.comment(catalogue);
                self.say(
                    "class",
                    Some(false),
                    format!("same class as {failed_first}, which was told: {why}"),
                );
            }
            Event::QuickCheck { free_nodes, total_nodes, chunks, rejection } => {
                let counted = format!("{free_nodes} of {total_nodes} nodes free, {chunks} chunks wanted");
                let text = match rejection {
                    None => counted,
                    Some(rejection) => format!("{counted}: {}", rejection.comment(catalogue)),
                };
                self.say("all nodes", Some(rejection.is_none()), text);
            }
            Event::SetTooSmall(name, rejection) => {
                self.say(
                    "set",
                    Some(false),
                    format!("{name} is too small: {}", rejection.reason.text(catalogue)),
                );
            }
            Event::SetTried(name) => self.say("set", None, format!("trying {name}")),
            Event::Spanning => {
                self.say("set", None, "no set could ever hold it: trying all nodes".to_owned());
            }
            Event::FellThrough => {
                let text = "a set could hold it later, yet all nodes are tried now (quirk span-when-full)";
                self.say("set", None, text.to_owned());
            }
            _ => self.tell_placement(event),
        }
    }

    fn tell_placement(&mut self, event: &Event) {
        let catalogue = &self.plan.snap.catalogue;
        match event {
            Event::ChunkMapped { spec, wanted, buckets, mismatched } => {
                let room: u64 =
                    buckets.iter().map(|offer| u64::from(offer.total) * u64::from(offer.times)).sum();
                let text = format!("{spec}: {} buckets match, room for {room} chunks in all", buckets.len());
                self.say("chunk map", Some(room >= u64::from(*wanted)), text);
                self.tell_offers(spec, *wanted, buckets, mismatched);
            }
            Event::NeverFits(rejection) => self.say("chunk map", Some(false), rejection.comment(catalogue)),
            Event::Taken { spec, bucket, later, free, too_soon, still_wanted } => {
                let name = bucket_name(self.plan, bucket);
                let mut text = format!(
                    "chunk {}: {name} gives {} busy-later and {} free nodes",
                    spec + 1,
                    later.len(),
                    free.len()
                );
                if let Some((bit, event, end)) = too_soon.first() {
                    text.push_str(&format!(
                        "; {} busy-later nodes are needed too soon, {} at {} before the end at {}",
                        too_soon.len(),
                        self.node(*bit),
                        event.at.0,
                        end.0
                    ));
                }
                text.push_str(&format!("; {} chunks still wanted", (*still_wanted).max(0)));
                self.say("allocation", Some(*still_wanted <= 0), text);
            }
            Event::Eligible { candidates, turned_away } => {
                self.say(
                    "nodes",
                    Some(*candidates > 0),
                    format!("{candidates} nodes to look at, {turned_away} left out"),
                );
            }
            Event::ChunkPlaced { spec, node } => {
                let text = format!("chunk {} goes to {}", spec + 1, self.node(*node));
                self.say("node search", Some(true), text);
            }
            Event::ChunkFailed { spec, placed, last } => {
                let mut text = format!("chunk {}: {placed} placed, then no node was found", spec + 1);
                if let Some((bit, rejection)) = last {
                    let why = rejection.reason.text(catalogue);
                    text.push_str(&format!("; last looked at {}: {}", self.node(*bit), why.trim_end()));
                }
                self.say("node search", Some(false), text);
            }
            _ => {}
        }
    }

    /// What each bucket offers to one part; buckets that do not match offer nothing, and say why.
    fn tell_offers(
        &mut self,
        spec: &str,
        wanted: u32,
        matching: &[BucketOffer],
        others: &[(BucketRef, Rejection)],
    ) {
        let nothing = |bucket: &BucketRef| ChunkOffer {
            chunk: spec.to_owned(),
            wanted,
            bucket: bucket_name(self.plan, bucket),
            fits: 0,
            total: 0,
            free: 0,
            later: 0,
            busy: 0,
            mismatch: None,
        };
        let offered = matching.iter().map(|offer| ChunkOffer {
            fits: offer.times,
            total: offer.total,
            free: offer.free,
            later: offer.later,
            busy: offer.busy,
            ..nothing(&offer.bucket)
        });
        let refused = others.iter().map(|(bucket, rejection)| ChunkOffer {
            mismatch: Some(rejection.reason.text(&self.plan.snap.catalogue)),
            ..nothing(bucket)
        });
        let offers: Vec<ChunkOffer> = offered.chain(refused).collect();
        self.offers.extend(offers);
    }

    fn tell_outcome(&mut self, outcome: &Outcome) {
        if let Some(stage) = outcome.turned_away_by {
            let why = outcome.rejection.as_ref().map(|r| r.comment(&self.plan.snap.catalogue));
            let told = self.stages.iter().any(|stage| stage.passed == Some(false));
            if !told {
                self.say(stage.word(), Some(false), why.unwrap_or_default());
            }
        }
        if let Some(placed) = &outcome.placed {
            let text = placed.allocation.exec_vnode(self.plan);
            self.say("placed", Some(true), text);
        }
    }

    fn node(&self, bit: Bit) -> &str {
        self.plan.node_name(bit)
    }
}
