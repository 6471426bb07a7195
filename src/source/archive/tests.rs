use super::*;
use std::io::Write;
use std::time::Duration;

/// An archive of regular files.
fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        // The name is written as it is: the checks under test are those of the reader.
        let name = header.as_old_mut().name.get_mut(..path.len()).unwrap();
        name.copy_from_slice(path.as_bytes());
        header.set_size(bytes.len() as u64);
        header.set_mtime(1_772_445_912);
        header.set_mode(0o600);
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn link(path: &str, kind: tar::EntryType) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(0);
    header.set_path(path).unwrap();
    if kind == tar::EntryType::Symlink {
        header.set_link_name("/etc/shadow").unwrap();
    }
    header.set_cksum();
    builder.append(&header, &b""[..]).unwrap();
    let mut bytes = builder.into_inner().unwrap();
    bytes.truncate(512);
    bytes
}

fn all(bytes: &[u8], container: ContainerFormat, limits: ArchiveLimits) -> Result<ArchiveContents, String> {
    read(bytes, container, limits, &|_, _| Ok(()))
}

fn paths(contents: &ArchiveContents) -> Vec<&str> {
    contents.members.iter().map(|member| &*member.path).collect()
}

#[test]
fn plain_and_compressed_archives_hold_the_same() {
    let tar = tar_of(&[("s/a", b"1"), ("s/b", b"22")]);
    let limits = ArchiveLimits::default();
    for (bytes, container) in [(tar.clone(), ContainerFormat::Tar), (gzipped(&tar), ContainerFormat::Gzip)] {
        let contents = all(&bytes, container, limits).unwrap();
        assert_eq!(paths(&contents), ["s/a", "s/b"]);
        assert_eq!(contents.members[1].bytes, b"22");
        assert_eq!(contents.members[0].modified, Some(Epoch(1_772_445_912)));
        assert_eq!(contents.sentences(), []);
    }
}

#[test]
fn several_gzip_members_are_one_stream() {
    let tar = tar_of(&[("s/a", b"1"), ("s/b", b"22")]);
    let (one, two) = tar.split_at(700);
    let bytes = [gzipped(one), gzipped(two)].concat();
    assert_eq!(paths(&all(&bytes, ContainerFormat::Gzip, ArchiveLimits::default()).unwrap()), ["s/a", "s/b"]);
}

#[test]
fn paths_out_of_the_archive_links_and_devices_are_passed_and_counted() {
    let mut bytes = tar_of(&[("../x", b"1"), ("/etc/passwd", b"1")]);
    bytes.truncate(bytes.len() - 1024);
    bytes.extend(link("job/qstat_f.out", tar::EntryType::Symlink));
    bytes.extend(link("dev", tar::EntryType::Fifo));
    bytes.extend(tar_of(&[("server/qstat_Bf.out", b"old"), ("server/qstat_Bf.out", b"new")]));
    let contents = all(&bytes, ContainerFormat::Tar, ArchiveLimits::default()).unwrap();
    assert_eq!(paths(&contents), ["server/qstat_Bf.out"]);
    assert_eq!(contents.members[0].bytes, b"new");
    let reported: Vec<String> = contents.sentences().into_iter().map(|(.., reported)| reported).collect();
    assert_eq!(
        reported,
        [
            "skipped 1 link and 1 other entry that are no regular files",
            "refused 2 entries by their names, such as `../x`; expected a path within the archive",
            "server/qstat_Bf.out stands in it twice; the last one counts",
        ]
    );
}

#[test]
fn an_archive_cut_short_keeps_what_is_whole() {
    let tar = tar_of(&[("a", b"1"), ("b", &[b'x'; 3000])]);
    for cut in [1100, 2000, 4000] {
        let contents = all(&tar[..cut], ContainerFormat::Tar, ArchiveLimits::default()).unwrap();
        assert_eq!(paths(&contents)[0], "a", "{cut}");
        assert!(contents.early_end.is_some(), "{cut}");
        assert!(contents.members.iter().skip(1).all(|member| member.is_cut), "{cut}");
    }
    let packed = gzipped(&tar);
    let contents =
        all(&packed[..packed.len() - 12], ContainerFormat::Gzip, ArchiveLimits::default()).unwrap();
    assert_eq!((paths(&contents)[0], contents.early_end.is_some()), ("a", true));
}

#[test]
fn an_archive_cut_between_two_files_is_cut() {
    let tar = tar_of(&[("a", b"1"), ("b", b"22")]);
    let read = |bytes: &[u8]| all(bytes, ContainerFormat::Tar, ArchiveLimits::default()).unwrap();
    assert_eq!(read(&tar).early_end, None);
    let cut = read(&tar[..1024]);
    assert_eq!((paths(&cut), cut.early_end.as_deref()), (vec!["a"], Some("cut short")));
}

/// The archive itself is whole where only the end of the compressed stream is missing.
#[test]
fn a_compressed_archive_without_its_checksum_is_cut() {
    let packed = gzipped(&tar_of(&[("a", b"1"), ("b", b"22")]));
    let read = |bytes: &[u8]| all(bytes, ContainerFormat::Gzip, ArchiveLimits::default()).unwrap();
    assert_eq!(read(&packed).early_end, None);
    let cut = read(&packed[..packed.len() - 8]);
    assert_eq!((paths(&cut), cut.early_end.as_deref()), (vec!["a", "b"], Some("cut short")));
    let padded = [&packed[..], &[0; 512]].concat();
    assert_eq!(read(&padded).early_end, None, "a tape pads its last block");
}

#[test]
fn every_limit_refuses_by_its_name() {
    let zeros = vec![0_u8; 200_000];
    let bytes = gzipped(&tar_of(&[("a", &zeros), ("b", b"1")]));
    let usual = ArchiveLimits::default();
    let refusal = |limits| all(&bytes, ContainerFormat::Gzip, limits).unwrap_err();
    for (limits, name) in [
        (ArchiveLimits { member: 199_999, ..usual }, "`archive-member-size`"),
        (ArchiveLimits { total: 100_000, ..usual }, "`archive-size`"),
        (ArchiveLimits { ratio: 10, free: 1000, ..usual }, "`archive-ratio`"),
        (ArchiveLimits { members: 1, ..usual }, "`archive-members`"),
        (ArchiveLimits { time: Duration::ZERO, ..usual }, "`archive-time`"),
    ] {
        let reported = refusal(limits);
        assert!(reported.starts_with("refused: ") && reported.contains(name), "{reported}");
    }
    assert!(all(&bytes, ContainerFormat::Gzip, usual).is_ok());
    // A large file that no input needs does not matter.
    let limits = ArchiveLimits { member: 1000, ..usual };
    let some = read(&*bytes, ContainerFormat::Gzip, limits, &|path, _| {
        if path == "b" { Ok(()) } else { Err("not needed") }
    });
    assert_eq!(paths(&some.unwrap()), ["b"]);
}

#[test]
fn long_names_come_through_and_have_an_end() {
    let name = format!("s/{}", "d/".repeat(20) + &"n".repeat(150));
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    builder.append_data(&mut header, &name, &b"1"[..]).unwrap();
    let bytes = builder.into_inner().unwrap();
    let contents = all(&bytes, ContainerFormat::Tar, ArchiveLimits::default()).unwrap();
    assert_eq!(paths(&contents), [&*name]);
}

#[test]
fn other_containers_are_named_with_what_opens_them() {
    for (container, reported) in [
        (ContainerFormat::Zip, "found zip; expected tar, gzip or a folder: `unzip` makes one"),
        (ContainerFormat::Xz, "found xz; expected tar, gzip or a folder: `xz -dk` makes one"),
    ] {
        assert_eq!(all(b"", container, ArchiveLimits::default()).unwrap_err(), reported);
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_an_archive_or_none(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..2000)) {
        let _read = all(&bytes, ContainerFormat::Tar, ArchiveLimits::default());
        let _read = all(&gzipped(&bytes), ContainerFormat::Gzip, ArchiveLimits::default());
        let _read = all(&bytes, ContainerFormat::Gzip, ArchiveLimits::default());
    }

    #[test]
    fn a_changed_byte_never_adds_a_path_out_of_the_archive(at in 0_usize..2048, byte: u8) {
        let mut bytes = tar_of(&[("a/b", b"1"), ("c", b"2")]);
        if let Some(slot) = bytes.get_mut(at) {
            *slot = byte;
        }
        if let Ok(contents) = all(&bytes, ContainerFormat::Tar, ArchiveLimits::default()) {
            for member in &contents.members {
                proptest::prop_assert!(!member.path.starts_with('/') && !member.path.split('/').any(|part| part == ".."));
            }
        }
    }
}
