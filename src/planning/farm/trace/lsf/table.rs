//! `bhosts -w`, `bjobs -w` and `bjobs -o`: columns by the words of the header line, or the same as JSON
//! (sites 5.5).

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LsfHost {
    pub name: String,
    /// `ok`, `closed_Full`, `unavail`, …
    pub status: String,
    /// Total number of slots; none where there is no limit.
    pub slots: Option<u32>,
    /// Number of slots in use.
    pub taken: u32,
}

impl LsfHost {
    /// Returns whether it accepts no jobs for another reason than being full or in exclusive use.
    pub fn fails(&self) -> bool {
        !matches!(&*self.status, "ok" | "closed_Full" | "closed_Excl" | "closed_cu_Excl" | "closed_Busy")
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ListedJob {
    /// Its number, with the index of an array's element.
    pub id: String,
    /// `RUN`, `PEND`, …
    pub status: String,
    pub user: String,
    pub queue: String,
    pub name: String,
    /// Number of requested slots, if the table has them.
    pub slots: Option<u32>,
    /// Slots by host; empty for a pending job.
    pub hosts: Vec<(String, u32)>,
}

/// The rows of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LsfTable<T> {
    pub rows: Vec<T>,
    /// Number of lines that are not rows.
    pub skipped: usize,
}

/// What `bhosts` and `bjobs` print with `-json`.
#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
struct LsfJsonOutput {
    command: String,
    records: Vec<Value>,
}

/// Returns the records that a command printed as JSON; none for any other text.
fn records(text: &str, command: &str) -> Option<Vec<Value>> {
    let text = text.trim_start().strip_prefix('{').map(|_| text)?;
    let printed: LsfJsonOutput = serde_json::from_str(text).ok()?;
    (printed.command == command).then_some(printed.records)
}

/// Returns the names and the values of a record as text; none if it is not an object.
fn cells(record: &Value) -> Option<(Vec<String>, Vec<String>)> {
    let record: &Map<String, Value> = record.as_object()?;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Some(record.iter().map(|(name, value)| (name.clone(), text(value))).unzip())
}

/// Reads rows from records and counts those that give no row.
fn listing<T>(records: &[Value], row: impl Fn(&[String], &[String]) -> Option<T>) -> LsfTable<T> {
    let made = |record: &Value| cells(record).and_then(|(head, cells)| row(&head, &cells));
    let rows: Vec<T> = records.iter().filter_map(made).collect();
    LsfTable { skipped: records.len() - rows.len(), rows }
}

fn host(head: &[String], cells: &[String]) -> Option<LsfHost> {
    let cell = |name: &str| {
        let at = head.iter().position(|word| word == name);
        at.and_then(|at| cells.get(at)).map(|cell| cell.trim()).unwrap_or_default()
    };
    let name = Some(cell("HOST_NAME")).filter(|name| !name.is_empty())?;
    let taken = cell("NJOBS").parse().or_else(|_| cell("RUN").parse()).ok()?;
    let slots = cell("MAX").parse().ok();
    Some(LsfHost { name: name.to_owned(), status: cell("STATUS").to_owned(), slots, taken })
}

/// Reads `bhosts -w` or `bhosts -o`, as text or JSON; none if there is neither a header line nor records.
pub fn hosts(text: &str) -> Option<LsfTable<LsfHost>> {
    if let Some(records) = records(text, "bhosts") {
        return Some(listing(&records, host));
    }
    let mut lines = text.lines();
    let head: Vec<&str> =
        lines.find(|line| line.trim_start().starts_with("HOST_NAME"))?.split_whitespace().collect();
    let column_of = |name: &str| head.iter().position(|word| *word == name);
    let (max, jobs) = (column_of("MAX")?, column_of("NJOBS")?);
    let mut listing = LsfTable { rows: Vec::new(), skipped: 0 };
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
        let Ok(taken) = cell(jobs).parse() else {
            listing.skipped += 1;
            continue;
        };
        let (name, status) = (cell(0).to_owned(), cell(1).to_owned());
        listing.rows.push(LsfHost { name, status, slots: cell(max).parse().ok(), taken });
    }
    Some(listing)
}

/// Reads `bjobs -w` or `bjobs -o`, the latter with any delimiter, or JSON; none if there is neither a header
/// line nor records.
pub fn jobs(text: &str) -> Option<LsfTable<ListedJob>> {
    if let Some(records) = records(text, "bjobs") {
        let is_job = |job: &ListedJob| !job.id.is_empty();
        return Some(listing(&records, |head, cells| Some(row(head, cells)).filter(is_job)));
    }
    let mut lines = text.lines();
    let head = lines.find(|line| line.trim_start().starts_with("JOBID"))?;
    // If the first word of the header is not followed by white space, the next character is the delimiter.
    let delimiter = head.trim().chars().nth(5).filter(|c| !c.is_whitespace() && !c.is_alphanumeric());
    let cut = |line: &'_ str| -> Vec<String> {
        match delimiter {
            Some(by) => line.split(by).map(|cell| cell.trim().to_owned()).collect(),
            None => line.split_whitespace().map(str::to_owned).collect(),
        }
    };
    let head = cut(head);
    let is_wide = delimiter.is_none() && head.last().is_some_and(|last| last == "SUBMIT_TIME");
    let mut listing = LsfTable { rows: Vec::new(), skipped: 0 };
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let cells = cut(line);
        let cells = if is_wide { wide(&cells, head.len()) } else { Some(cells) };
        let Some(cells) = cells.filter(|cells| cells.len() == head.len()) else {
            listing.skipped += 1;
            continue;
        };
        listing.rows.push(row(&head, &cells));
    }
    Some(listing)
}

/// Returns the cells of a wide row: the time is the last three words, and the name is what is left.
fn wide(cells: &[String], columns: usize) -> Option<Vec<String>> {
    let name = columns.checked_sub(2)?;
    let time = cells.len().checked_sub(3).filter(|time| *time > name)?;
    let mut out: Vec<String> = cells.get(..name)?.to_vec();
    out.push(cells.get(name..time)?.join(" "));
    out.push(cells.get(time..)?.join(" "));
    Some(out)
}

fn row(head: &[String], cells: &[String]) -> ListedJob {
    let cell = |names: &[&str]| {
        let at = head.iter().position(|word| names.contains(&word.as_str()));
        let cell = at.and_then(|at| cells.get(at)).filter(|cell| *cell != "-");
        cell.cloned().unwrap_or_default()
    };
    let hosts = cell(&["EXEC_HOST"]);
    let hosts = hosts.split(':').filter(|host| !host.is_empty()).map(|host| match host.split_once('*') {
        Some((count, host)) => (host.to_owned(), count.parse().unwrap_or(1)),
        None => (host.to_owned(), 1),
    });
    ListedJob {
        id: cell(&["JOBID"]),
        status: cell(&["STAT"]),
        user: cell(&["USER"]),
        queue: cell(&["QUEUE"]),
        name: cell(&["JOB_NAME"]),
        slots: cell(&["SLOTS", "NREQ_SLOT", "NALLOC_SLOT"]).parse().ok(),
        hosts: hosts.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_the_same_columns_in_any_order() {
        let text = "{\n  \"COMMAND\":\"bhosts\",\n  \"HOSTS\":3,\n  \"RECORDS\":[\n    {\"NJOBS\":\"4\",\"HOST_NAME\":\"h1\",\"STATUS\":\"ok\",\"MAX\":\"8\"},\n    {\"HOST_NAME\":\"h2\",\"STATUS\":\"unavail\",\"MAX\":\"-\",\"NJOBS\":\"0\"},\n    {\"HOST_NAME\":\"\"}\n  ]\n}";
        let listing = hosts(text).unwrap();
        assert_eq!((listing.rows.len(), listing.skipped), (2, 1));
        assert_eq!((listing.rows[0].slots, listing.rows[0].taken), (Some(8), 4));
        assert!(listing.rows[1].fails() && listing.rows[1].slots.is_none());
        let text = "{\"COMMAND\":\"bjobs\",\"JOBS\":2,\"RECORDS\":[{\"JOBID\":\"12\",\"STAT\":\"RUN\",\"QUEUE\":\"long\",\"EXEC_HOST\":\"4*h1:2*h2\"},{\"JOBID\":\"13\",\"STAT\":\"PEND\",\"QUEUE\":\"long\",\"EXEC_HOST\":\"\"},7]}";
        assert!(hosts(text).is_none());
        let listing = jobs(text).unwrap();
        assert_eq!((listing.rows.len(), listing.skipped), (2, 1));
        assert_eq!(listing.rows[0].hosts, [("h1".to_owned(), 4), ("h2".to_owned(), 2)]);
        assert_eq!((&*listing.rows[1].status, listing.rows[1].hosts.len()), ("PEND", 0));
        assert!(jobs("{\"COMMAND\":\"bjobs\",\"RECORDS\":[{\"JOBID\"").is_none());
    }

    #[test]
    fn hosts_with_and_without_a_limit() {
        let text = "HOST_NAME STATUS JL/U MAX NJOBS RUN SSUSP USUSP RSV\nh1 ok - 8 4 4 0 0 0\nh2 closed_Full - 4 4 4 0 0 0\nh3 unavail - - 0 0 0 0 0\nrubbish\n";
        let listing = hosts(text).unwrap();
        assert_eq!((listing.rows.len(), listing.skipped), (3, 1));
        assert_eq!((listing.rows[0].slots, listing.rows[0].taken), (Some(8), 4));
        assert_eq!(listing.rows[2].slots, None);
        let fails: Vec<bool> = listing.rows.iter().map(LsfHost::fails).collect();
        assert_eq!(fails, [false, false, true]);
        assert_eq!(hosts("no table"), None);
    }

    #[test]
    fn a_name_of_a_job_may_hold_blanks() {
        let text = "JOBID USER STAT QUEUE FROM_HOST EXEC_HOST JOB_NAME SUBMIT_TIME\n12 anna RUN long head 4*h1:2*h2 my sim Mar  2 10:05\n13 bert PEND long head - - Mar  2 10:06\n14 cut\n";
        let listing = jobs(text).unwrap();
        assert_eq!((listing.rows.len(), listing.skipped), (2, 1));
        assert_eq!(listing.rows[0].name, "my sim");
        assert_eq!(listing.rows[0].hosts, [("h1".to_owned(), 4), ("h2".to_owned(), 2)]);
        assert_eq!((&*listing.rows[1].name, listing.rows[1].hosts.len()), ("", 0));
    }

    #[test]
    fn fields_that_were_asked_for_with_another_delimiter() {
        let text = "JOBID,STAT,QUEUE,USER,EXEC_HOST,SLOTS\n12,RUN,long,anna,4*h1,4\n";
        let listing = jobs(text).unwrap();
        assert_eq!((&*listing.rows[0].user, listing.rows[0].hosts.len()), ("anna", 1));
    }

    proptest::proptest! {
        #[test]
        fn any_rows_are_read(rows in "([ -~é]{0,60}\n){0,4}") {
            let _read = hosts(&format!("HOST_NAME STATUS JL/U MAX NJOBS\n{rows}"));
            let _read = jobs(&format!("JOBID USER STAT QUEUE FROM_HOST EXEC_HOST JOB_NAME SUBMIT_TIME\n{rows}"));
        }
    }
}
