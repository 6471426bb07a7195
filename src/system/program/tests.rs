use super::*;

const LIMITS: ProgramLimits = ProgramLimits { time: Duration::from_millis(400), output: 1 << 20 };

fn shell(script: &str, input: &str, limits: ProgramLimits) -> Result<ProgramOutput, ProgramError> {
    run(Path::new("/bin/sh"), &["-c", script], input.as_bytes().to_vec(), limits, &|| false)
}

fn output(script: &str, input: &str) -> String {
    String::from_utf8(shell(script, input, LIMITS).unwrap().output).unwrap()
}

#[test]
fn what_goes_in_and_comes_out_is_whole() {
    let long = "x".repeat(300_000);
    assert_eq!(output("cat", &long), long);
    assert_eq!(output("cat; exec 1>&-; sleep 0.05", "y"), "y");
    assert_eq!(output("exec <&-; echo a", &long), "a\n", "what closes its input still answers");
    let ended = shell("echo out; yes 2>/dev/null | head -c 200000 >&2; exit 3", "", LIMITS).unwrap();
    assert_eq!((ended.status.code(), ended.complaint.len()), (Some(3), 4096));
}

#[test]
fn limits_hold_whoever_holds_the_pipes() {
    let why = |script: &str| shell(script, "", LIMITS).unwrap_err().to_string();
    assert_eq!(why("sleep 300"), "took longer than 0.4 s");
    assert_eq!(why("sleep 300 & wait"), "took longer than 0.4 s");
    assert_eq!(why("exec yes"), "printed more than 1 MB");
    // A process in a session of its own, which cannot be reached.
    assert_eq!(why("setsid sleep 5 & sleep 300"), "took longer than 0.4 s");
    let stopped = run(Path::new("/bin/sh"), &["-c", "sleep 300"], Vec::new(), LIMITS, &|| true);
    assert!(matches!(stopped, Err(ProgramError::Stopped(SurvivingProcess::None))));
    let missing = run(Path::new("/no/such"), &[""; 0], Vec::new(), LIMITS, &|| false);
    assert!(matches!(missing, Err(ProgramError::Start(_))));
}

/// Processes that a program leaves behind neither delay its answer nor keep running.
#[test]
fn children_that_hold_the_output_do_not_delay_the_answer() {
    let pid = output("sleep 300 & echo $!", "");
    assert!(is_gone(pid.trim()), "it was ended with its group");
    assert_eq!(output("setsid sh -c 'sleep 5; echo late' & sleep 0.1; echo a", ""), "a\n");
    assert_eq!(output("setsid sleep 5 >/dev/null & sleep 0.1; echo a", ""), "a\n");
}

/// Returns whether a process has ended, including one that was not waited for yet.
fn is_gone(pid: &str) -> bool {
    (0..500).any(|_| {
        thread::sleep(Duration::from_millis(10));
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z "))
    })
}
