//! Recognizes single lines.

use super::Daemon;

/// Whether a line is an error message of a client.
pub(crate) fn is_complaint(line: &str) -> bool {
    const BEGINNINGS: [&str; 9] = [
        "qstat: ",
        "pbsnodes: ",
        "qmgr: ",
        "qmgr obj=",
        "pbs_rstat: ",
        "No Permission.",
        "Connection refused",
        "Unknown Job Id",
        "pbs_iff: ",
    ];
    BEGINNINGS.iter().any(|start| line.starts_with(start))
}

/// Returns where in a line a daemon's own head begins, `MM/DD/YYYY HH:MM:SS[.ffffff];hhhh;`, within the first 200
/// bytes; any text before it was added by a log forwarder.
pub(crate) fn daemon_head(line: &str) -> Option<usize> {
    let starts = line.char_indices().take_while(|(at, _)| *at < 200).map(|(at, _)| at);
    starts.filter(|at| line.as_bytes().get(at + 2) == Some(&b'/')).find(|at| {
        let rest = line.get(*at..).and_then(after_timestamp);
        let event = rest.and_then(|rest| rest.split(';').next());
        event.is_some_and(|event| event.len() == 4 && event.bytes().all(|byte| byte.is_ascii_hexdigit()))
    })
}

/// Whether a line is a record of an accounting log: a date and time, and one letter.
pub(crate) fn is_accounting(line: &str) -> bool {
    let kind = after_timestamp(line).and_then(|rest| rest.split_once(';'));
    kind.is_some_and(|(kind, rest)| {
        kind.len() == 1 && kind.bytes().all(|byte| byte.is_ascii_alphabetic()) && rest.contains(';')
    })
}

/// Returns the text after `MM/DD/YYYY HH:MM:SS[.ffffff];`.
fn after_timestamp(line: &str) -> Option<&str> {
    let (moment, rest) = line.split_once(';')?;
    let (date, clock) = moment.split_once(' ')?;
    let shaped = |text: &str, shape: &str| {
        text.len() >= shape.len()
            && text.bytes().zip(shape.bytes()).all(|(byte, want)| match want {
                b'0' => byte.is_ascii_digit(),
                _ => byte == want,
            })
    };
    let fraction = clock.get(8..)?;
    let plain = fraction.is_empty()
        || fraction.strip_prefix('.').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    (date.len() == 10 && shaped(date, "00/00/0000") && shaped(clock, "00:00:00") && plain).then_some(rest)
}

/// Returns the daemon for the name of a program or the value of a daemon field.
pub(crate) fn daemon(name: &str) -> Option<Daemon> {
    let name = name.to_ascii_lowercase();
    [
        ("pbs_sched", Daemon::Scheduler),
        ("server@", Daemon::Server),
        ("pbs_server", Daemon::Server),
        ("pbs_mom", Daemon::Mom),
        ("comm@", Daemon::Comm),
        ("pbs_comm", Daemon::Comm),
    ]
    .into_iter()
    .find(|(start, _)| name.starts_with(start))
    .map(|(_, daemon)| daemon)
}

/// Returns the daemon and the text `Class;object;message` of a line in syslog's own form, `Mar  2 10:05:12 head
/// pbs_sched[311]: …`, or with the head of RFC 5424.
pub(crate) fn syslog(line: &str) -> Option<(Daemon, &str)> {
    if line.starts_with('<') {
        let behind = line.split_once('>')?.1;
        let mut words = behind.splitn(6, ' ');
        let (_version, _moment, _host, program) =
            (words.next()?, words.next()?, words.next()?, words.next()?);
        let (_process, rest) = (words.next()?, words.next()?);
        return Some((daemon(program)?, rest.trim_start_matches(['-', ' '])));
    }
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let month = line.get(..3)?;
    if !MONTHS.contains(month) {
        return None;
    }
    let (head, text) = line.split_once(": ")?;
    let program = head.split_whitespace().nth(4)?;
    Some((daemon(program)?, text))
}

/// Whether a line is a prompt of a shell or of `qmgr` with a command, a banner of `ssh` or Kerberos, or output of
/// `time` or `script`: such lines are not part of a value either.
pub(crate) fn is_noise(line: &str) -> bool {
    const BEGINNINGS: [&str; 12] = [
        "Password for ",
        "Warning: Permanently added ",
        "Warning: your password will expire",
        "Script started on ",
        "Script done on ",
        "Max open servers: ",
        "Last login: ",
        "Connection to ",
        "Qmgr:",
        "--More--",
        "kinit: ",
        "Kerberos ",
    ];
    let line = line.trim_end();
    let is_time = |line: &str| {
        ["real", "user", "sys"].iter().any(|word| {
            let rest = line.strip_prefix(word).map(str::trim_start);
            rest.is_some_and(|rest| {
                rest.ends_with('s') && rest.contains('m') && rest.starts_with(|c: char| c.is_ascii_digit())
            })
        })
    };
    BEGINNINGS.iter().any(|start| line.starts_with(start)) || is_time(line) || is_prompt(line)
}

/// Whether a line is a shell's prompt with one of the batch system's commands after it.
fn is_prompt(line: &str) -> bool {
    const COMMANDS: [&str; 8] = ["qstat", "pbsnodes", "qmgr", "pbs_rstat", "cat ", "bhosts", "bjobs", "exit"];
    let Some((at, _)) = line.char_indices().find(|(at, c)| {
        matches!(c, '$' | '#' | '%' | '>')
            && line.get(at + c.len_utf8()..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }) else {
        return false;
    };
    let (before, behind) = line.split_at(at);
    let behind = behind.get(1..).unwrap_or_default().trim_start();
    let shell = before.is_empty() || before.contains('@') || before.ends_with(['~', ']', ')']);
    shell
        && before.len() < 80
        && (behind.is_empty() && !before.is_empty()
            || COMMANDS.iter().any(|command| behind.starts_with(command)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_daemons_stand_behind_prefixes_too() {
        let line = "03/02/2026 10:05:12.123456;0080;pbs_sched;Job;12.srv;Considering job to run";
        assert_eq!(daemon_head(line), Some(0));
        assert_eq!(daemon_head(&format!("Mar  2 10:05:12 head fwd: {line}")), Some(26));
        assert_eq!(daemon_head(&format!("{}{line}", "x".repeat(300))), None);
        assert_eq!(daemon_head("03/02/2026 10:05:12;S;12.srv;user=a"), None);
        assert!(is_accounting("03/02/2026 10:05:12;S;12.srv;user=a") && !is_accounting(line));
        assert!(!is_accounting("03/02/2026 10:05:12;S"));
    }

    #[test]
    fn both_forms_of_syslog() {
        let text = "Job;12.srv;Considering job to run";
        let old = format!("Mar  2 10:05:12 head pbs_sched[311]: {text}");
        let new = format!("<134>1 2026-03-02T10:05:12+01:00 head pbs_sched 311 - - {text}");
        assert_eq!(syslog(&old), Some((Daemon::Scheduler, text)));
        assert_eq!(syslog(&new), Some((Daemon::Scheduler, text)));
        assert_eq!(syslog("Mar  2 10:05:12 head sshd[1]: Accepted"), None);
        assert_eq!(syslog(""), None);
    }

    #[test]
    fn prompts_and_banners_are_noise_and_values_are_not() {
        for line in [
            "[ann@head ~]$ qstat -f",
            "$ pbsnodes -a",
            "ann@head:~$ ",
            "Password for ann@EXAMPLE.ORG:",
            "Qmgr: list sched",
            "real\t0m1.203s",
            "Max open servers: 49",
        ] {
            assert!(is_noise(line), "{line}");
        }
        for line in
            ["n1", "    PATH=$HOME/bin", "costs 5 $ each", "user = ann", "# comment", "a > b", "systems"]
        {
            assert!(!is_noise(line), "{line}");
        }
    }
}
