//! Places on the screens that state the same thing, compared with each other on the dumps of live servers.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::SystemTime;

use qscope::cluster::{Epoch, JobId};
use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::theme::{BUILT_IN, ColorDepth, GlyphSet, Role, Theme, ThemeOptions};
use qscope::console::views::ViewName;
use qscope::cycle::Verdict;
use qscope::explain::remedies;
use qscope::session::{SessionEvent, settings_of};

use crate::console_cycle::{Stage, line, read, sample};
use crate::real::{self, RealCase};
use Action::{Accept, Palette, Select};

/// Opens a folder of a live server on a screen.
pub(crate) fn stage(name: &str, width: u16, height: u16) -> (tempfile::TempDir, Stage) {
    stage_of(name, "before", width, height)
}

fn stage_of(name: &str, moment: &str, width: u16, height: u16) -> (tempfile::TempDir, Stage) {
    let case: &RealCase = real::named(name);
    let disk = case.on_disk();
    let stage = Stage::open_at(&disk.path().join(moment), width, height);
    (disk, stage)
}

#[test]
fn a_start_that_the_server_refuses_waits_in_every_view() {
    let (_disk, mut stage) = stage("c02-psets", 120, 40);
    let seen = stage.act(&[Action::View3]).see();
    assert!(seen.contains("6 jobs would start"), "{seen}");
    assert!(line(&seen, " 40    carol").contains("wait") && seen.contains("refused by server"), "{seen}");
    assert!(seen.contains("3 wait 0 not considered 6 start"), "{seen}");
    let seen = stage.command("why 40").see();
    assert!(seen.contains("Why 40 does not run") && seen.contains("When"), "{seen}");
    assert!(seen.contains("running 1 cycle forward"), "{seen}");
    let seen = stage.act(&[Action::View6]).see();
    assert!(line(&seen, "┃ cn026").contains("35") && !line(&seen, "┃ cn026").contains("40"), "{seen}");
    assert!(!line(&seen, "cn[019,025]").contains('▒') && !seen.contains("job-exclusive"), "{seen}");
    let seen = stage.act(&[Action::View8]).see();
    assert!(seen.contains("Why 3 jobs wait") && seen.contains("refused by server"), "{seen}");
    let seen = stage.act(&[Action::Changes]).see();
    assert!(seen.contains("jobs: 6 start, 1 refused"), "{seen}");
    assert!(line(&seen, "refused on").contains("40"), "{seen}");
}

#[test]
fn a_refused_start_is_marked_where_its_nodes_are_shown() {
    let (_disk, mut stage) = stage("c02-psets", 120, 40);
    let seen = stage.command("node cn026").see();
    assert!(line(&seen, "refused  ").contains("40 by the server"), "{seen}");
    assert!(!line(&seen, "starts  ").contains("40"), "{seen}");
    // While stepping the calendar has the start as the scheduler believes in it.
    stage.command("go 40").see();
    stage.act(&[Action::StepForward]);
    let seen = stage.act(&[Action::View6]).see();
    assert!(line(&seen, "Calendar ·").contains("after step"), "{seen}");
    assert!(seen.contains("40 (refused)"), "{seen}");
    // The nodes of such a start count as taken until the last step, and as free after the cycle.
    assert!(line(&seen, "STEP").contains("wait (1 refused)"), "{seen}");
}

#[test]
fn a_partly_started_array_waits_on_its_page_as_in_the_list() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 120, 40);
    let seen = stage.command("job 67[]").see();
    assert!(line(&seen, "Job 67[]").contains(" wait "), "{seen}");
    assert!(line(&seen, "starts").contains("67[0-1] now on cn030"), "{seen}");
    let seen = stage.command("why 67[]").see();
    assert!(seen.contains("Why 67[2-5] does not run"), "{seen}");
    assert!(seen.contains("When") && seen.contains("forward"), "{seen}");
    // Behind its reason on the board stands what stops the rest of it, not where the first of it started.
    stage.act(&[Action::View8]);
    while !stage.see().contains("▸limit max_run_subjobs") {
        stage.act(&[Action::Down]);
    }
    let seen = stage.see();
    assert!(!line(&seen, "67[2-5]").contains("cn030"), "{seen}");
}

#[test]
fn what_starts_behind_a_job_and_has_no_walltime_blocks_it() {
    let (_disk, mut stage) = stage("c05-reservations", 120, 40);
    let seen = stage.command("why 80").see();
    for (job, end) in [("82", "until"), ("86", "no walltime")] {
        let blocks = seen.lines().any(|line| line.contains(&format!(" {job}  ")) && line.contains(end));
        assert!(blocks, "{job}: {seen}");
    }
    // The scale of the calendar is that of the next ends, not of the five years of a job without walltime.
    stage.act(&[Palette]).type_in("job 80");
    let seen = stage.act(&[Accept, Action::View6]).see();
    assert!(line(&seen, "Calendar ·").contains("02:04 to 04:04"), "{seen}");
    assert!(line(&seen, "cn008").ends_with("→ ┃"), "{seen}");
}

#[test]
fn a_node_of_another_queue_does_not_fit_in_the_pane_of_nodes() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    stage.act(&[Action::View2, Action::Filter]).type_in("cn024");
    let seen = stage.act(&[Accept]).see();
    assert!(seen.contains("Node cn024"), "{seen}");
    assert!(line(&seen, "chunk 1 of 54").contains("queue special, not open to it"), "{seen}");
}

#[test]
fn the_queues_count_what_the_cycle_has_started_as_their_limits_do() {
    let (_disk, mut stage) = stage("c06-limits", 120, 40);
    let seen = stage.act(&[Action::View5]).see();
    assert!(seen.contains("Queues and limits after this cycle"), "{seen}");
    assert!(line(&seen, "the whole server").contains(" 2→10 "), "{seen}");
    assert!(line(&seen, "jobs of all").contains("10 of 20"), "{seen}");
}

/// A running job that the cycle suspends for another one is shown as waiting after it, not as running.
#[test]
fn the_queues_count_a_preempted_job_as_waiting() {
    let mut stage = Stage::open_at(Path::new("samples/preempt"), 80, 24);
    let seen = stage.act(&[Action::View5]).see();
    let counts = |name: &str| line(&seen, name).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert!(
        counts("the whole server").ends_with(&["2".into(), "1".into(), "0".into(), "┃".into()]),
        "{seen}"
    );
    assert!(counts("workq").ends_with(&["2→1".into(), "0→1".into(), "0".into(), "┃".into()]), "{seen}");
    assert!(line(&seen, "│ wait").contains("1 (suspended)"), "{seen}");
}

#[test]
fn enter_on_the_bar_of_a_running_job_opens_its_page() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 120, 40);
    stage.act(&[Action::View6, Select]);
    assert_eq!(stage.app.view(), ViewName::Page);
    assert!(stage.see().contains("Job 50"), "{}", stage.see());
}

#[test]
fn a_box_that_is_cut_names_what_stands_below() {
    let (_disk, mut stage) = stage("c06-limits", 80, 12);
    let seen = stage.act(&[Action::Files]).see();
    assert!(seen.contains("PgDn: ") && seen.contains("more line"), "{seen}");
}

#[test]
fn a_count_at_the_end_of_a_row_of_why_is_never_cut() {
    let (_disk, mut stage) = stage("c08-suspended-present", 80, 24);
    let seen = stage.command("why 108").see();
    assert!(!seen.contains("+1…"), "{seen}");
    assert!(line(&seen, "vnode=cn001 ").contains("others"), "{seen}");
}

#[test]
fn a_long_reason_and_a_reservation_are_named_alike_in_pulse_queue_and_board() {
    let (_disk, mut stage) = self::stage("c06-limits", 120, 40);
    let seen = stage.see();
    assert!(seen.contains("│ limit max_run_res.ncpus █"), "{seen}");
    // Numbers stand below each other.
    let column = |text: &str| line(&seen, text).split(text).next().map(|before| before.chars().count());
    assert_eq!(column("3 of 3 jobs"), column("38 of 40 ncpus"), "{seen}");
    let (_disk, mut stage) = self::stage("c05-reservations", 200, 60);
    let seen = stage.act(&[Action::View8]).see();
    assert!(seen.contains(" never: R71 ") && !seen.contains("R71.pbs01"), "{seen}");
    let seen = stage.act(&[Action::View3]).see();
    assert!(line(&seen, " 80 ").contains("unknown") && seen.contains("18 of 26 whole nodes┃"), "{seen}");
}

/// A message that does not fit into the line of alerts is complete in the box of files, and among the problems.
#[test]
fn a_reading_that_failed_is_shown_whole() {
    let mut stage = Stage::open("campus", 80, 24);
    let message =
        "nodes.json: found no vnode in 2 places; line 7: found `}` where a name was expected; the end";
    let failed =
        SessionEvent::Failed { message: message.to_owned(), missing_file: None, at: SystemTime::UNIX_EPOCH };
    stage.app.update(AppInput::Message(failed.into()));
    // Also where nothing could be read before.
    let mut empty = Stage::empty(80, 24, qscope::cluster::Epoch(1_763_700_000));
    let failed_at_once =
        SessionEvent::Failed { message: message.to_owned(), missing_file: None, at: SystemTime::UNIX_EPOCH };
    empty.app.update(AppInput::Message(failed_at_once.into()));
    let seen = empty.act(&[Action::Files]).see();
    assert!(seen.contains("┃  line 7: found `}`") && !seen.contains("nothing read yet"), "{seen}");
    let seen = stage.act(&[Action::Files]).see();
    assert!(
        seen.contains("line 7: found `}` where a name was expected") && seen.contains("the end"),
        "{seen}"
    );
    let seen = stage.act(&[Action::Close, Action::Warnings]).see();
    assert!(line(&seen, "✗ not read").contains("nodes.json: found no vnode"), "{seen}");
    assert!(seen.contains("name was expected"), "{seen}");
}

/// `=` on a change that would start a job begins the what-if with that change.
#[test]
fn the_key_for_a_setting_takes_the_remedy_under_the_cursor() {
    let (_disk, mut stage) = stage("c06-limits", 120, 40);
    stage.command("why 101").see();
    let seen = stage.act(&[Action::WhatIf]).see();
    assert!(seen.lines().last().unwrap().contains("max_run=[g:"), "on the line of the limit: {seen}");
    let (_disk, mut stage) = self::stage("c05-reservations", 80, 24);
    stage.command("why 80").see();
    for _ in 0..60 {
        if stage.see().lines().any(|line| line.contains('▸') && line.contains("1 place=free:excl")) {
            break;
        }
        stage.act(&[Action::Down]);
    }
    let seen = stage.act(&[Action::WhatIf]).see();
    assert!(seen.lines().last().unwrap().contains("job.80.Resource_List.place=free:excl"), "{seen}");
}

/// A remedy offered as settings starts the job, as the remedy did.
#[test]
fn the_settings_of_a_remedy_start_the_job() {
    let mut tried = 0;
    for sample in ["why", "campus", "sets-8"] {
        let generation = read(Path::new("samples").join(sample).as_path(), 1);
        let run = &generation.run;
        let waiting: Vec<JobId> =
            run.outcomes().filter(|one| one.placed.is_none()).map(|one| one.job).collect();
        for job in waiting {
            let found = remedies(run, job, &mut |_| ControlFlow::Continue(()));
            for remedy in found.iter().filter(|remedy| remedy.start.is_none()) {
                let settings = settings_of(&generation.snapshot, &remedy.edits);
                if settings.is_empty() {
                    continue;
                }
                tried += 1;
                let after = generation.what_if(&settings).unwrap();
                let name = &generation.snapshot.jobs[job].name;
                let now = after.snapshot.job_named(name).and_then(|id| after.run.outcome(id));
                let starts = now.is_some_and(|one| after.run.verdict(one) == Verdict::Run);
                assert!(starts, "{sample} {name}: {} as {settings:?}", remedy.change);
            }
        }
    }
    assert!(tried > 20, "{tried} settings: too few to show a fault");
}

#[test]
fn pools_and_board_use_one_word_for_one_thing() {
    let (_disk, mut stage) = stage("c02-psets", 120, 40);
    stage.command("job 37").see();
    let seen = stage.act(&[Action::View4]).see();
    assert!(line(&seen, "job at its turn").contains("  count  "), "{seen}");
    assert!(seen.contains("nodes free or part"), "{seen}");
    let seen = stage.act(&[Action::View8]).see();
    assert!(seen.contains("fragmented · in use by 30:") && seen.contains("stopped by"), "{seen}");
    // A job that can never run is served by no node, and waits for none in any set.
    let mut stage = Stage::open("campus", 120, 40);
    let seen = stage.act(&[Action::View8, Action::Down]).see();
    assert!(
        seen.contains("never · color=red: 1 job, 36.0 core-hours") && !seen.contains("could serve"),
        "{seen}"
    );
    let mut stage = Stage::open("sets-36", 110, 30);
    stage.command("job 6").see();
    let seen = stage.act(&[Action::View4]).see();
    assert!(seen.contains("job 6 can never run") && seen.contains("✗ enough in sum"), "{seen}");
    assert!(!seen.contains('◷'), "{seen}");
}

#[test]
fn keys_that_do_nothing_are_not_named_in_the_last_line() {
    let last = |stage: &mut Stage| stage.see().lines().last().unwrap().to_owned();
    let (_disk, mut stage) = stage("c06-limits", 80, 24);
    stage.act(&[Action::Files]);
    assert!(!last(&mut stage).contains("Enter"), "{}", last(&mut stage));
    stage.act(&[Action::Close, Action::View4]);
    assert!(stage.see().contains("There are no placement sets"), "{}", stage.see());
    assert!(
        !last(&mut stage).contains("Enter") && !last(&mut stage).contains("s sort"),
        "{}",
        last(&mut stage)
    );
    stage.act(&[Action::View5]);
    assert!(last(&mut stage).contains("Enter its jobs"), "{}", last(&mut stage));
}

#[test]
fn an_array_is_meant_without_its_brackets_and_the_nearest_ids_are_named() {
    let (disk, mut stage) = stage("c04-calendar-strict", 120, 40);
    let seen = stage.command("why 67").see();
    assert!(seen.contains("Why 67[2-5] does not run"), "{seen}");
    let seen = stage.command("why 72").see();
    assert!(seen.contains("no job 72; nearest: 68, 67[]"), "{seen}");
    stage.act(&[Action::Close]);
    let seen = stage.command("group user").see();
    assert_eq!(stage.app.view(), ViewName::Board, "{seen}");
    // The command line, and a node behind the job.
    let folder = disk.path().join("before");
    let printed = |words: &[&str]| {
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_qscope")).args(words).arg(&folder).output();
        let out = out.unwrap();
        format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
    };
    assert!(printed(&["why", "67", "--fast"]).contains("2 of 2 subjobs of 67[]"));
    assert!(printed(&["why", "72"]).contains("nearest: 68, 67[]"), "{}", printed(&["why", "72"]));
    assert!(
        printed(&["why", "54", "cn024", "--fast"]).contains("What 54 misses on cn024"),
        "{}",
        printed(&["why", "54", "cn024", "--fast"])
    );
}

#[test]
fn the_vnodes_of_a_host_are_not_taken_for_one_vnode() {
    let (_disk, mut stage) = stage("c14-multivnode-hosts", 160, 40);
    let seen = stage.command("why 198").see();
    assert!(seen.contains("hosts has is 32 (host nv0, ") && seen.contains("vnodes)"), "{seen}");
}

#[test]
fn an_array_of_which_scattered_subjobs_wait_is_named_by_its_first() {
    for (width, height) in [(80, 24), (120, 40), (300, 90)] {
        let (_disk, mut stage) = stage_of("c13-odd", "after", width, height);
        let seen = stage.see();
        // A column of a table has no room for the count of the others; the line of the reason has.
        assert!(line(&seen, "◷ wait").contains(" 181[1140,…] "), "{seen}");
        assert!(seen.contains("  181[1140,1143,1146] +617: 0 of 1 ncpus"), "{seen}");
        let seen = stage.act(&[Action::View3, Action::Filter]).type_in("job=181[]").act(&[Accept]).see();
        assert!(line(&seen, "◷ wait").contains("▸181[1140,…] "), "{seen}");
        let seen = stage.command("why 181[1140,1143] +618").see();
        assert!(seen.contains("Why 181[1140,1143,1146] +617 does not run"), "{seen}");
    }
}

#[test]
fn a_vnode_without_cpus_is_full_on_the_map_in_its_pane_and_on_its_page() {
    let (_disk, mut stage) = stage_of("c14-multivnode-hosts", "after", 80, 24);
    let seen = stage.act(&[Action::View2]).see();
    assert!(line(&seen, "mem=0kb").contains("0 of 1 free"), "{seen}");
    assert!(line(&seen, "state    ").contains("full, no cpus (PBS: free)"), "{seen}");
    let seen = stage.act(&[Action::View6]).see();
    assert!(seen.contains("╱no cpus╱") && seen.contains("╱ takes no job"), "{seen}");
    let (_disk, mut stage) = self::stage_of("c14-multivnode-hosts", "after", 120, 40);
    let seen = stage.act(&[Action::View2, Select]).see();
    assert!(line(&seen, "state    ").contains("full, no cpus · PBS: free since"), "{seen}");
    assert!(line(&seen, "Neighbours").contains("0 of 1 free"), "{seen}");
    let seen = stage.command("node nv0[0]").see();
    assert!(line(&seen, "state    ").contains("part · PBS: free"), "{seen}");
}

#[test]
fn one_end_days_away_does_not_squeeze_the_others_into_a_column() {
    let (_disk, mut stage) = stage_of("c13-odd", "after", 200, 60);
    let seen = stage.act(&[Action::View6]).see();
    assert!(seen.contains("02:09 to 02:19"), "{seen}");
    assert!(line(&seen, " cn002 ").trim_end_matches([' ', '┃']).ends_with('→'), "{seen}");
}

#[test]
fn what_ends_next_stands_where_the_reasons_leave_room() {
    let (_disk, mut stage) = stage_of("c04-calendar-strict", "after", 300, 90);
    let seen = stage.see();
    assert!(line(&seen, "ends and starts next").starts_with('│'), "{seen}");
    assert!(line(&seen, "│ 02:13:25  50 ends").contains("  15 free│"), "{seen}");
    let (_disk, mut stage) = stage_of("c13-odd", "after", 120, 40);
    assert!(stage.see().contains("│ +2 later"), "{}", stage.see());
}

#[test]
fn enter_in_a_help_without_a_match_runs_nothing_and_leaves_it_open() {
    let mut stage = Stage::open("why", 80, 24);
    stage.act(&[Action::Help, Action::Filter]).type_in("qz");
    let seen = stage.act(&[Accept, Select]).see();
    assert!(seen.contains("Help · Cycle · ") && seen.contains("No match."), "{seen}");
    let seen = stage.act(&[Action::Close]).see();
    assert!(!seen.contains("Help · Cycle · "), "{seen}");
}

#[test]
fn numbers_stand_behind_the_reason_where_they_have_no_column() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let seen = stage.act(&[Action::View3]).see();
    assert!(line(&seen, " 57    carol").contains("insufficient ncpus 143 of 200"), "{seen}");
    stage.act(&[Palette]).type_in("why 54");
    assert!(stage.see().contains("▸why 54 "), "{}", stage.see());
    assert!(line(&stage.see(), "▸why 54 ").contains("wait  fragmented 5 of 16 whole nodes"));
    let (_disk, mut stage) = self::stage("c04-calendar-strict", 120, 40);
    let seen = stage.act(&[Action::View3]).see();
    assert!(seen.contains("have of") && !line(&seen, "┃ 57  ").contains("ncpus 143"), "{seen}");
}

#[test]
fn a_suspended_job_waits_in_its_queue_as_it_does_on_the_board() {
    let (_disk, mut stage) = stage_of("c08-suspended-present", "after", 120, 40);
    let seen = stage.act(&[Action::View5]).see();
    let counts: Vec<&str> = line(&seen, "the whole server ").split_whitespace().collect();
    assert!(counts.windows(3).any(|three| three == ["5", "2", "0"]), "{seen}");
    assert!(line(&seen, "│ wait ").contains("108 (suspended) 110"), "{seen}");
    assert!(stage.act(&[Action::View8]).see().contains("Why 2 jobs wait"));
}

#[test]
fn how_many_nodes_of_a_set_are_free_is_not_cut_beside_blank_columns() {
    let (_disk, mut stage) = stage("c02-psets", 200, 60);
    let seen = stage.act(&[Action::View2]).see();
    assert!(line(&seen, "router=r1").contains(" 10 of 16 free "), "{seen}");
    // The cells of sets stand below those of buckets.
    let cells = |text: &str| line(&seen, text).split_once(" free").unwrap().0.chars().count();
    assert_eq!(cells("router=r1"), cells("switch=sw1 ncpus=16"), "{seen}");
    let seen = stage.act(&[Action::View4]).see();
    assert!(line(&seen, "router=r1").trim_end_matches([' ', '┃']).chars().count() < 140, "{seen}");
}

#[test]
fn the_page_of_what_is_under_the_cursor_stands_below_a_list_that_leaves_room() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 200, 60);
    let seen = stage.act(&[Action::View3]).see();
    assert!(line(&seen, "┌ Job 50 ").contains("All attributes"), "{seen}");
    let seen = stage.act(&[Action::Down]).see();
    assert!(line(&seen, "┌ Job 51 ").contains("runs"), "{seen}");
    let seen = stage.act(&[Action::View2]).see();
    assert!(line(&seen, "┌ Node cn001 ").contains("All attributes"), "{seen}");
    assert!(line(&seen, "free share of ncpus").starts_with('┃'), "the map has its chart\n{seen}");
    let (_disk, mut low) = self::stage("c04-calendar-strict", 80, 24);
    let seen = low.act(&[Action::View3]).see();
    assert!(!seen.contains("┌ Job"), "{seen}");
}

#[test]
fn a_decision_has_the_row_of_the_alerts_on_low_screens() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let queue = |seen: &str| seen.lines().position(|line| line.contains("Queue in the order considered"));
    let at_rest = stage.see();
    assert!(at_rest.contains("scheduling off: "), "{at_rest}");
    let seen = stage.act(&[Action::StepForward]).see();
    assert!(!seen.contains("scheduling off: "), "{seen}");
    assert_eq!(queue(&at_rest), queue(&seen), "the queue stays where it is\n{seen}");
    let (_disk, mut high) = self::stage("c04-calendar-strict", 120, 40);
    assert!(high.act(&[Action::StepForward]).see().contains("scheduling off: "));
}

#[test]
fn subjobs_for_which_their_array_stands_do_not_wait_beside_it() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 200, 60);
    let seen = stage.act(&[Action::View5]).see();
    assert!(seen.contains("│ 67[2-5] ") && !seen.contains("│ 67[2] "), "{seen}");
}

#[test]
fn a_node_that_a_job_keeps_is_out_among_its_neighbours_and_named_in_the_table() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 200, 60);
    let seen = stage.act(&[Action::View2, Action::Toggle]).see();
    assert!(line(&seen, " cn025 ").contains("kept by job 40, not in the job dump"), "{seen}");
    let seen = stage.command("node cn025").see();
    assert!(line(&seen, "cn[025-032]").contains("[!] ·"), "{seen}");
}

#[test]
fn a_fix_is_shown_in_full_where_the_screen_is_wide() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 200, 60);
    let seen = stage.act(&[Action::Warnings]).see();
    let command = "qmgr -c \"set server scheduling=True\" && qmgr -c \"set sched default scheduling=True\"";
    assert!(line(&seen, "▸✗ scheduling off").contains(command), "{seen}");
}

#[test]
fn what_a_cycle_gives_twice_is_no_amount_below_nothing() {
    let mut stage = Stage::open("sets-36-sorted", 200, 60);
    let seen = stage.act(&[Action::View9]).see();
    assert!(!seen.contains("-4 ncpus"), "{seen}");
    let line = line(&seen, "┃ vn[12,16]");
    assert!(line.contains(" free, 4 ncpus ") && line.contains("given again to 5, refused"), "{seen}");
    assert!(!seen.contains("vn24"), "nothing is taken of what only a refused start was given\n{seen}");
}

#[test]
fn events_are_listed_where_few_nodes_leave_the_rows_for_them() {
    let mut stage = Stage::open("calendar", 120, 40);
    let seen = stage.act(&[Action::View6]).see();
    assert!(seen.contains("Events") && seen.contains("Selected job"), "{seen}");
    let mut stage = Stage::open("calendar", 80, 24);
    assert!(!stage.act(&[Action::View6]).see().contains("Selected job"));
}

#[test]
fn running_to_the_next_waiting_job_stops_at_a_refused_start() {
    let (_disk, mut stage) = stage("c12-psets-one-key", 80, 24);
    stage.act(&[Action::NextWaiting]);
    assert_eq!(stage.position(), 6, "{}", stage.see());
    assert!(line(&stage.see(), "▸◆").contains("142") && line(&stage.see(), "▸◆").contains("wait"));
    stage.act(&[Action::LastStep, Action::PreviousWaiting]);
    assert_eq!(stage.position(), 6, "{}", stage.see());
}

/// The verdict is that of the row, and what the other column does not know is stated there.
#[test]
fn both_paths_have_the_verdict_of_the_row_and_state_what_they_leave_out() {
    let both = |name: &str, job: &str| {
        let (_disk, mut stage) = stage(name, 80, 24);
        stage.command(&format!("go {job}")).see();
        stage.act(&[Action::TwoPaths]).see()
    };
    for (name, job) in [("c13-odd", "172"), ("c14-multivnode-hosts", "198"), ("c10-formula", "126")] {
        let seen = both(name, job);
        let verdict = line(&seen, "┃ verdict");
        assert!(verdict.contains("never") && !verdict.contains("wait"), "{seen}");
        assert!(seen.contains("without the checks before them"), "{seen}");
        assert!(!seen.lines().any(|line| line.contains("(PBS): Can Never Run:  ")), "{seen}");
    }
    let before = both("c13-odd", "172");
    assert!(before.contains("would take it"), "no path was entered: {before}");
    assert!(line(&before, "before any path (PBS)").contains("Can Never Run"), "{before}");
    let mut stage = Stage::open("campus", 80, 24);
    stage.command("go 11").see();
    let named = stage.act(&[Action::TwoPaths]).see();
    assert!(named.contains("buckets do not check vnode"), "{named}");
    assert!(named.contains("only by the bucket path (2 on the map): n030"), "{named}");
}

#[test]
fn a_name_that_is_only_like_a_command_is_offered_and_not_run() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::StepForward, Action::StepForward]);
    let seen = stage.command("foo").see();
    assert!(
        seen.contains("▸follow") && seen.contains("no job, node, set, queue or command named foo"),
        "{seen}"
    );
    assert_eq!(stage.position(), 2);
    stage.act(&[Action::Down, Accept]);
    assert_eq!(stage.position(), 0, "chosen by hand it runs: {}", stage.see());
}

#[test]
fn a_filter_with_an_error_keeps_the_rows_of_the_one_before() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::View3, Action::Filter]).type_in("foo=3");
    let seen = stage.act(&[Accept]).see();
    assert!(seen.contains("▸ 1/29") && seen.contains("there is no field foo"), "{seen}");
    assert!(seen.contains("✗ there is no field foo; ") && seen.contains("walltime"), "to its end: {seen}");
    stage.act(&[Action::Close, Action::Filter]).type_in("user=ann");
    stage.act(&[Accept]);
    let kept = |seen: &str| seen.lines().find_map(|line| Some(line.split_once(" of 29")?.0.to_owned()));
    let before = kept(&stage.see());
    stage.act(&[Action::Filter]).type_in(" foo=3");
    let seen = stage.see();
    assert!(before.is_some() && kept(&seen) == before && seen.contains("there is no field foo"), "{seen}");
}

#[test]
fn every_tab_has_its_number_beside_a_way() {
    let mut stage = Stage::open("campus", 80, 24);
    let seen = stage.act(&[Action::Warnings, Action::Settings]).see();
    let tabs = seen.lines().nth(1).unwrap();
    assert!(tabs.contains("1 Cycle") && tabs.contains(" 7 8 9 › Problems › Settings"), "{tabs}");
}

#[test]
fn a_command_takes_the_place_of_a_box_of_text_or_rows() {
    for open in [Action::Files, Action::Columns, Action::Breakpoints] {
        let mut stage = Stage::open("campus", 80, 24);
        stage.act(&[open]);
        stage.command("fairshare").see();
        assert_eq!(stage.app.view(), ViewName::Fairshare, "{}", stage.see());
    }
}

#[test]
fn a_letter_typed_in_the_help_runs_nothing() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::StepForward, Action::Help]);
    let seen = stage.act(&[Action::Freeze, Action::StepForward, Action::LastStep]).see();
    assert!(seen.contains("Help · ") && seen.contains("Go to the first, last step"), "{seen}");
    assert_eq!(stage.position(), 1);
    let last = steps(&stage);
    stage.act(&[Select]);
    assert_eq!(stage.position(), last, "Enter runs the line that the key went to: {}", stage.see());
}

fn steps(stage: &Stage) -> usize {
    stage.app.screen().unwrap().debugger.len()
}

#[test]
fn a_selected_step_that_is_not_the_one_made_is_named_as_that() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::StepForward, Action::StepForward]);
    let title = |stage: &mut Stage| line(&stage.see(), " Decision · ").to_owned();
    assert!(!title(&mut stage).contains("passed") && !title(&mut stage).contains("to come"));
    stage.act(&[Action::Down]);
    assert!(title(&mut stage).contains("step 3, to come"), "{}", title(&mut stage));
    stage.act(&[Action::Up, Action::Up]);
    assert!(title(&mut stage).contains("step 1, passed"), "{}", title(&mut stage));
}

/// Console.md 4: a message never covers the keys, and only that of a failure has a sign.
#[test]
fn a_long_message_stands_above_the_keys() {
    let mut stage = Stage::open("campus", 80, 24);
    let seen = stage.command("report").see();
    let last: Vec<&str> = seen.lines().rev().take(2).collect();
    assert!(last[0].contains(". step") && last[0].contains("? more"), "{seen}");
    assert!(last[1].ends_with(" sent the report as Markdown to the terminal's clipboard ┛"), "{seen}");
    assert!(!last[1].contains('!'), "{seen}");
}

#[test]
fn signs_of_limits_and_sets_are_explained_on_the_screen() {
    let (_disk, mut stage) = stage("c06-limits", 80, 24);
    let seen = stage.act(&[Action::View5]).see();
    assert!(seen.contains("✗ limit reached  ~ soft limit exceeded"), "{seen}");
    let (_disk, mut stage) = self::stage("c12-psets-one-key", 80, 24);
    let seen = stage.act(&[Action::View4]).see();
    assert!(seen.contains("█ free  ▁…▇ part  · full  ! out  count: PBS"), "{seen}");
}

#[test]
fn nodes_of_another_queue_without_a_job_share_a_row_of_the_calendar() {
    let (_disk, mut stage) = stage("c06-limits", 80, 24);
    let seen = stage.act(&[Action::View6]).see();
    assert!(seen.contains("cn[022-024]") && !seen.contains("┃ cn023"), "{seen}");
}

#[test]
fn a_headline_goes_on_in_further_rows() {
    let (_disk, mut stage) = stage("c12-psets-one-key", 80, 24);
    let seen = stage.command("why 142").see();
    assert!(line(&seen, "◷ refused by server").ends_with("(quirk  ┃"), "{seen}");
    assert!(line(&seen, "┃    last-set-only)").ends_with('┃'), "{seen}");
}

/// Collects the label of each bucket on the map, without the text after it.
#[test]
fn labels_of_buckets_that_are_cut_differ() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::View2]);
    let seen = stage.command("group bucket").see();
    let rows = seen.lines().filter(|line| line.contains(" color=") && line.contains(" free "));
    let labels: Vec<String> = rows.map(|line| line.chars().take(46).collect()).collect();
    let unlike: std::collections::BTreeSet<&String> = labels.iter().collect();
    assert!(labels.len() > 8 && unlike.len() == labels.len(), "{seen}");
}

/// The key that steps through the right side opens the view that has its steps.
#[test]
fn stepping_through_a_what_if_opens_the_cycle() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.command("set strict_ordering=true").see();
    assert_eq!(stage.app.view(), ViewName::WhatIf, "{}", stage.see());
    let seen = stage.act(&[Action::LookInto]).see();
    assert_eq!(stage.app.view(), ViewName::Cycle, "{seen}");
    assert!(seen.contains("WHAT-IF 1") && seen.contains("F goes back to the live cycle"), "{seen}");
    let seen = stage.act(&[Action::StepForward]).see();
    let head = seen.lines().next().unwrap_or_default();
    assert!(head.contains("WHAT-IF 1 STEP 1/"), "{seen}");
}

#[test]
fn buckets_inside_a_decision_that_are_cut_differ() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.command("go 4").see();
    for _ in 0..3 {
        stage.act(&[Action::StepInto]);
    }
    let seen = stage.see();
    assert!(seen.contains("Buckets, in the order tried"), "{seen}");
    let names: Vec<String> = seen
        .lines()
        .filter(|line| line.contains("color="))
        .map(|line| line.chars().skip(4).take(27).collect::<String>())
        .collect();
    let unlike: std::collections::BTreeSet<&String> = names.iter().collect();
    assert!(names.len() > 5 && unlike.len() == names.len(), "{seen}");
}

/// Limits of the same name exist on the server and on two queues: if they are not listed below their queue, they name
/// their owner, also where a filter hides the queues.
#[test]
fn a_limit_that_stands_apart_from_its_queue_names_it() {
    let (_disk, mut stage) = stage("c06-limits", 80, 24);
    let seen = stage.act(&[Action::View5]).see();
    assert!(seen.contains("┃   jobs of user alice") && !seen.contains("server:"), "{seen}");
    let seen = stage.act(&[Action::Sort]).see();
    let own = ["small: jobs of user alice", "server: jobs of user alice", "small: jobs of user carol"];
    assert!(own.iter().all(|name| seen.contains(name)), "{seen}");
    // Limits stand together with their queue where these are sorted by name.
    let at = |text: &str| seen.lines().position(|line| line.contains(text)).unwrap();
    let after_small = at("┃ small ");
    assert!((after_small + 1..after_small + 6).contains(&at("small: ncpus of all")), "{seen}");
    let (_disk, mut stage) = self::stage("c06-limits", 80, 24);
    stage.act(&[Action::View5, Action::Filter]).type_in("carol");
    let seen = stage.act(&[Accept]).see();
    assert!(
        seen.contains("server: jobs of user carol") && seen.contains("small: jobs of user carol"),
        "{seen}"
    );
}

/// After scrolling through time some bars are off the screen: what is opened and explained is one that is visible.
#[test]
fn enter_in_the_calendar_opens_what_is_on_the_screen() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let seen = stage.act(&[Action::View6, Action::Right, Action::Right]).see();
    assert!(line(&seen, "┃ cn[001-008]").contains("░░55"), "{seen}");
    stage.act(&[Select]);
    assert_eq!(stage.app.view(), ViewName::Page);
    assert!(stage.see().contains("┏ Job 55 "), "{}", stage.see());
    stage.act(&[Action::View6, Action::Right]);
    let seen = stage.see();
    assert!(line(&seen, "┃ cn[001-008]").contains(" ← "), "{seen}");
    stage.act(&[Select]);
    assert!(stage.see().contains("┏ Node cn001 "), "no bar is seen in the row: {}", stage.see());
}

#[test]
fn a_step_of_a_job_that_is_not_there_names_the_nearest_jobs() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 120, 40);
    for command in ["step 99", "go 99999"] {
        let seen = stage.command(command).see();
        assert!(seen.contains("no job 99") && seen.contains("nearest:"), "{seen}");
        assert!(!seen.contains("not considered;") && !seen.contains("is not considered"), "{seen}");
        stage.act(&[Action::Close]);
    }
    let seen = stage.command("go 63").see();
    assert!(seen.contains("job 63 is not considered"), "{seen}");
}

/// A completed action is no warning: only a failure has a warning sign (console.md 4).
#[test]
fn only_a_message_of_a_failure_has_a_sign() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let above_the_keys = |seen: &str| seen.lines().nth_back(1).unwrap().to_owned();
    let done = above_the_keys(&stage.act(&[Action::NextTheme]).see());
    assert!(done.ends_with(" theme default-light ┛") && !done.contains("! theme"), "{done}");
    let failed = above_the_keys(&stage.command("export csv /no/such/folder/x").see());
    assert!(failed.ends_with("! /no/such/folder: no such folder ┛"), "{failed}");
}

/// A message is always in the same place, whatever its length: above the keys, all of which stay visible.
#[test]
fn a_short_message_stands_above_the_keys_too() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let keys = stage.act(&[Action::View2]).see().lines().last().unwrap().to_owned();
    let seen = stage.act(&[Action::NextMatch]).see();
    let rows: Vec<&str> = seen.lines().rev().take(2).collect();
    assert_eq!(rows[0], keys, "{seen}");
    assert!(rows[1].ends_with(" nothing was searched yet; / filters ┘"), "{seen}");
    // What was done is no warning: only a failure has the sign of one.
    stage.app.set_failure("theme: no such file");
    let seen = stage.see();
    assert!(seen.lines().nth_back(1).unwrap().ends_with(" ! theme: no such file ┘"), "{seen}");
}

/// Console.md 4: a message has the colour of a text, and one of a failure that of a warning.
#[test]
fn a_message_has_the_colour_of_what_it_reports() {
    for (name, _) in BUILT_IN {
        let options = ThemeOptions { depth: ColorDepth::True, glyphs: GlyphSet::Unicode };
        let theme = || Theme::built_in(name, options).0;
        let mut stage = Stage::empty_in(80, 24, Epoch(1_763_700_000), theme());
        stage.load(sample("campus"));
        let style_of = |stage: &mut Stage, text: &str| {
            let row: Vec<_> = stage.cells().into_iter().skip(22 * 80).take(80).collect();
            let letters: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
            let before = letters.split(text).next().unwrap_or_else(|| panic!("no {text}: {letters}"));
            let cell = &row[before.chars().count()];
            (cell.fg, cell.modifier)
        };
        stage.app.set_status("it is done");
        let done = style_of(&mut stage, "it is done");
        stage.app.set_failure("it is broken");
        let broken = style_of(&mut stage, "it is broken");
        let style = |role| theme().style(role);
        let as_drawn = |role| (style(role).fg.unwrap_or_default(), style(role).add_modifier);
        assert_eq!((done, broken), (as_drawn(Role::Text), as_drawn(Role::Warning)), "{name}");
        assert_ne!(done, broken, "{name}");
    }
}

/// Console.md 4 and 5: a limit above three quarters is amber, and the map of a placement set has the colours of nodes.
#[test]
fn a_limit_nearly_reached_and_the_nodes_of_a_set_have_their_colours() {
    let options = ThemeOptions { depth: ColorDepth::True, glyphs: GlyphSet::Unicode };
    let theme = || Theme::built_in("default-dark", options).0;
    let color = |role| theme().style(role).fg.unwrap_or_default();
    let color_of = |stage: &mut Stage, line: &str, sign: char| {
        let cells = stage.cells();
        let row = cells
            .chunks(120)
            .find(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().contains(line));
        let row = row.unwrap_or_else(|| panic!("no {line}"));
        row.iter().find(|cell| cell.symbol().starts_with(sign)).map(|cell| cell.fg).unwrap()
    };
    let mut stage = Stage::empty_in(120, 40, Epoch(1_763_700_000), theme());
    let disk = real::named("c06-limits").on_disk();
    stage.load(read(&disk.path().join("before"), 1));
    stage.act(&[Action::View5]);
    assert_eq!(color_of(&mut stage, "38 of 40", '█'), color(Role::VerdictWait));
    stage.load(sample("sets-8"));
    stage.act(&[Action::View4]);
    assert_eq!(color_of(&mut stage, "switch=sw2", '█'), color(Role::NodeFree), "{}", stage.see());
}

/// A message is drawn over the last row: on the farm that is a border, as elsewhere, and the legend stays.
#[test]
fn a_message_leaves_the_legend_of_the_farm() {
    let mut stage = Stage::open("packing-cluster", 80, 24);
    stage.command("packing").act(&[Action::NextPane]);
    let legend = "o others  . free  _ held free  [] capital: held  & mixed";
    assert!(stage.see().contains(legend), "{}", stage.see());
    stage.app.set_failure("/a/folder/of/a/site/qscope-policy.toml is there already; another name is needed");
    let seen = stage.see();
    assert!(seen.contains(legend) && seen.contains("is there already"), "{seen}");
}

/// The signs of the buckets come first, and the names use the room that the words after them leave.
#[test]
fn buckets_in_the_command_line_differ() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    stage.act(&[Palette]).type_in("bucket ");
    let seen = stage.see();
    let rows: Vec<&str> =
        seen.lines().filter(|line| line.contains("bucket ") && line.contains(" node")).collect();
    assert_eq!(rows.len(), 4, "{seen}");
    assert!(line(&seen, "bucket priority=10 ncpus=16").contains("8 nodes"), "{seen}");
    assert!(line(&seen, "bucket queue=special ncpus=16").contains("4 nodes"), "{seen}");
    // The line has the name as it is looked up.
    let seen = stage.act(&[Action::Complete, Accept]).see();
    assert!(seen.contains("┏ Bucket "), "{seen}");
}

/// Values of settings and filters, and columns with their signs, are completed.
#[test]
fn values_columns_and_filters_are_completed() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    stage.act(&[Palette]).type_in("set strict_ordering=");
    let seen = stage.see();
    assert!(
        seen.contains("set strict_ordering=True") && seen.contains("set strict_ordering=False"),
        "{seen}"
    );
    stage.act(&[Action::Close, Action::View3, Palette]).type_in("columns +path -");
    let seen = stage.see();
    assert!(seen.contains("columns +path -user") && !seen.contains("columns +path +"), "{seen}");
    stage.act(&[Action::Close, Palette]).type_in("columns ");
    let seen = stage.see();
    assert!(seen.contains("▸columns -job") && seen.contains("hide"), "{seen}");
    stage.act(&[Action::Close, Palette]).type_in("filter user=");
    let seen = stage.see();
    assert!(line(&seen, "filter user=alice").contains(" rows"), "{seen}");
    stage.act(&[Action::Complete]);
    assert!(line(&stage.see(), "┃:filter").contains("user=alice"), "{}", stage.see());
    // The line for a setting; what is not finished is no mistake, and is none to be accepted.
    stage.act(&[Action::Close, Action::WhatIf]).type_in("strict_ordering=Fal");
    let seen = stage.see();
    assert!(!seen.contains("expected true or false"), "{seen}");
    assert!(seen.contains("Values; Tab takes the first") && seen.contains("strict_ordering=False"), "{seen}");
    let seen = stage.act(&[Accept]).see();
    assert_eq!(seen.matches("expected true or false").count(), 1, "{seen}");
    let seen = stage.act(&[Action::Complete, Accept]).see();
    assert!(seen.contains("WHAT IF") && seen.contains("strict_ordering"), "{seen}");
}

/// In a file each value is stated on its own: words without padding, numbers, moments.
#[test]
fn a_reason_in_a_file_has_its_numbers_apart() {
    let (disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    for (view, title) in [(Action::View1, "why, or where"), (Action::View3, "reason, or where")] {
        let file = disk.path().join(format!("{view:?}.json"));
        stage.act(&[view]);
        stage.command(&format!("export json {}", file.display())).see();
        let rows: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let row = |job: &str| rows.as_array().unwrap().iter().find(|row| row["job"] == job).unwrap();
        let waits = row("54");
        assert_eq!((&waits[title], &waits["have of"]), (&"fragmented".into(), &"5 of 16 whole nodes".into()));
        assert_eq!((&waits["have"], &waits["want"], &waits["ends"]), (&5.into(), &16.into(), &().into()));
        let runs = row("50");
        assert_eq!((&runs[title], &runs["verdict"]), (&"cn[001-008]".into(), &"runs".into()));
        assert!(runs["ends"].is_number(), "{runs}");
        assert_eq!(row("63")[title], "dependency: afterok:53");
    }
}

/// What the last line of a box promises is there.
#[test]
fn help_lists_the_keys_of_a_box_over_it() {
    for (open, title) in [
        (Action::Files, "Help · text in a box"),
        (Action::Breakpoints, "Help · rows in a box"),
        (Action::Columns, "Help · rows in a box"),
    ] {
        let mut stage = Stage::open("campus", 80, 24);
        let seen = stage.act(&[open, Action::Help]).see();
        assert!(seen.contains(title), "{seen}");
        let seen = stage.act(&[Action::Close]).see();
        assert!(!seen.contains("Help · ") && seen.contains("Esc closes"), "the box is still there: {seen}");
    }
}

/// Help begins with keys, two opposite ones on a line; words come last.
#[test]
fn the_help_begins_with_keys() {
    let mut stage = Stage::open("campus", 80, 24);
    let seen = stage.act(&[Action::Help]).see();
    assert!(seen.contains("Help · Cycle · qscope only reads"), "{seen}");
    assert!(!seen.lines().last().unwrap().contains("? more"), "{seen}");
    assert!(line(&seen, "  . , ").contains("Step forward, back"), "{seen}");
    assert!(!seen.contains("Words") && seen.contains("Explain the selected job or node"), "{seen}");
    let seen = stage.act(&[Action::End]).see();
    assert!(seen.contains("Δ + −"), "{seen}");
    // A key goes to its line, and Enter does what that key does.
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::StepForward, Action::StepForward, Action::Help, Action::StepBack, Select]);
    assert_eq!(stage.position(), 1, "{}", stage.see());
}

/// The key for filters works wherever rows are filtered, and columns can be chosen in every table.
#[test]
fn filters_and_columns_have_their_keys_in_every_table() {
    let mut stage = Stage::open("campus", 80, 24);
    for view in [Action::View4, Action::View5, Action::View8, Action::Warnings] {
        let seen = stage.act(&[view, Action::QuickFilter]).see();
        assert!(seen.contains("no quick filters here; filter save NAME keeps one"), "{seen}");
    }
    let seen = stage.act(&[Action::View8, Action::Columns]).see();
    assert!(seen.contains("┏ Columns") && seen.contains("● c-h"), "{seen}");
    stage.act(&[Action::Close]);
    let seen = stage.command("columns -core-hours -nodes").see();
    assert!(
        !line(&seen, "┃ reason ").contains("core-hours") && line(&seen, "┃ reason ").contains(" c-h"),
        "{seen}"
    );
}

#[test]
fn the_lower_pane_of_a_bucket_is_named_by_its_key_as_in_its_title() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let seen = stage.command("bucket ncpus=16:accelerator=False:gpu=False").see();
    assert!(seen.contains("Nodes · 11") && seen.lines().last().unwrap().contains("Tab nodes"), "{seen}");
}

/// A node that runs one of the blocking jobs is not part of the reason's name.
#[test]
fn a_reason_on_the_board_is_not_named_by_a_node() {
    let mut stage = Stage::open("why", 120, 40);
    let seen = stage.act(&[Action::View8]).see();
    assert!(!seen.contains("fragmented: n1") && seen.contains("fragmented: ngpus"), "{seen}");
    assert!(seen.contains("┃▸fragmented  "), "{seen}");
}

/// The headline of a job that would delay a top job states which one, and by how much.
#[test]
fn the_headline_of_the_calendar_names_the_job_that_would_be_late() {
    let mut stage = Stage::open("why", 80, 24);
    let seen = stage.command("why 11").see();
    assert!(seen.contains("◷ calendar: delays 10 by 1h00 (06:40)"), "{seen}");
}

/// Subjobs of one array that changed alike share one line in a difference, as they do in a cycle's changes.
#[test]
fn subjobs_that_changed_alike_are_one_line_of_a_difference() {
    let (disk, mut stage) = stage("c04-calendar-strict", 120, 40);
    let folder = disk.path().join("before");
    for name in ["jobs-t.json", "nodes.json"] {
        std::fs::copy(disk.path().join("after").join(name), folder.join(name)).unwrap();
    }
    for name in ["jobs.json", "jobs.txt", "nodes.txt"] {
        let _missing = std::fs::remove_file(folder.join(name));
    }
    stage.load(read(&folder, 2));
    stage.act(&[Action::Changes]);
    let seen = stage.see();
    assert!(seen.contains(" 66[1,3,5] ") && seen.contains(" 66[7,9] "), "{seen}");
    let lines = seen.lines().filter(|line| line.contains("┃ 66[") || line.contains("┃▸66[")).count();
    assert!(lines < 5, "{seen}");
}
