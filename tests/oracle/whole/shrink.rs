//! Shrink-to-fit jobs (rules 6.13, 11.4).

use super::check::{Answer, How};
use super::reason::Code;
use super::world::{FIVE_YEARS, What, World};

/// Runs the run check for any job; a shrink-to-fit job is also tried with shorter lengths.
pub(crate) fn check(world: &mut World, job: usize, how: How) -> Answer {
    let row = &world.jobs[job];
    let Some(min) = row.min.filter(|_| row.back.is_none()) else { return world.check(job, how) };
    let most = row.max.or(row.hard).unwrap_or(FIVE_YEARS);
    let longest = with_length(world, job, most, how, &Answer::default());
    let Some(reason) = longest.reasons.first().map(|no| no.code.clone()).filter(|_| longest.placed.is_none())
    else {
        return longest;
    };
    match reason {
        Code::Dedicated | Code::Prime | Code::NonPrime => longest,
        Code::CrossDedicated | Code::CrossPrime => to_boundary(world, job, how, (min, most), longest),
        _ => by_events(world, job, how, (min, most), longest),
    }
}

/// Tries one length; the sets tried are appended to those of the previous trial.
fn with_length(world: &mut World, job: usize, length: i64, how: How, before: &Answer) -> Answer {
    world.jobs[job].length = Some(length);
    let mut answer = world.check(job, how);
    answer.tried = [before.tried.clone(), answer.tried].concat();
    answer.path = answer.path.or(before.path);
    if answer.placed.is_none() {
        world.jobs[job].length = None;
    }
    answer
}

/// Shrinks to the nearest boundary of dedicated or prime time, if the shortest length allows.
fn to_boundary(world: &mut World, job: usize, how: How, (min, most): (i64, i64), longest: Answer) -> Answer {
    let now = world.now;
    let slot = match world.dedicated_slot() {
        (_, None) => None,
        (false, Some((from, _))) if from <= now => None,
        (true, Some((_, to))) => Some((to, now + min > to)),
        (false, Some((from, to))) => {
            let spans = now + most >= to;
            Some((from, if spans { now + min >= from } else { now + min > from }))
        }
    };
    let policy = &world.snap().policy;
    let crosses_slot = slot.is_some_and(|(at, _)| at < now + most);
    let checks = *policy.backfill_prime.get(world.period) && (crosses_slot || !world.is_exempt(job));
    let prime = world.prime_limit().filter(|_| checks).map(|limit| (limit, now + min >= limit));
    let ends: Vec<(i64, bool)> =
        [slot, prime].into_iter().flatten().filter(|(at, _)| *at < now + most).collect();
    let Some((at, _)) = ends.iter().min().copied().filter(|_| ends.iter().all(|(_, refused)| !refused))
    else {
        return longest;
    };
    let answer = with_length(world, job, at - now, how, &longest);
    if answer.placed.is_some() {
        return answer;
    }
    by_events(world, job, how, (min, at - now), answer)
}

/// Tries the shortest length; if that fits, tries up to five lengths that end at planned starts, the longest
/// first.
fn by_events(world: &mut World, job: usize, how: How, (min, most): (i64, i64), failed: Answer) -> Answer {
    let mut trial = with_length(world, job, min, how, &failed);
    if trial.placed.is_none() {
        return trial;
    }
    let now = world.now;
    let starts = world.calendar.iter().filter(|event| event.what == What::Start);
    let ends: Vec<i64> =
        starts.map(|event| event.at).filter(|at| *at > now + min && *at <= now + most).collect();
    let span = ends.last().map_or(0, |last| last - (now + min));
    let mut last = None;
    for part in (1..=5).rev() {
        let limit = now + min + span * part / 5;
        let within = |at: &&i64| **at <= limit && last.is_none_or(|last| **at < last);
        let Some(at) = ends.iter().rev().find(within) else { continue };
        last = Some(*at);
        trial = with_length(world, job, at - now, how, &trial);
        if trial.placed.is_some() {
            return trial;
        }
    }
    with_length(world, job, min, how, &trial)
}
