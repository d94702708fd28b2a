//! Files inside the database: bytes, names, trees, handles, transactions.

mod support;

use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};

use support::files::{pattern, sound};
use support::{TestResult, kind};
use vellum::{Database, ErrorKind, FileKind, FileOrder, Files};

/// The bytes of a chunk in a file with pages of the usual length.
const CHUNK: u64 = 8_192 - 64;

#[test]
fn an_edit_changes_its_bytes_alone() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    let mut expected = pattern(6_553_600);
    files.write("/big", &expected)?;
    files.write_at("/big", 409_600, [0xEE; 100])?;
    expected[409_600..409_700].fill(0xEE);
    assert!(files.read("/big")? == expected);
    files.write_at("/big", 104_857_600 + 102_400, [7])?;
    assert_eq!(files.stat("/big")?.length, 104_960_001);
    assert!(files.stat("/big")?.allocated <= 6_553_600 + 2 * CHUNK);
    let mut gap = vec![9; 100_000];
    assert_eq!(files.read_at("/big", 50_000_000, &mut gap)?, 100_000);
    assert!(gap.iter().all(|byte| *byte == 0));
    sound(&files)
}

#[test]
fn what_was_cut_off_reads_as_zeros_when_the_file_grows_again() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    for len in [10, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK] {
        files.write("/a", pattern(30_000))?;
        files.set_len("/a", len)?;
        files.set_len("/a", 30_000)?;
        let mut expected = pattern(30_000);
        expected[len as usize..].fill(0);
        assert!(files.read("/a")? == expected, "{len}");
        files.write("/a", pattern(30_000))?;
        files.set_len("/a", len)?;
        files.write_at("/a", len + 80, [5])?;
        expected.truncate(len as usize + 80);
        expected.push(5);
        assert!(files.read("/a")? == expected, "{len}");
        sound(&files)?;
    }
    Ok(())
}

#[test]
fn reads_and_writes_at_every_edge_of_a_chunk_agree_with_a_vector() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    let edges: Vec<u64> = [0, CHUNK, 2 * CHUNK, 3 * CHUNK]
        .iter()
        .flat_map(|edge| [edge.saturating_sub(1), *edge, edge + 1])
        .collect();
    let mut expected = pattern(3 * CHUNK as usize + 1);
    files.write("/a", &expected)?;
    for (i, begin) in edges.iter().enumerate() {
        for end in edges.iter().filter(|end| *end >= begin) {
            let bytes = vec![i as u8; (end - begin) as usize];
            files.write_at("/a", *begin, &bytes)?;
            let range = *begin as usize..*end as usize;
            if range.end > expected.len() {
                expected.resize(range.end, 0);
            }
            expected[range.clone()].copy_from_slice(&bytes);
            let mut out = vec![0xAA; bytes.len()];
            assert_eq!(files.read_at("/a", *begin, &mut out)?, bytes.len());
            assert!(out == bytes, "{range:?}");
        }
        assert!(files.read("/a")? == expected);
    }
    for (begin, end) in edges.iter().flat_map(|b| edges.iter().map(move |e| (*b, *e))).filter(|(b, e)| b < e)
    {
        files.punch_hole("/a", begin, end - begin)?;
        expected[begin as usize..(end as usize).min(3 * CHUNK as usize + 1)].fill(0);
        assert!(files.read("/a")? == expected, "{begin}..{end}");
        expected = pattern(3 * CHUNK as usize + 1);
        files.write("/a", &expected)?;
    }
    sound(&files)
}

#[test]
fn a_hole_gives_its_space_back() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    files.write("/a", pattern(100 * CHUNK as usize))?;
    files.punch_hole("/a", CHUNK / 2, 98 * CHUNK)?;
    assert!(files.stat("/a")?.allocated <= 3 * CHUNK);
    assert_eq!(files.stat("/a")?.length, 100 * CHUNK);
    files.punch_hole("/a", 0, u64::MAX)?;
    assert_eq!(files.stat("/a")?.allocated, 0);
    sound(&files)
}

#[test]
fn offsets_past_what_a_file_can_have_are_refused_and_change_nothing() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    files.write("/a", "abc")?;
    assert_eq!(kind(files.write_at("/a", u64::MAX, "x")), Some(ErrorKind::TooLarge));
    assert_eq!(kind(files.write_at("/a", 8 << 40, "x")), Some(ErrorKind::TooLarge));
    assert_eq!(kind(files.set_len("/a", (8 << 40) + 1)), Some(ErrorKind::TooLarge));
    files.set_len("/a", 8 << 40)?;
    files.write_at("/a", (8 << 40) - 1, "x")?;
    let mut out = [0; 4];
    assert_eq!(files.read_at("/a", (8 << 40) - 1, &mut out)?, 1);
    assert_eq!(files.read_at("/a", 8 << 40, &mut out)?, 0);
    assert_eq!(files.read_at("/a", u64::MAX, &mut out)?, 0);
    files.set_len("/a", 3)?;
    assert_eq!(files.read("/a")?, b"abc");
    let mut file = files.open("/a")?;
    assert_eq!(file.seek(SeekFrom::Current(-1)).err().map(|e| e.kind()), Some(io::ErrorKind::InvalidInput));
    assert_eq!(file.seek(SeekFrom::End(i64::MAX)).err().map(|e| e.kind()), Some(io::ErrorKind::InvalidInput));
    sound(&files)
}

/// Gives some bytes, then fails.
struct Broken(u64);

impl Read for Broken {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::Error::other("the cable was pulled"));
        }
        let count = out.len().min(usize::try_from(self.0).unwrap_or(usize::MAX));
        out.iter_mut().take(count).for_each(|byte| *byte = 0x42);
        self.0 -= count as u64;
        Ok(count)
    }
}

#[test]
fn a_source_that_fails_half_way_changes_nothing() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    files.write("/f", [0x41; 4_096])?;
    let error = files.write_from("/f", Broken(3 << 20)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(
        error.to_string(),
        "the source for `/f` failed, and nothing was changed: the cable was pulled"
    );
    assert!(files.read("/f")? == [0x41; 4_096]);
    assert_eq!(files.usage("/")?.allocated, 4_096);
    sound(&files)?;
    db.transaction(|tx| {
        assert!(tx.files().write_from("/f", Broken(3 << 20)).is_err());
        tx.files().append("/f", "more").map(drop)
    })?;
    assert_eq!(files.stat("/f")?.length, 4_100);
    assert_eq!(files.write_from("/f", Broken(8 << 20).take(8 << 20))?, 8 << 20);
    assert!(files.read("/f")?.iter().all(|byte| *byte == 0x42));
    sound(&files)
}

#[test]
fn a_reader_sees_one_moment_or_says_changed() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    files.write("/f", [0x41; 4_096])?;
    let (snapshot, open) = (db.snapshot()?, files.open("/f")?);
    let pinned = snapshot.files().open("/f")?;
    files.write("/f", [0x42; 10_000])?;
    let mut out = [0; 4_096];
    assert_eq!(kind(open.read_at(0, &mut out)), Some(ErrorKind::Changed));
    assert_eq!(pinned.read_at(0, &mut out)?, 4_096);
    assert!(out == [0x41; 4_096]);
    files.delete("/f")?;
    assert_eq!(kind(open.read_at(0, &mut out)), Some(ErrorKind::Changed));
    assert_eq!(snapshot.files().read("/f")?.len(), 4_096);
    assert_eq!(kind(snapshot.files().write("/f", "x")), Some(ErrorKind::WrongTarget));
    Ok(())
}

/// The numbers of deleted rows are what SQLite would give again.
#[test]
fn a_handle_never_takes_another_file_for_its_own() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    let editor = files.create("/a")?;
    let reader = files.open("/a")?;
    files.delete("/a")?;
    files.write("/b", "secret")?;
    let mut out = [0; 6];
    assert_eq!(kind(reader.read_at(0, &mut out)), Some(ErrorKind::Changed));
    assert_eq!(kind(editor.read_at(0, &mut out)), Some(ErrorKind::Changed));
    assert_eq!(kind(editor.write_at(0, "x")), Some(ErrorKind::Changed));
    assert_eq!(files.read("/b")?, b"secret");
    Ok(())
}

#[test]
fn a_failure_inside_a_transaction_takes_back_that_call_alone_and_dropping_it_all() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    files.write("/a", pattern(50_000))?;
    {
        let tx = db.begin()?;
        tx.files().write_at("/a", 10, [0; 20_000])?;
        tx.files().set_len("/a", 40_000)?;
        tx.files().rename("/a", "/dir/b")?;
        assert_eq!(kind(tx.files().rename("/dir", "/dir/inside/it")), Some(ErrorKind::InvalidQuery));
        assert!(!tx.files().exists("/dir/inside")?);
        assert_eq!(tx.files().stat("/dir/b")?.length, 40_000);
        assert_eq!(files.stat("/a")?.length, 50_000);
    }
    assert!(files.read("/a")? == pattern(50_000));
    assert!(!files.exists("/dir")?);
    sound(&files)
}

#[test]
fn a_tree_moves_whole_and_only_itself() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    files.write("/a/apple", "red")?;
    files.write("/ab", "other")?;
    files.rename("/a", "/z")?;
    let paths = |list: vellum::Listing<'_>| -> vellum::Result<Vec<String>> {
        Ok(list.to_vec()?.into_iter().map(|entry| entry.path).collect())
    };
    assert_eq!(paths(files.list("/").recursive())?, ["/ab", "/z", "/z/apple"]);
    assert_eq!(kind(files.rename("/z", "/ab")), Some(ErrorKind::AlreadyExists));
    assert_eq!(kind(files.rename_over("/z", "/ab")), Some(ErrorKind::TypeMismatch));
    assert_eq!(kind(files.rename_over("/ab", "/z")), Some(ErrorKind::TypeMismatch));
    assert_eq!(kind(files.rename("/z", "/z")), None);
    assert_eq!(kind(files.rename("/", "/x")), Some(ErrorKind::InvalidQuery));
    assert_eq!(kind(files.rename("/nothing", "/x")), Some(ErrorKind::NotFound));
    files.create_dir("/empty")?;
    assert_eq!(kind(files.rename_over("/empty", "/z")), Some(ErrorKind::AlreadyExists));
    files.rename_over("/z", "/empty")?;
    files.copy("/empty", "/copy")?;
    files.write("/copy/apple", "green")?;
    assert_eq!(files.read("/empty/apple")?, b"red");
    assert_eq!(kind(files.copy("/copy", "/copy/inside")), Some(ErrorKind::InvalidQuery));
    assert_eq!(kind(files.delete("/copy")), Some(ErrorKind::AlreadyExists));
    assert_eq!(files.delete_all("/copy")?, 2);
    assert_eq!(kind(files.delete_all("/")), Some(ErrorKind::InvalidQuery));
    assert_eq!(paths(files.list("/").recursive())?, ["/ab", "/empty", "/empty/apple"]);
    sound(&files)
}

#[test]
fn odd_names_are_kept_and_told_apart() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    let names = [
        "'\"; drop table x",
        "line\nbreak",
        "\u{1F980}",
        "\u{e9}",
        "e\u{301}",
        " ",
        "A",
        "a",
        "%",
        "*",
        "...",
    ];
    for name in names {
        files.write(&format!("/odd/{name}"), name)?;
    }
    for name in names {
        assert_eq!(files.read(&format!("/odd/{name}"))?, name.as_bytes());
    }
    assert_eq!(files.list("/odd").count()?, names.len() as u64);
    for path in ["", "//", "/a/", "/a/../b", "/.", "/a\0"] {
        assert_eq!(kind(files.write(path, "x")), Some(ErrorKind::InvalidQuery), "{path:?}");
    }
    assert_eq!(kind(files.write("/odd/A/below", "x")), Some(ErrorKind::TypeMismatch));
    assert_eq!(
        files.write("/odd/A/below", "x").unwrap_err().to_string(),
        "`/odd/A` is a file, not a directory"
    );
    assert_eq!(kind(files.read("/odd")), Some(ErrorKind::TypeMismatch));
    assert_eq!(kind(files.write("/odd", "x")), Some(ErrorKind::TypeMismatch));
    assert_eq!(kind(files.write("/", "x")), Some(ErrorKind::TypeMismatch));
    assert_eq!(kind(files.create_dir("/odd/A")), Some(ErrorKind::TypeMismatch));
    sound(&files)
}

#[test]
fn pages_of_a_directory_join_without_gap_or_repetition_in_every_order() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    db.transaction(|tx| {
        for i in 0..250_usize {
            tx.files().write(&format!("/d/{}/{i}", i % 3), vec![1; i * 7 % 13])?;
        }
        Ok(())
    })?;
    for order in [FileOrder::Path, FileOrder::Length, FileOrder::Created, FileOrder::Modified] {
        for descending in [false, true] {
            let mut list = files.list("/d").recursive().order_by(order);
            if descending {
                list = list.descending();
            }
            let whole = list.to_vec()?;
            assert_eq!(whole.len(), 253);
            let mut joined = list.clone().limit(17).to_vec()?;
            while joined.len() < whole.len() {
                let last = joined[joined.len() - 1].clone();
                let page = list.clone().after(&last).limit(17).to_vec()?;
                assert!(!page.is_empty());
                joined.extend(page);
            }
            assert_eq!(joined, whole, "{order:?} {descending}");
        }
    }
    assert_eq!(files.list("/d").recursive().glob("1/?").to_vec()?.len(), 3);
    assert_eq!(kind(files.list("/d").glob("[").to_vec()), Some(ErrorKind::InvalidQuery));
    Ok(())
}

#[test]
fn handles_are_streams() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    let mut file = files.create("/a/log")?;
    for i in 0..50_000 {
        writeln!(file, "line {i}")?;
    }
    file.flush()?;
    let lines = files.open("/a/log")?.lines().collect::<io::Result<Vec<_>>>()?;
    assert_eq!((lines.len(), lines[49_999].as_str()), (50_000, "line 49999"));
    file.seek(SeekFrom::Start(5))?;
    file.write_all(b"X")?;
    assert_eq!(file.length()?, files.stat("/a/log")?.length);
    file.seek(SeekFrom::End(-6))?;
    let mut end = String::new();
    file.read_to_string(&mut end)?;
    assert_eq!(end, "49999\n");
    let mut first = [0; 7];
    files.open("/a/log")?.read_exact(&mut first)?;
    assert_eq!(&first, b"line X\n");
    drop(file);
    let mut dropped = files.edit("/a/log")?;
    dropped.write_all(b"LINE")?;
    drop(dropped);
    assert!(files.read("/a/log")?.starts_with(b"LINE X\n"));
    Ok(())
}

#[test]
fn several_threads_write_and_read_at_positions_of_their_own() -> TestResult {
    fn is_shared<T: Send + Sync>(_: &T) {}
    let db = Database::open_in_memory()?;
    let file = db.files().create("/a")?;
    is_shared(&file);
    is_shared(&db.files().open("/a")?);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8_u8)
            .map(|worker| {
                let file = &file;
                scope.spawn(move || -> vellum::Result<()> {
                    for i in 0..20 {
                        file.write_at((i * 8 + u64::from(worker)) * 1_000, [worker + 1; 1_000])?;
                        let mut out = [0; 1_000];
                        file.read_at((i * 8 + u64::from(worker)) * 1_000, &mut out)?;
                        assert!(out == [worker + 1; 1_000]);
                    }
                    Ok(())
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no panic"))
    })?;
    let bytes = db.files().read("/a")?;
    assert_eq!(bytes.len(), 160_000);
    assert!(
        bytes.chunks(1_000).enumerate().all(|(i, block)| block.iter().all(|byte| *byte == (i % 8) as u8 + 1))
    );
    Ok(())
}

#[test]
fn copied_ranges_may_overlap_and_keep_their_holes() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    let bytes = pattern(3_000_000);
    for (from, to) in [(0, 5), (5, 0), (0, 1_500_000), (1_500_000, 0), (100, 2_999_000)] {
        files.write("/a", &bytes)?;
        let mut expected = bytes.clone();
        let moved = bytes[from..(from + 2_000_000).min(bytes.len())].to_vec();
        if expected.len() < to + moved.len() {
            expected.resize(to + moved.len(), 0);
        }
        expected[to..to + moved.len()].copy_from_slice(&moved);
        assert_eq!(files.copy_range(("/a", from as u64), ("/a", to as u64), 2_000_000)?, moved.len() as u64);
        assert!(files.read("/a")? == expected, "{from} {to}");
    }
    files.set_len("/sparse", 0).unwrap_err();
    files.write_at("/sparse", 10_000_000, "end")?;
    files.copy_range(("/sparse", 0), ("/copy", 0), u64::MAX)?;
    assert_eq!(files.stat("/copy")?.length, 10_000_003);
    assert!(files.stat("/copy")?.allocated < 2 * CHUNK);
    assert_eq!(files.copy_range(("/sparse", u64::MAX), ("/copy", 0), 5)?, 0);
    sound(&files)
}

#[test]
fn entries_say_what_they_are() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    let before = std::time::SystemTime::now();
    files.write("/d/f", "bytes")?;
    let (dir, file) = (files.stat("/d")?, files.stat("/d/f")?);
    assert_eq!((dir.kind, dir.length, file.kind, file.length), (FileKind::Directory, 0, FileKind::File, 5));
    assert!(file.created >= before && file.modified >= file.created);
    files.append("/d/f", "more")?;
    assert_eq!(files.stat("/d/f")?.created, file.created);
    assert!(files.stat("/d/f")?.modified > file.modified);
    assert_eq!(kind(files.stat("/nowhere")), Some(ErrorKind::NotFound));
    assert!(!files.exists("/d/f/below")?);
    Ok(())
}

#[test]
fn freed_space_is_used_again() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    let size = || std::fs::metadata(db.path()).map(|file| file.len());
    files.write("/a", pattern(4_000_000))?;
    let mut sizes = Vec::new();
    for _ in 0..10 {
        files.delete("/a")?;
        files.write("/a", pattern(4_000_000))?;
        sizes.push(size()?);
    }
    assert!(sizes[9] <= sizes[0].max(5_000_000), "{sizes:?}");
    sound(&files)
}

#[test]
fn damage_is_found() -> TestResult {
    let db = Database::open_in_memory()?;
    db.files().write("/a", pattern(20_000))?;
    db.files().write("/b", pattern(20_000))?;
    support::stranger(&db)?.execute_batch(
        "UPDATE vellum_entry SET length = 100 WHERE name = 'a';
         UPDATE vellum_entry SET parent = 77 WHERE name = 'b';
         INSERT INTO vellum_chunk VALUES (99 << 31, x'00');",
    )?;
    let found: Vec<String> = db.files().check()?.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "entry 3: it hangs below no directory",
            "content 99: it belongs to no file",
            "/a: bytes are stored past its end"
        ]
    );
    Ok(())
}

#[test]
fn a_byte_that_was_flipped_on_the_disk_is_found_in_what_was_sealed() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    let bytes = pattern(3_000_000);
    for path in ["/sealed", "/changed", "/open"] {
        files.write(path, &bytes)?;
    }
    let seal = files.seal("/sealed")?;
    files.seal("/changed")?;
    files.copy("/sealed", "/copy")?;
    files.write_at("/changed", 5, [0])?;
    files.rename("/sealed", "/moved/sealed")?;
    sound(&files)?;
    assert!(files.read("/moved/sealed")? == bytes && files.read("/copy")? == bytes);
    let flip = |path: &str| -> TestResult {
        let name = path.rsplit('/').next().unwrap_or_default();
        support::stranger(&db)?.execute(
            "UPDATE vellum_chunk SET data = CAST(x'FF' || substr(data, 2) AS BLOB)
             WHERE k = (SELECT (content << 31) + 300 FROM vellum_entry WHERE name = ?1)",
            [name],
        )?;
        Ok(())
    };
    for path in ["/moved/sealed", "/copy", "/changed", "/open"] {
        flip(path)?;
    }
    for path in ["/moved/sealed", "/copy"] {
        assert_eq!(kind(files.read(path)), Some(ErrorKind::Corrupt));
        assert_eq!(kind(files.seal(path)), Some(ErrorKind::Corrupt));
    }
    assert_eq!(files.read("/changed")?.len(), bytes.len());
    let found: Vec<String> = files.check()?.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "/moved/sealed: its bytes are not those that were sealed",
            "/copy: its bytes are not those that were sealed"
        ]
    );
    files.write("/copy", &bytes)?;
    assert_eq!(files.seal("/copy")?, seal);
    Ok(())
}

/// Gives its bytes once somebody else has made the file.
struct Late<'f>(Files<'f>, &'f [u8]);

impl Read for Late<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if !self.0.exists("/a")? {
            self.0.write("/a", "first")?;
        }
        self.1.read(out)
    }
}

#[test]
fn a_file_that_was_made_while_a_source_was_read_is_not_replaced() -> TestResult {
    let db = Database::open_in_memory()?;
    let files = db.files();
    for len in [4, 5_000_000] {
        let bytes = pattern(len);
        let late = files.create_from("/a", Late(db.files(), &bytes));
        assert_eq!(kind(late), Some(ErrorKind::AlreadyExists));
        assert_eq!(files.read("/a")?, b"first");
        files.delete("/a")?;
        assert_eq!(files.create_from("/a", &bytes[..])?, len as u64);
        assert!(files.read("/a")? == bytes);
        files.delete("/a")?;
    }
    sound(&files)
}
