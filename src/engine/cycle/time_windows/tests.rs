use super::*;
use crate::cluster::{ByPeriod, DayKind, DaySchedule, Holidays, PeriodStart};
use jiff::tz::TimeZone;

/// Friday, 2025-11-21 04:40 UTC, the 325th day.
const FRIDAY: Epoch = Epoch(1_763_700_000);
const MIDNIGHT: Epoch = Epoch(1_763_683_200);

fn clock_of(lines: &[(DayKind, PeriodStart, PeriodStart)], holidays: &[u32]) -> PrimeClock {
    let days = lines.iter().map(|(days, prime, non_prime)| DaySchedule {
        days: *days,
        prime: *prime,
        non_prime: *non_prime,
    });
    let file = Holidays { year: Some(2025), days: days.collect(), holidays: holidays.to_vec() };
    PrimeClock::new(Some(&file), TimeZone::UTC)
}

/// Weekdays 06:00–17:30; no prime time at weekends.
fn office(holidays: &[u32]) -> PrimeClock {
    use PeriodStart::{All, At, None};
    clock_of(
        &[(DayKind::Weekday, At(360), At(1050)), (DayKind::Day(6), None, All), (DayKind::Day(0), None, All)],
        holidays,
    )
}

fn windows(prime: PrimeClock, slots: &[(i64, i64)]) -> TimeWindows {
    let slot =
        |(from, to): &(i64, i64)| DedicatedSlot { from: FRIDAY + Seconds(*from), to: FRIDAY + Seconds(*to) };
    TimeWindows { prime, dedicated: DedicatedTime::new(&slots.iter().map(slot).collect::<Vec<_>>()) }
}

fn policy() -> Policy {
    Policy {
        primetime_prefix: "p_".into(),
        nonprimetime_prefix: "np_".into(),
        dedicated_prefix: "ded".into(),
        backfill_prime: ByPeriod::both(true),
        ..Policy::program_defaults()
    }
}

fn hours(hours: i64) -> Seconds {
    Seconds(hours * 3600)
}

/// Rule 6.7: prime time lasts from its start to the start of non-prime time.
#[test]
fn weekdays_have_prime_hours() {
    let clock = office(&[]);
    assert_eq!(clock.period_at(FRIDAY), Period::NonPrime);
    assert_eq!(clock.next_change(FRIDAY), Some(FRIDAY + Seconds(4800)));
    let ten = MIDNIGHT + hours(10);
    assert_eq!(clock.period_at(ten), Period::Prime);
    assert_eq!(clock.next_change(ten), Some(MIDNIGHT + Seconds(1050 * 60)));
    assert_eq!(clock.period_at(MIDNIGHT + Seconds(1050 * 60)), Period::NonPrime, "the end is outside");
    assert_eq!(clock.period_at(MIDNIGHT + hours(6)), Period::Prime, "the start is inside");
}

/// Rule 6.7: from Friday evening to Monday morning.
#[test]
fn weekends_are_skipped() {
    assert_eq!(office(&[]).next_change(MIDNIGHT + hours(18)), Some(MIDNIGHT + hours(3 * 24 + 6)));
}

/// Rule 6.7: a holiday is non-prime all day.
#[test]
fn holidays_are_non_prime() {
    let clock = office(&[325]);
    assert_eq!(clock.period_at(MIDNIGHT + hours(10)), Period::NonPrime);
    assert_eq!(clock.next_change(FRIDAY), Some(FRIDAY + Seconds(264_000)));
}

/// Rule 6.7: a period that would begin and end at midnight changes nothing.
#[test]
fn nothing_changes_at_midnight_where_the_same_period_goes_on() {
    use PeriodStart::{All, At, None};
    let clock = clock_of(
        &[(DayKind::Weekday, At(480), At(0)), (DayKind::Day(6), None, All), (DayKind::Day(0), None, All)],
        &[],
    );
    let sunday = MIDNIGHT + hours(2 * 24 + 12);
    assert_eq!(clock.period_at(sunday), Period::NonPrime);
    assert_eq!(clock.next_change(sunday), Some(MIDNIGHT + hours(3 * 24 + 8)));
}

/// Rule 6.7: non-prime time lasts from its start to that of prime time, if it comes first.
#[test]
fn reversed_times_make_a_non_prime_gap() {
    let clock = clock_of(&[(DayKind::Weekday, PeriodStart::At(300), PeriodStart::At(120))], &[]);
    assert_eq!(clock.period_at(MIDNIGHT), Period::Prime);
    assert_eq!(clock.period_at(FRIDAY), Period::NonPrime);
    assert_eq!(clock.next_change(FRIDAY), Some(FRIDAY + Seconds(1200)));
    let equal = clock_of(&[(DayKind::Weekday, PeriodStart::At(300), PeriodStart::At(300))], &[]);
    assert_eq!(equal.period_at(FRIDAY), Period::NonPrime);
}

/// Rule 6.7: days without a line are prime; the last line for a day wins.
#[test]
fn days_come_from_the_last_line() {
    let always = clock_of(&[], &[]);
    assert_eq!((always.period_at(FRIDAY), always.next_change(FRIDAY)), (Period::Prime, None));
    let lines = [
        (DayKind::Weekday, PeriodStart::None, PeriodStart::All),
        (DayKind::Day(5), PeriodStart::All, PeriodStart::None),
    ];
    let clock = clock_of(&lines, &[]);
    assert_eq!(clock.period_at(FRIDAY), Period::Prime);
    assert_eq!(clock.next_change(FRIDAY), Some(MIDNIGHT + hours(3 * 24)), "Saturday and Sunday are prime");
}

/// Rule 6.7: a time does not undo an earlier `all`.
#[test]
fn all_day_is_not_undone_by_a_time() {
    use PeriodStart::{All, At, None};
    let clock = clock_of(&[(DayKind::Weekday, All, None), (DayKind::Day(5), At(420), At(720))], &[]);
    assert_eq!(clock.period_at(FRIDAY), Period::Prime);
    let times = clock_of(&[(DayKind::Weekday, At(60), At(120)), (DayKind::Day(5), At(420), At(720))], &[]);
    assert_eq!(times.next_change(FRIDAY), Some(MIDNIGHT + hours(7)), "but a later time wins over a time");
}

/// Rule 6.7: without a file or year, and with year 0, prime time lasts forever.
#[test]
fn without_a_year_prime_never_ends() {
    for file in [None, Some(Holidays::default()), Some(Holidays { year: Some(0), ..Holidays::default() })] {
        let clock = PrimeClock::new(file.as_ref(), TimeZone::UTC);
        assert_eq!((clock.period_at(FRIDAY), clock.next_change(FRIDAY)), (Period::Prime, None));
    }
}

/// Days are those of the time zone, even when a clock change makes one shorter.
#[test]
fn the_zone_decides_the_day() {
    let file = Holidays {
        year: Some(2025),
        days: vec![DaySchedule {
            days: DayKind::Day(0),
            prime: PeriodStart::None,
            non_prime: PeriodStart::All,
        }],
        holidays: Vec::new(),
    };
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let clock = PrimeClock::new(Some(&file), zone);
    let sunday = Epoch(1_743_289_200); // 2025-03-30 00:00 CET, a day of 23 hours
    assert_eq!(clock.period_at(sunday - Seconds(1)), Period::Prime);
    assert_eq!(clock.period_at(sunday), Period::NonPrime);
    assert_eq!(clock.next_change(sunday), Some(sunday + hours(23)));
}

/// Rule 6.7: queue windows by prefix; an empty prefix matches every queue.
#[test]
fn queues_have_their_times() {
    let of = |name| QueueWindow::of(name, &policy());
    assert!(of("ded1").dedicated && of("p_q").prime && of("np_q").non_prime);
    assert!(of("workq").is_anytime() && !of("np_q").is_anytime());
    let all = QueueWindow::of("workq", &Policy::program_defaults());
    assert_eq!(all, QueueWindow { dedicated: true, prime: true, non_prime: true });
}

/// Rule 6.2: the queue check tests dedicated, then prime, then non-prime time.
#[test]
fn queues_open_in_their_times() {
    let of = |name| QueueWindow::of(name, &policy());
    let night = windows(office(&[]), &[]);
    assert_eq!(night.queue_open(of("p_q"), FRIDAY), Err(QueueClosure::PrimeOnly));
    assert_eq!(night.queue_open(of("np_q"), FRIDAY), Ok(()));
    assert_eq!(night.queue_open(of("ded1"), FRIDAY), Err(QueueClosure::DedicatedConflict));
    let day = MIDNIGHT + hours(10);
    assert_eq!(night.queue_open(of("np_q"), day), Err(QueueClosure::NonPrimeOnly));
    let dedicated = windows(office(&[]), &[(-3600, 7200)]);
    assert_eq!(dedicated.queue_open(of("ded1"), FRIDAY), Ok(()));
    assert_eq!(dedicated.queue_open(of("p_q"), FRIDAY), Err(QueueClosure::DedicatedConflict));
    assert_eq!(dedicated.queue_open(of("workq"), FRIDAY + hours(2)), Ok(()), "the end is outside");
}

/// Rule 6.7: a job may end exactly when dedicated time starts or ends, but not later.
#[test]
fn dedicated_time_is_not_crossed() {
    let ahead = windows(office(&[]), &[(7200, 10_800)]);
    assert_eq!(ahead.dedicated_clear(FRIDAY, hours(2)), Ok(()));
    let slot = DedicatedSlot { from: FRIDAY + hours(2), to: FRIDAY + hours(3) };
    for length in [Seconds(7201), hours(3), hours(9), Seconds::UNLIMITED] {
        assert_eq!(ahead.dedicated_clear(FRIDAY, length), Err(WindowRefusal::CrossesDedicated(slot)));
    }
    let inside = windows(office(&[]), &[(-60, 3600), (7200, 9000)]);
    assert_eq!(inside.dedicated_clear(FRIDAY, hours(1)), Ok(()));
    assert!(inside.dedicated_clear(FRIDAY, Seconds(3601)).is_err());
    assert_eq!(inside.dedicated_clear(FRIDAY + hours(3), Seconds::UNLIMITED), Ok(()), "no slot is left");
}

/// Rule 6.7: at the exact end of a slot that slot still counts as the next, and the one after it is not seen.
#[test]
fn nothing_is_crossed_from_the_end_of_a_slot() {
    let two = windows(office(&[]), &[(-60, 3600), (7200, 9000)]);
    assert_eq!(two.dedicated_clear(FRIDAY + hours(1), Seconds::UNLIMITED), Ok(()));
    assert!(two.dedicated_clear(FRIDAY + hours(1) + Seconds(1), Seconds::UNLIMITED).is_err());
}

/// Rule 6.7: the limit is the end of non-prime time plus the spill; ending exactly there is allowed.
#[test]
fn prime_time_is_not_crossed() {
    let night = windows(office(&[]), &[]);
    let queue = QueueWindow::of("workq", &policy());
    let clear = |policy: &Policy, length| night.prime_clear(policy, true, queue, FRIDAY, Seconds(length));
    assert_eq!(clear(&policy(), 4800), Ok(()));
    let limit = FRIDAY + Seconds(4800);
    assert_eq!(clear(&policy(), 4801), Err(WindowRefusal::CrossesPrime { into: Period::Prime, limit }));
    assert_eq!(
        clear(&Policy { backfill_prime: ByPeriod { prime: true, non_prime: false }, ..policy() }, 9999),
        Ok(())
    );
    assert_eq!(clear(&Policy { prime_exempt_anytime_queues: true, ..policy() }, 9999), Ok(()));
    let never = windows(PrimeClock::new(None, TimeZone::UTC), &[]);
    assert_eq!(never.prime_clear(&policy(), true, queue, FRIDAY, Seconds::UNLIMITED), Ok(()));
}

/// Rule 6.7, quirk D10: the spill of the other period's lines counts.
#[test]
fn spill_sides_are_swapped() {
    let night = windows(office(&[]), &[]);
    let policy =
        Policy { prime_spill: ByPeriod { prime: Seconds(1800), non_prime: Seconds(9000) }, ..policy() };
    let queue = QueueWindow::of("workq", &policy);
    let end = FRIDAY + Seconds(4800);
    assert_eq!(night.prime_limit(&policy, true, queue, FRIDAY), Some(end + Seconds(1800)));
    assert_eq!(night.prime_limit(&policy, false, queue, FRIDAY), Some(end + Seconds(9000)));
}

/// Rule 6.7: starts and ends of windows are events of the calendar.
#[test]
fn events_come_in_order() {
    let windows = windows(office(&[]), &[(-60, 600), (3600, 7200)]);
    assert_eq!(windows.next_event(FRIDAY), Some(FRIDAY + Seconds(600)));
    assert_eq!(windows.next_event(FRIDAY + Seconds(600)), Some(FRIDAY + Seconds(3600)));
    assert_eq!(windows.next_event(FRIDAY + Seconds(3600)), Some(FRIDAY + Seconds(4800)));
}
