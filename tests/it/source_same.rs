//! The same dumps print the same bytes in another zone, in another language, and with a folder in another order.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use super::source_real::folders;

fn write(folder: &Path, files: &mut dyn Iterator<Item = (&String, &Vec<u8>)>) {
    fs::create_dir_all(folder).unwrap();
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
        let written = UNIX_EPOCH + Duration::from_secs(1_795_226_920);
        File::options().write(true).open(folder.join(name)).unwrap().set_modified(written).unwrap();
    }
}

fn printed(folder: &Path, words: &[&str], zone: &str, language: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    command.args(words).arg(folder).env("TZ", zone).env("LC_ALL", language).env("LANG", language);
    let output = command.output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn zone_language_and_order_change_nothing() {
    let parent = tempfile::tempdir().unwrap();
    for (name, dumps) in folders() {
        let (one, other) = (parent.path().join("one").join(name), parent.path().join("other").join(name));
        // Without `now` the moment comes from inside the dumps.
        let taken = || dumps.iter().filter(|(file, _)| name != "c05-reservations" || *file != "now");
        write(&one, &mut taken());
        write(&other, &mut taken().rev());
        for words in [&["check"][..], &["check", "--json"], &["cycle", "--json"]] {
            let plain = printed(&one, words, "UTC", "en_US.UTF-8");
            for (zone, language) in [("America/New_York", "C"), ("Asia/Kathmandu", "de_DE.UTF-8")] {
                assert_eq!(plain, printed(&other, words, zone, language), "{name} {words:?} {zone}");
            }
        }
    }
}
