use super::*;

const USE: &str = "1.0 0.5 0 0 -1 0 0 0 0 0 0 0 -1 0 0 0 0 0 -1";

fn line(start: i64, hosts: &str, tail: &str) -> String {
    format!(
        "\"JOB_FINISH\" \"9.12\" 1772445912 4711 1001 33 4 1772440000 0 0 {start} \"anna\" \"long\" \"\" \"\" \"\" \"head\" \"\" \"\" \"\" \"\" \"x\" 0 {hosts} 64 60.0 \"sim\" \"echo \"\"a b\"\";date\" {USE} \"\" \"phys\" 0 4 \"\" \"\" 0 2048 0 \"\" \"\" \"\"{tail}"
    )
}

#[test]
fn the_example_of_a_record() {
    let text = line(1_772_440_300, "2 \"2*h1\" \"2*h2\"", "");
    let job = read_finished_job(text.as_bytes()).unwrap();
    assert_eq!((job.submitted, job.started, job.ended), (1_772_440_000, Some(1_772_440_300), 1_772_445_912));
    assert_eq!(job.hosts, ExecutionHosts::Slots(vec![("h1".to_owned(), 2), ("h2".to_owned(), 2)]));
    assert_eq!((&*job.project, &*job.command, job.code), ("phys", "echo \"a b\";date", 0));
    let never = line(0, "0", "");
    let job = read_finished_job(never.as_bytes()).unwrap();
    assert_eq!((job.started, &job.hosts), (None, &ExecutionHosts::None));
    let cut = text.split("\"sim\"").next().unwrap();
    assert_eq!(read_finished_job(cut.as_bytes()), Err(LsfRecordError::Field(29)));
    assert_eq!(
        read_finished_job(line(1_772_499_999, "1 h1", "").as_bytes()),
        Err(LsfRecordError::EndsBeforeStart)
    );
    assert_eq!(read_finished_job(b"\"JOB_RESIZE\" \"9.12\" 1"), Err(LsfRecordError::Other));
    assert_eq!(read_finished_job(b"\"JOB_FINISH\" \"9.12"), Err(LsfRecordError::Unterminated));
}

#[test]
fn slots_by_host_in_three_forms() {
    let hosts = |list: &str| read_finished_job(line(1_772_440_300, list, "").as_bytes()).unwrap().hosts;
    let slots =
        |one: u32, two: u32| ExecutionHosts::Slots(vec![("h1".to_owned(), one), ("h2".to_owned(), two)]);
    assert_eq!(hosts("4 \"h1\" \"h1\" \"h1\" \"h2\""), slots(3, 1));
    // Each host is listed once, and four slots were requested.
    assert_eq!(hosts("2 h1 h2"), slots(2, 2));
    assert_eq!(hosts("3 h1 h2 h3"), ExecutionHosts::Unknown(vec!["h1".into(), "h2".into(), "h3".into()]));
}

#[test]
fn exit_statuses() {
    let text = line(1_772_440_300, "1 \"4*h1\"", "").replace("\"phys\" 0 4", "\"phys\" 65280 4");
    let job = read_finished_job(text.as_bytes()).unwrap();
    assert_eq!((job.code, job.signal), (255, 0));
    let text = text.replace("65280", "9");
    let job = read_finished_job(text.as_bytes()).unwrap();
    assert_eq!((job.code, job.signal), (0, 9));
}

#[test]
fn newer_versions_add_fields_that_may_be_missing() {
    let tail = " \"\" 0 \"\" 0 \"\" -1 \"/phys/anna\" \"\" \"sim\" \"\" 0 \"\" \"\" 0 \"\" 0 \"\" \"\" 1 \"k\" \"v\" 1 h1 10 0 1.0 0.5 0 3600 0 2048 \"select[mem>100] rusage[mem=512.00]\" \"\" 0 \"\" 0 0 \"\" 0 0 \"\" 5612 \"\"";
    let text = line(1_772_440_300, "1 \"4*h1\"", tail);
    let job = read_finished_job(text.as_bytes()).unwrap();
    assert_eq!((&*job.app, &*job.account), ("sim", "/phys/anna"));
    assert_eq!((job.memory, job.run_limit, job.run_time), (Some(512), Some(3600), Some(5612)));
    // Every line that ends within the tail is the same job.
    for end in text.len() - tail.len()..text.len() {
        if let Ok(job) = read_finished_job(&text.as_bytes()[..end]) {
            assert_eq!((job.id, job.asked), (4711, 4));
        }
    }
}

#[test]
fn rejected_lines_have_their_reason() {
    let why = |text: &str| read_finished_job(text.as_bytes()).unwrap_err();
    assert_eq!(why("\"EVENT_ADRSV_FINISH\" \"10.1\" 1"), LsfRecordError::Other);
    assert_eq!(why("\"JOB_FINISH\" \"10"), LsfRecordError::Unterminated);
}

proptest::proptest! {
    #[test]
    fn any_line_is_read(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let _read = read_finished_job(&bytes);
    }
}
