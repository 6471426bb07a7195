//! The bucket path in a story: sets in the order tried, and for each part of the select the table of buckets, with
//! what was taken from each and what was passed over because something starts there too soon.

use crate::cluster::Epoch;
use crate::console::theme::Role;
use crate::console::wording;
use crate::explain::Try;
use crate::placement::{BucketOffer, BucketRef, Event};
use crate::universe::{Bit, NodeEvent, Party, Rejection};

use super::tell::{LABEL, Teller};
use super::{Paragraph, Piece};

/// So many nodes at most are told one by one.
const NODES_MOST: usize = 12;

/// What a bucket gave to one part.
struct Gave<'a> {
    bucket: &'a BucketRef,
    later: usize,
    free: usize,
    too_soon: &'a [(Bit, NodeEvent, Epoch)],
}

/// Tells what every part of the select found.
pub(super) fn tell_chunks(teller: &mut Teller<'_>, tried: &Try<'_>) {
    let mapped = tried.events.iter().filter_map(|event| match event {
        Event::ChunkMapped { spec, wanted, buckets, mismatched } => {
            Some((spec, *wanted, buckets, mismatched))
        }
        _ => None,
    });
    for (at, (text, wanted, offers, mismatched)) in mapped.enumerate() {
        let (gave, still) = given(tried, at);
        let missing = still.filter(|still| *still > 0);
        let passed = still.map(|still| still <= 0);
        let chunks = wording::count(usize::try_from(wanted).unwrap_or(0), "chunk");
        let mut words = vec![Piece::plain(&**text), Piece::dim(format!(" · {chunks}"))];
        if let Some(missing) = missing {
            words.push(Piece::of(Role::VerdictWait, format!(" · {missing} found no node")));
        }
        teller.stage(passed, &format!("part {}", at + 1), words);
        table(teller, offers, &gave);
        passed_over(teller, &gave);
        mismatches(teller, mismatched);
    }
    for event in &tried.events {
        if let Event::NeverFits(rejection) = event {
            let text = rejection.reason.text(&teller.subject.run.plan.snap.catalogue);
            let text = if text.is_empty() { String::new() } else { format!(" · {}", text.trim_end()) };
            let words = format!("could not hold it even when idle{text}");
            teller.stage(Some(false), "buckets", vec![Piece::plain(words)]);
        }
    }
}

fn given<'a>(tried: &Try<'a>, at: usize) -> (Vec<Gave<'a>>, Option<i64>) {
    let mut gave = Vec::new();
    let mut still = None;
    for event in &tried.events {
        if let Event::Taken { spec, bucket, later, free, too_soon, still_wanted } = event
            && *spec == at
        {
            gave.push(Gave { bucket, later: later.len(), free: free.len(), too_soon });
            still = Some(*still_wanted);
        }
    }
    (gave, still)
}

/// Wide enough for 100,000 nodes.
const NUMBER: usize = 6;

fn table(teller: &mut Teller<'_>, offers: &[BucketOffer], gave: &[Gave<'_>]) {
    if offers.is_empty() {
        teller.stage(None, "", vec![Piece::dim("no bucket matches")]);
        return;
    }
    let cells = |name: Piece, numbers: [Piece; 6]| Paragraph::Cells {
        name,
        numbers: numbers.into_iter().map(|piece| (piece, NUMBER)).collect(),
    };
    let heads =
        ["fits", "nodes", "free", "later", "busy", "taken"].map(|head| Piece::of(Role::Heading, head));
    teller.paragraphs.push(cells(Piece::of(Role::Heading, "    bucket"), heads));
    let plan = &teller.subject.run.plan;
    let names: Vec<String> = offers.iter().map(|offer| bucket_name(plan, &offer.bucket)).collect();
    let (common, names) = wording::without_common(&names);
    for (offer, name) in offers.iter().zip(&names) {
        let taken = gave.iter().find(|gave| *gave.bucket == offer.bucket).map(|gave| gave.later + gave.free);
        let number = |n: usize| if n == 0 { Piece::dim("0") } else { Piece::plain(n.to_string()) };
        let taken = match taken {
            None => Piece::dim("-"),
            Some(0) => Piece::dim("0"),
            Some(n) => Piece::of(Role::NodeTaken, n.to_string()),
        };
        let numbers = [
            Piece::plain(format!("x{}", offer.times)),
            number(offer.total as usize),
            number(offer.free),
            number(offer.later),
            number(offer.busy),
            taken,
        ];
        teller.paragraphs.push(cells(Piece::plain(format!("    {name}")), numbers));
    }
    if !common.is_empty() {
        teller.words(6, vec![Piece::dim(format!("    and in all of them {common}"))]);
    }
}

/// A bucket's name, as the scheduler's log has it.
fn bucket_name(plan: &crate::universe::Plan, bucket: &BucketRef) -> String {
    let mut name = plan.signatures.signature(bucket.sig).show(&plan.snap.catalogue);
    if bucket.priority != 0 {
        name.push_str(&format!(":priority={}", bucket.priority));
    }
    if let Some(queue) = bucket.queue {
        name.push_str(&format!(":queue={}", plan.snap.queues[queue].name));
    }
    name
}

/// Busy-later nodes left alone, since something starts there before the job would end.
fn passed_over(teller: &mut Teller<'_>, gave: &[Gave<'_>]) {
    let all: Vec<_> = gave.iter().flat_map(|gave| gave.too_soon).collect();
    let run = teller.subject.run;
    let snap = &run.plan.snap;
    for (bit, event, end) in all.iter().take(NODES_MOST) {
        let who = match event.party {
            Party::Job(job, _) => format!("job {}", teller.name_of(job)),
            Party::Reservation(id) => format!("reservation {}", snap.reservations[id].name),
        };
        let words = vec![
            Piece::signed(Role::NodeRejected, &**run.plan.node_name(*bit)),
            Piece::plain(format!(" {who} starts there at {}", wording::moment(snap, event.at))),
            Piece::dim(format!(", before this job would end at {}", wording::moment(snap, *end))),
        ];
        teller.words(LABEL, std::iter::once(Piece::plain("    ")).chain(words).collect());
    }
    if all.len() > NODES_MOST {
        let more = format!("    and {} more nodes, likewise", all.len() - NODES_MOST);
        teller.words(LABEL, vec![Piece::dim(more)]);
    }
}

fn mismatches(teller: &mut Teller<'_>, mismatched: &[(BucketRef, Rejection)]) {
    let plan = &teller.subject.run.plan;
    for (bucket, rejection) in mismatched.iter().take(NODES_MOST) {
        let why = wording::short_reason(&plan.snap.catalogue, rejection);
        let words = vec![Piece::dim(format!("    {} does not match: {why}", bucket_name(plan, bucket)))];
        teller.words(6, words);
    }
    if mismatched.len() > NODES_MOST {
        let more = format!("    and {} more do not match", mismatched.len() - NODES_MOST);
        teller.words(6, vec![Piece::dim(more)]);
    }
}
