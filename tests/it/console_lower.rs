//! Names below or beside a list, and in sentences of pages, can be reached by keys and by the mouse: opened with
//! Enter or a double click, explained with `a`.

use crossterm::event::{MouseButton, MouseEventKind};
use qscope::console::action::Action as A;
use qscope::console::views::ViewName;

use crate::console_cycle::{Stage, mouse};

/// Clicks on a text of the screen that follows another one.
fn click(stage: &mut Stage, behind: &str, text: &str) {
    let seen = stage.see();
    let rows = seen.lines().enumerate();
    let found = rows.filter_map(|(row, line)| {
        let from = line.find(behind)?;
        let at = from + line[from..].find(text)?;
        Some((row, line[..at].chars().count()))
    });
    let (row, column) = found.last().unwrap_or_else(|| panic!("no {text} behind {behind} in\n{seen}"));
    let (column, row) = (u16::try_from(column).unwrap(), u16::try_from(row).unwrap());
    stage.feed(mouse(MouseEventKind::Down(MouseButton::Left), column, row));
}

fn footer(stage: &mut Stage) -> String {
    stage.see().lines().last().unwrap().to_owned()
}

#[test]
fn jobs_below_the_queues_are_opened_and_explained() {
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::open("campus", width, height);
        stage.act(&[A::View5]);
        assert!(footer(&mut stage).contains("Tab pane"), "{}", stage.see());
        stage.act(&[A::NextPane, A::Down, A::Right]);
        let seen = stage.see();
        assert!(seen.contains("┏ the whole server") && seen.contains("▸start"), "{seen}");
        assert!(seen.contains("2 of 13: Enter: job 4 · a: why"), "{seen}");
        assert!(footer(&mut stage).contains("Enter open"), "{}", stage.see());
        stage.act(&[A::Select]);
        assert!(stage.see().contains("Job 4 ·"), "{}", stage.see());
        // Back is where one was.
        stage.act(&[A::Back]);
        assert!(stage.see().contains("2 of 13: Enter: job 4"), "{}", stage.see());
        stage.act(&[A::Down, A::AskWhy]);
        assert_eq!(stage.app.view(), ViewName::Why);
        assert!(stage.see().contains("Why 10 does not run"), "{}", stage.see());
        // Tab gives the keys back, behind the alert where that is on the screen.
        stage.act(&[A::Back, A::NextPane]);
        if height > 24 {
            assert!(stage.see().contains("· 1 of 1"), "{}", stage.see());
            stage.act(&[A::NextPane]);
        }
        assert!(stage.see().contains("┏ Queues"), "{}", stage.see());
    }
}

#[test]
fn a_double_click_below_a_list_opens_what_is_under_it() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[A::View5]);
    click(&mut stage, "wait  ", "12");
    click(&mut stage, "wait  ", "12");
    assert!(stage.see().contains("Job 12 ·"), "{}", stage.see());
    let mut stage = Stage::open("fairshare", 120, 50);
    stage.command("fairshare");
    stage.act(&[A::Down, A::Down]);
    click(&mut stage, "eve     1 wait, next", "14");
    click(&mut stage, "eve     1 wait, next", "14");
    assert!(stage.see().contains("Job 14 ·"), "{}", stage.see());
}

#[test]
fn entities_below_the_shares_lead_to_their_rows() {
    let mut stage = Stage::open("fairshare", 120, 50);
    stage.command("fairshare");
    stage.act(&[A::Down, A::Down, A::NextPane, A::Select]);
    assert!(stage.see().contains("▸  chemistry"), "{}", stage.see());
}

#[test]
fn the_page_below_nodes_takes_keys() {
    let mut stage = Stage::open("campus", 200, 60);
    stage.act(&[A::View2, A::Toggle, A::NextPane]);
    assert!(stage.see().contains("┏ Node n001"), "{}", stage.see());
    stage.act(&[A::Down; 8]);
    assert!(stage.see().contains("▸job"), "{}", stage.see());
    stage.act(&[A::AskWhy]);
    assert!(stage.see().contains("2 does not wait"), "{}", stage.see());
    stage.act(&[A::Back, A::Select]);
    assert!(stage.see().contains("Job 2 ·"), "{}", stage.see());
    stage.act(&[A::Back, A::NextPane]);
    assert!(stage.see().contains("┏ All attributes"), "{}", stage.see());
    stage.act(&[A::NextPane, A::NextPane]);
    assert!(stage.see().contains("┏ Nodes ·"), "{}", stage.see());
    // The same below the map.
    stage.act(&[A::Toggle, A::NextPane]);
    assert!(
        stage.see().contains("▸jobs     2") && stage.see().contains("Enter: job 2 · a: why"),
        "{}",
        stage.see()
    );
}

#[test]
fn a_list_alone_has_no_other_pane() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[A::View3]);
    assert!(!footer(&mut stage).contains("Tab"), "{}", stage.see());
    stage.act(&[A::NextPane]);
    assert!(stage.see().contains("no other pane here"), "{}", stage.see());
}

#[test]
fn names_in_sentences_of_pages_are_links() {
    // `Enter: node n019` of a condition, and the job that took the node.
    let mut stage = Stage::open("campus", 200, 60);
    stage.command("node n001");
    let seen = stage.see();
    let row = seen.lines().position(|line| line.contains("host=n012: has n001")).unwrap();
    let first = seen.lines().position(|line| line.contains("▸state")).unwrap();
    stage.act(&vec![A::Down; row - first]);
    assert!(stage.see().contains("3: Enter: job 10 · h l: choose"), "{}", stage.see());
    stage.act(&[A::Right, A::Select]);
    assert!(stage.see().contains("Node n012"), "{}", stage.see());
}

/// Numbers that compare two jobs are not links to jobs, though there are jobs with these numbers.
#[test]
fn numbers_that_are_compared_are_no_links() {
    let mut stage = Stage::open("campus", 120, 60);
    stage.command("job 5");
    let seen = stage.see();
    let place = |text: &str| seen.lines().position(|line| line.contains(text)).unwrap();
    stage.act(&vec![A::Down; place("place in the dump") - place("▸asks")]);
    assert!(stage.act(&[A::Select]).see().contains("nothing to open on this line"), "{}", stage.see());
}

/// Writes an array of nine subjobs of which six start.
fn array(folder: &std::path::Path) {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("nodes.toml", "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 3 }\n");
    write(
        "queue.toml",
        "now = 1763700000\n[[queue]]\nname = \"workq\"\n[[job]]\nid = \"7[]\"\nqueue = \"workq\"\n\
         select = \"1:ncpus=1\"\narray = \"1-9\"\nwalltime = \"1h\"\n",
    );
}

#[test]
fn subjobs_that_start_lead_to_their_own_rows() {
    let folder = tempfile::tempdir().unwrap();
    array(folder.path());
    let mut stage = Stage::open_at(folder.path(), 80, 24);
    stage.act(&[A::View9, A::Down]);
    assert!(stage.see().contains("▸7[4-6]"), "{}", stage.see());
    stage.act(&[A::Select]);
    assert!(stage.see().contains("▸◆   1 7[4]"), "{}", stage.see());
    // They are no jobs of the dump, and have an answer of their own, without a complaint.
    stage.act(&[A::AskWhy]);
    let seen = stage.see();
    assert!(seen.contains("7[4] does not wait") && !seen.contains("there is no"), "{seen}");
}

#[test]
fn a_place_in_the_order_and_the_number_of_jobs_are_one_count() {
    let folder = tempfile::tempdir().unwrap();
    array(folder.path());
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    // Seven decisions on one job.
    assert!(stage.see().contains("7 jobs and subjobs · 6 start · 1 wait"), "{}", stage.see());
    stage.command("job 7[]");
    assert!(stage.see().contains("1 of 1 job considered"), "{}", stage.see());
}
