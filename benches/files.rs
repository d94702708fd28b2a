//! The operations of workload FS on files inside a database (`vellum`), beside the same bytes as one value each, by hand
//! (`value`), and as plain files on the same file system (`plain`): what `vellum demo files` prints, as groups of
//! criterion. All of them sync. What an operation leaves is looked at before it is timed.
#![allow(clippy::expect_used, missing_docs, reason = "a benchmark stops at the first surprise")]

use std::cell::RefCell;
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, process};

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion};
use vellum::Database;
use vellum_fixtures::control::{Blobs, Durability};
use vellum_fixtures::events::SplitMix64;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const SMALL: usize = 200;
const SMALL_LEN: usize = 32 << 10;
const READ_LEN: usize = 1 << 10;
const LARGE: &str = "large";
const LARGE_LEN: usize = 6_553_600;
/// Where FS2 writes 4 KiB, and FS3 a byte behind a gap.
const INSIDE: u64 = 400 << 10;
const BEHIND_GAP: u64 = (100 << 20) + (100 << 10);
const GROWN_LEN: u64 = 100 << 20;
const CUT_LEN: u64 = 8 << 10;
const NAMES: usize = 10_000;
const PAGE_LEN: usize = 100;
const PAGE_BEHIND: &str = "name-04321";

/// The same files three times.
struct Volume {
    // Fields are dropped in this order: the databases close before their files go.
    db: Database,
    blobs: RefCell<Blobs>,
    plain: Plain,
    large: Vec<u8>,
}

/// Plain files in a directory that goes with them.
struct Plain(PathBuf);

impl Drop for Plain {
    fn drop(&mut self) {
        // Nobody can be told any more.
        fs::remove_dir_all(&self.0).ok();
    }
}

impl Plain {
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create(self.0.join(name))?;
        file.write_all(bytes)?;
        file.sync_data()
    }

    fn edit(&self, name: &str, f: impl FnOnce(&File) -> io::Result<()>) -> Outcome {
        let file = OpenOptions::new().write(true).open(self.0.join(name))?;
        f(&file)?;
        Ok(file.sync_data()?)
    }
}

impl Volume {
    fn new() -> Outcome<Self> {
        let shared = Path::new("/dev/shm");
        let root = if shared.is_dir() { shared.to_owned() } else { env::temp_dir() };
        let root = root.join(format!("vellum-bench-files-{}", process::id()));
        fs::create_dir_all(root.join("names"))?;
        let db = Database::open(root.join("vellum.db"))?;
        let blobs = RefCell::new(Blobs::open(&root.join("values.db"), Durability::Full)?);
        let volume = Self { db, blobs, plain: Plain(root), large: bytes(LARGE_LEN, 7) };
        volume.db.transaction(|tx| {
            for number in 0..SMALL {
                tx.files().write(&small(number), bytes(SMALL_LEN, number as u64))?;
            }
            (0..NAMES).try_for_each(|number| tx.files().write(&format!("names/name-{number:05}"), ""))
        })?;
        for number in 0..SMALL {
            let content = bytes(SMALL_LEN, number as u64);
            volume.plain.write(&small(number), &content)?;
            volume.blobs.borrow().put(&small(number), &content)?;
        }
        for number in 0..NAMES {
            File::create(volume.plain.0.join(format!("names/name-{number:05}")))?;
        }
        volume.restore()?;
        Ok(volume)
    }

    /// Makes the large file what it was, three times.
    fn restore(&self) -> Outcome {
        self.restore_vellum()?;
        self.restore_value()?;
        self.restore_plain()
    }

    fn restore_vellum(&self) -> Outcome {
        Ok(self.db.files().write(LARGE, &self.large)?)
    }

    fn restore_value(&self) -> Outcome {
        Ok(self.blobs.borrow().put(LARGE, &self.large)?)
    }

    fn restore_plain(&self) -> Outcome {
        Ok(self.plain.write(LARGE, &self.large)?)
    }

    /// Asserts that the large file is the same three times.
    fn assert_alike(&self, operation: &str) -> Outcome {
        let plain = fs::read(self.plain.0.join(LARGE))?;
        assert!(self.db.files().read(LARGE)? == plain, "{operation}: Vellum's file differs");
        assert!(self.blobs.borrow().get(LARGE)? == plain, "{operation}: the value differs");
        Ok(())
    }
}

fn small(number: usize) -> String {
    format!("small-{number:03}")
}

fn bytes(len: usize, seed: u64) -> Vec<u8> {
    let mut words = SplitMix64::new(seed);
    let mut bytes: Vec<u8> =
        std::iter::repeat_with(|| words.draw().to_le_bytes()).take(len / 8 + 1).flatten().collect();
    bytes.truncate(len);
    bytes
}

/// Times one side of an operation that leaves nothing to be made good.
fn side(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut run: impl FnMut() -> Outcome) {
    group.bench_function(name, |bencher| bencher.iter(|| run().expect("what ran before")));
}

/// Times one side of an operation before each of which `prepare` runs, which is not timed.
fn side_of(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    mut prepare: impl FnMut() -> Outcome,
    mut run: impl FnMut() -> Outcome,
) {
    group.bench_function(name, |bencher| {
        let prepare = || prepare().expect("what was made before");
        bencher.iter_batched(prepare, |()| run().expect("what ran before"), BatchSize::PerIteration);
    });
}

/// Which file each of 200 reads is of, and where it begins.
fn places() -> Vec<(usize, u64)> {
    let mut words = SplitMix64::new(1);
    let mut draw = |below: usize| words.draw() % below as u64;
    (0..SMALL).map(|_| (draw(SMALL) as usize, draw(SMALL_LEN - READ_LEN))).collect()
}

/// Reads all places and returns their bytes.
fn read_all(mut read: impl FnMut(usize, u64, &mut [u8]) -> Outcome) -> Outcome<Vec<u8>> {
    let mut all = vec![0; SMALL * READ_LEN];
    for ((file, offset), out) in places().into_iter().zip(all.chunks_mut(READ_LEN)) {
        read(file, offset, out)?;
    }
    Ok(all)
}

fn reads(criterion: &mut Criterion, volume: &Volume) -> Outcome {
    let names: Vec<String> = (0..SMALL).map(small).collect();
    let plain =
        names.iter().map(|name| File::open(volume.plain.0.join(name))).collect::<io::Result<Vec<_>>>()?;
    let files = volume.db.files();
    let held = volume.db.snapshot()?.files();
    let at_a_moment = names.iter().map(|name| held.open(name)).collect::<vellum::Result<Vec<_>>>()?;
    let open = names.iter().map(|name| files.open(name)).collect::<vellum::Result<Vec<_>>>()?;
    let in_snapshot = || {
        read_all(|file, offset, out| {
            Ok(at_a_moment.get(file).ok_or("a file")?.read_at(offset, out).map(drop)?)
        })
    };
    let by_handle = || {
        read_all(|file, offset, out| Ok(open.get(file).ok_or("a file")?.read_at(offset, out).map(drop)?))
    };
    let by_path = || {
        read_all(|file, offset, out| {
            Ok(files.read_at(names.get(file).ok_or("a name")?, offset, out).map(drop)?)
        })
    };
    let of_plain =
        || read_all(|file, offset, out| Ok(read_exact_at(plain.get(file).ok_or("a file")?, out, offset)?));
    let expected = of_plain()?;
    for (name, found) in
        [("FS1 snapshot", in_snapshot()?), ("FS1 handle", by_handle()?), ("FS1 path", by_path()?)]
    {
        assert!(found == expected, "{name}: other bytes");
    }
    let mut group = criterion.benchmark_group("FS1 200 reads of 1 KiB");
    side(&mut group, "vellum, snapshot", || in_snapshot().map(drop));
    side(&mut group, "vellum, handle", || by_handle().map(drop));
    side(&mut group, "vellum, path", || by_path().map(drop));
    side(&mut group, "plain", || of_plain().map(drop));
    Ok(())
}

fn edits(criterion: &mut Criterion, volume: &Volume) -> Outcome {
    let new = bytes(4 << 10, 99);
    let (handle, id) = (volume.db.files().edit(LARGE)?, volume.blobs.borrow().id(LARGE)?);
    let plain = OpenOptions::new().write(true).open(volume.plain.0.join(LARGE))?;
    let ours = || Ok(handle.write_at(INSIDE, &new)?);
    let value = || Ok(volume.blobs.borrow().write_at(id, INSIDE as usize, &new)?);
    let theirs = || {
        write_all_at(&plain, &new, INSIDE)?;
        Ok(plain.sync_data()?)
    };
    ours()?;
    value()?;
    theirs()?;
    volume.assert_alike("FS2")?;
    let mut group = criterion.benchmark_group("FS2 write 4 KiB inside 6.25 MiB");
    side(&mut group, "vellum", ours);
    side(&mut group, "value", value);
    side(&mut group, "plain", theirs);
    Ok(())
}

/// Changes of the large file's length: each begins with the file as it was.
fn lengths(criterion: &mut Criterion, volume: &Volume) -> Outcome {
    let cases: [(&str, u64, &[u8]); 3] = [
        ("FS3 write a byte behind a gap", BEHIND_GAP, &[7]),
        ("FS4 grow to 100 MiB", GROWN_LEN, &[]),
        ("FS4 cut to 8 KiB", CUT_LEN, &[]),
    ];
    for (name, len, end) in cases {
        let ours = || match end {
            [] => Ok(volume.db.files().set_len(LARGE, len)?),
            end => Ok(volume.db.files().write_at(LARGE, len, end)?),
        };
        let value = || Ok(volume.blobs.borrow_mut().resize(LARGE, len as usize + end.len(), end)?);
        let plain = || {
            volume.plain.edit(LARGE, |file| {
                file.set_len(len)?;
                write_all_at(file, end, len)
            })
        };
        volume.restore()?;
        ours()?;
        value()?;
        plain()?;
        volume.assert_alike(name)?;
        let mut group = criterion.benchmark_group(name);
        side_of(&mut group, "vellum", || volume.restore_vellum(), ours);
        side_of(&mut group, "value", || volume.restore_value(), value);
        side_of(&mut group, "plain", || volume.restore_plain(), plain);
    }
    Ok(())
}

fn whole(criterion: &mut Criterion, volume: &Volume) -> Outcome {
    volume.restore()?;
    volume.assert_alike("FS5")?;
    let mut group = criterion.benchmark_group("FS5 upload 6.25 MiB");
    let (files, blobs) = (volume.db.files(), &volume.blobs);
    let plain = volume.plain.0.join(LARGE);
    side_of(&mut group, "vellum", || Ok(files.delete(LARGE).map(drop)?), || volume.restore_vellum());
    side_of(&mut group, "value", || Ok(blobs.borrow().put(LARGE, &[])?), || volume.restore_value());
    side_of(&mut group, "plain", || Ok(fs::remove_file(&plain)?), || volume.restore_plain());
    drop(group);
    let mut group = criterion.benchmark_group("FS5 download 6.25 MiB");
    side(&mut group, "vellum", || Ok(files.read(LARGE).map(drop)?));
    side(&mut group, "value", || Ok(blobs.borrow().get(LARGE).map(drop)?));
    side(&mut group, "plain", || Ok(fs::read(&plain).map(drop)?));
    Ok(())
}

fn lists(criterion: &mut Criterion, volume: &Volume) -> Outcome {
    let files = volume.db.files();
    let behind = files.list("names").to_vec()?.into_iter().find(|entry| entry.name() == PAGE_BEHIND);
    let behind = behind.ok_or("the name that the page comes behind")?;
    let ours = || Ok(files.list("names").after(&behind).limit(PAGE_LEN as u64).to_vec()?);
    // A directory of the system has no order and no place to begin: it is read whole.
    let plain = || {
        let names = fs::read_dir(volume.plain.0.join("names"))?;
        let mut names = names.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
        names.sort_unstable();
        let page: Vec<_> = names.into_iter().filter(|name| *name > *PAGE_BEHIND).take(PAGE_LEN).collect();
        for name in &page {
            fs::metadata(volume.plain.0.join("names").join(name))?;
        }
        Ok(page)
    };
    let found: Outcome<Vec<_>> = ours();
    let expected: Outcome<Vec<_>> = plain();
    assert!(
        found?.iter().map(|entry| entry.name()).eq(expected?.iter().map(|name| name.to_string_lossy())),
        "FS7"
    );
    let mut group = criterion.benchmark_group("FS7 page of 100 of 10,000 names");
    side(&mut group, "vellum", || ours().map(drop));
    side(&mut group, "plain", || plain().map(drop));
    Ok(())
}

#[cfg(unix)]
fn read_exact_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(out, offset)
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}

#[cfg(not(unix))]
fn read_exact_at(mut file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(out)
}

#[cfg(not(unix))]
fn write_all_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    use std::io::{Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

fn main() -> Outcome {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let volume = Volume::new()?;
    reads(&mut criterion, &volume)?;
    edits(&mut criterion, &volume)?;
    lengths(&mut criterion, &volume)?;
    whole(&mut criterion, &volume)?;
    lists(&mut criterion, &volume)
}
