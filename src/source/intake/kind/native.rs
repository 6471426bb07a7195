//! Files of the scheduler, the server and the site, which consist of lines without a header.

use crate::maui_cfg;
use crate::sched_config::is_option;
use crate::shares::is_printed_line;
use crate::zone::MONTHS;
use qscope_engine::cluster::DayKind;

/// A file that is recognized by its lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NativeFileKind {
    SchedConfig,
    Holidays,
    DedicatedTime,
    ResourceGroup,
    /// `usage`, a binary file.
    Usage,
    /// Output of `pbsfs`.
    FairShare,
    /// `resourcedef` of the server.
    ResourceDef,
    MauiCfg,
    PbsConf,
    /// Torque's `server_priv/nodes`.
    TorqueNodes,
    /// Slots that nodes publish for LSF's packing.
    Elim,
    /// `lsf.shared` or `lsf.cluster`.
    LsfShared,
    /// Time of the dumps, as bundles state it.
    Now,
    /// Options with which the verdicts of a bundle were computed.
    MadeWith,
    /// Hand-written files: a cluster, or facts about it that dumps do not show.
    NodesToml,
    QueueToml,
    PolicyToml,
    ExtraToml,
}

/// Maximum number of lines examined.
const LINES: usize = 10_000;

/// Whether a line has a form.
type NativeLineTest = fn(&str) -> bool;

/// Forms of lines, in the order in which they are tried.
const FORMS: [(NativeFileKind, NativeLineTest); 9] = [
    (NativeFileKind::SchedConfig, |line| {
        line.split_once(':').is_some_and(|(name, _)| is_option(name.trim()))
    }),
    (NativeFileKind::FairShare, |line| is_printed_line(line) || line.starts_with("Fairshare usage units")),
    (NativeFileKind::PbsConf, |line| line.starts_with("PBS_") && line.contains('=')),
    (NativeFileKind::ResourceDef, is_definition),
    (NativeFileKind::MauiCfg, |line| {
        maui_cfg::NAMES.iter().any(|name| name.eq_ignore_ascii_case(first(line)))
    }),
    (NativeFileKind::Holidays, is_holiday),
    (NativeFileKind::DedicatedTime, is_two_dates),
    (NativeFileKind::ResourceGroup, is_share),
    (NativeFileKind::TorqueNodes, |line| {
        let mut words = line.split_whitespace();
        words.next().is_some() && words.any(|word| word.strip_prefix("np=").is_some_and(is_number))
    }),
];

/// Names of files, and their kinds. If the lines are ambiguous, the name decides.
const NAMES: [(&str, NativeFileKind); 18] = [
    ("sched_config", NativeFileKind::SchedConfig),
    ("holidays", NativeFileKind::Holidays),
    ("dedicated_time", NativeFileKind::DedicatedTime),
    ("resource_group", NativeFileKind::ResourceGroup),
    ("usage", NativeFileKind::Usage),
    ("fairshare.txt", NativeFileKind::FairShare),
    ("resourcedef", NativeFileKind::ResourceDef),
    ("maui.cfg", NativeFileKind::MauiCfg),
    ("moab.cfg", NativeFileKind::MauiCfg),
    ("pbs.conf", NativeFileKind::PbsConf),
    ("elim.txt", NativeFileKind::Elim),
    ("lsf.shared", NativeFileKind::LsfShared),
    ("now", NativeFileKind::Now),
    ("semantics", NativeFileKind::MadeWith),
    ("nodes.toml", NativeFileKind::NodesToml),
    ("queue.toml", NativeFileKind::QueueToml),
    ("policy.toml", NativeFileKind::PolicyToml),
    ("extra.toml", NativeFileKind::ExtraToml),
];

/// This program's own files, recognized by name whatever their lines.
const OWN: [NativeFileKind; 6] = [
    NativeFileKind::Now,
    NativeFileKind::MadeWith,
    NativeFileKind::NodesToml,
    NativeFileKind::QueueToml,
    NativeFileKind::PolicyToml,
    NativeFileKind::ExtraToml,
];

impl NativeFileKind {
    /// Recognizes a file by its name alone.
    pub(crate) fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(have, _)| *have == name).map(|(_, native)| *native)
    }

    /// Recognizes this program's own files by name.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        Self::named(name).filter(|native| OWN.contains(native))
    }

    /// Returns the name of the file at its origin.
    pub(crate) fn file(self) -> &'static str {
        let found = NAMES.iter().find(|(_, native)| *native == self);
        found.map_or("server_priv/nodes of Torque", |(name, _)| name)
    }

    /// Returns the kind of file that these lines make up: most of them have its form, and it is the kind of the name
    /// if that fits, else the first one that fits.
    pub(super) fn of_lines(lines: &[&str], name: &str) -> Option<Self> {
        let lines: Vec<&str> = lines
            .iter()
            .map(|line| line.trim())
            .filter(|line| !line.is_empty() && !line.starts_with(['#', '*']))
            .take(LINES)
            .collect();
        if lines.is_empty() {
            return None;
        }
        let fits = |form: NativeLineTest| 2 * lines.iter().filter(|line| form(line)).count() > lines.len();
        let named = Self::named(name);
        let by_name = FORMS.iter().find(|(native, form)| named == Some(*native) && fits(*form));
        let found = by_name.or_else(|| FORMS.iter().find(|(_, form)| fits(*form)));
        found.map(|(native, _)| *native)
    }
}

fn first(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a line is `name type=TYPE flag=LETTERS`, with the words after the name in either order.
fn is_definition(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next().is_some_and(|name| !name.contains('='))
        && words.clone().next().is_some()
        && words.all(|word| word.starts_with("type=") || word.starts_with("flag="))
}

fn is_holiday(line: &str) -> bool {
    let day = first(line);
    let words = line.split_whitespace().count();
    let is_day = DayKind::named(day).is_some();
    day.eq_ignore_ascii_case("year") && words == 2
        || is_day && words == 3
        || is_day_of_year(day)
            && line
                .split_whitespace()
                .nth(1)
                .is_some_and(|word| is_month(word) || words <= 4 && !is_number(word))
}

fn is_day_of_year(word: &str) -> bool {
    is_number(word) && word.parse().is_ok_and(|day: u16| (1..=366).contains(&day))
}

/// Whether a word is `Jan`, `January`, and so on.
fn is_month(word: &str) -> bool {
    word.get(..3).is_some_and(|start| MONTHS.iter().any(|month| month.eq_ignore_ascii_case(start)))
}

/// Whether a line is `MM/DD/YYYY HH:MM MM/DD/YYYY HH:MM`.
fn is_two_dates(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_date =
        |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/') && word.contains('/');
    words.len() == 4 && words.first().is_some_and(is_date) && words.get(2).is_some_and(is_date)
}

/// Whether a line is `name id parent shares`.
fn is_share(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |at: usize| words.get(at).is_some_and(|word| is_number(word));
    words.len() == 4 && number(1) && number(3) && !number(2)
}
