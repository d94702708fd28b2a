//! Workload FS on plain files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::json;
use vellum_compare_protocol::fs::{
    BIG, BIG_LEN, MANY_FILES, Many, Opening, Operation, PUT_LEN, SEEN_OF_GAP, SMALL_FILES, SMALL_LEN,
    Transfer, content, digest, small,
};
use vellum_compare_protocol::{Clock, Failure, Open, Opened, Ran, Result, Run, Times, Workload};

/// Makes the files of the workload.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let files = Files { root: open.dir.clone(), is_synced: open.durability == "full" };
    for folder in ["small", "put", "many"] {
        fs::create_dir(files.root.join(folder))?;
    }
    for file in 0..SMALL_FILES {
        fs::write(files.at(&small(file)), content(file as u64, SMALL_LEN))?;
    }
    fs::write(files.at("/big"), content(BIG, BIG_LEN))?;
    for number in 0..MANY_FILES {
        File::create(files.at(&format!("/many/{number:04}")))?;
    }
    let settings = json!({ "sync": if files.is_synced { "fdatasync after each change" } else { "never" } });
    let settings = settings.as_object().cloned().unwrap_or_default();
    Ok((Opened { settings, notes: Vec::new() }, Box::new(files)))
}

struct Files {
    root: PathBuf,
    is_synced: bool,
}

impl Workload for Files {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        match run.operation()? {
            Operation::FS1 { reads, len, case } => self.read(Times::new(run.repeat), &reads, len, case),
            Operation::FS2 { seed, offset, len } => {
                let (path, bytes) = (self.at("/big"), content(seed, len));
                let write = || -> io::Result<()> {
                    let file = OpenOptions::new().write(true).open(&path)?;
                    file.write_all_at(&bytes, offset)?;
                    self.sync(&file)
                };
                let timed = Times::new(run.repeat).of(write)?;
                let written = fs::read(&path)?;
                timed.answer(|()| json!(digest(&written)))
            }
            Operation::FS3 { offset } => self.fresh(run.repeat, "/sparse", &[], |path| {
                let file = File::create(path)?;
                file.write_all_at(&[0x5A], offset)?;
                self.sync(&file)
            }),
            Operation::FS4 { len, .. } => {
                self.fresh(run.repeat, "/resized", &content(BIG, BIG_LEN), |path| {
                    let file = OpenOptions::new().write(true).open(path)?;
                    file.set_len(len)?;
                    self.sync(&file)
                })
            }
            Operation::FS5 { case: Transfer::Up } => self.upload(run.repeat),
            Operation::FS5 { case: Transfer::Down } => {
                let path = self.at("/big");
                Times::new(run.repeat).of(|| fs::read(&path))?.answer(|bytes| json!(digest(&bytes)))
            }
            Operation::FS6 { case, callers, each } => self.many(run.repeat, case, callers, each),
            Operation::FS7 { offset, len } => {
                let path = self.at("/many");
                Times::new(run.repeat).of(|| page(&path, offset, len))?.answer(|names| json!(names))
            }
        }
    }

    fn reopen(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Files {
    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        if self.is_synced { file.sync_data() } else { Ok(()) }
    }

    fn put(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        self.sync(&file)
    }

    fn read(&self, times: Times, reads: &[(usize, u64)], len: usize, opening: Opening) -> Result<Ran> {
        let open = |file: usize| File::open(self.at(&small(file)));
        let handles: Vec<File> = match opening {
            Opening::Handle => reads.iter().map(|read| open(read.0)).collect::<io::Result<_>>()?,
            Opening::Path => Vec::new(),
            Opening::Snapshot => return Err(Failure::unsupported("plain files have no snapshots")),
        };
        let read = || -> io::Result<Vec<u8>> {
            let mut bytes = vec![0; reads.len() * len];
            for (at, (out, &(file, offset))) in bytes.chunks_exact_mut(len).zip(reads).enumerate() {
                match handles.get(at) {
                    Some(handle) => handle.read_exact_at(out, offset)?,
                    None => open(file)?.read_exact_at(out, offset)?,
                }
            }
            Ok(bytes)
        };
        times.of(read)?.answer(|bytes| json!(digest(&bytes)))
    }

    /// Does `work` on a file that holds `before`, made anew each time; the answer is its length and its digest.
    fn fresh(
        &self,
        repeat: usize,
        path: &str,
        before: &[u8],
        work: impl Fn(&Path) -> io::Result<()>,
    ) -> Result<Ran> {
        let (path, mut clock) = (self.at(path), Clock::new());
        for _ in 0..repeat {
            fs::write(&path, before)?;
            clock.time(|| work(&path))?;
        }
        let file = File::open(&path)?;
        let length = file.metadata()?.len();
        // Of the sparse file the end is looked at.
        let seen = if before.is_empty() { SEEN_OF_GAP } else { length };
        let mut bytes = vec![0; seen as usize];
        file.read_exact_at(&mut bytes, length - seen)?;
        Ok(clock.ran(json!({ "length": length, "digest": digest(&bytes) })))
    }

    fn upload(&self, repeat: usize) -> Result<Ran> {
        let (path, bytes, mut clock) = (self.at("/up"), content(BIG, BIG_LEN), Clock::new());
        for _ in 0..repeat {
            if path.exists() {
                fs::remove_file(&path)?;
            }
            clock.time(|| self.put(&path, &bytes))?;
        }
        Ok(clock.ran(json!(digest(&fs::read(&path)?))))
    }

    fn many(&self, repeat: usize, many: Many, callers: usize, each: usize) -> Result<Ran> {
        let folder = self.at("/put");
        let contents: Vec<(PathBuf, Vec<u8>)> = (0..callers * each)
            .map(|number| (folder.join(number.to_string()), content(number as u64, PUT_LEN)))
            .collect();
        let mut clock = Clock::new();
        for _ in 0..repeat {
            fs::remove_dir_all(&folder)?;
            fs::create_dir(&folder)?;
            if many == Many::Get {
                contents.iter().try_for_each(|(path, bytes)| fs::write(path, bytes))?;
            }
            clock.time(|| {
                at_once(&contents, each, |(path, bytes)| match many {
                    Many::Put => self.put(path, bytes),
                    Many::Get if fs::read(path)? == *bytes => Ok(()),
                    Many::Get => Err(io::Error::other("other bytes")),
                })
            })?;
        }
        let kept = contents.iter().filter(|(path, bytes)| fs::read(path).is_ok_and(|found| found == *bytes));
        Ok(clock.ran(json!(kept.count())))
    }
}

/// Does `work` for all of `items`, those of each caller on a thread of its own.
fn at_once<T: Sync>(items: &[T], each: usize, work: impl Fn(&T) -> io::Result<()> + Sync) -> io::Result<()> {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> =
            items.chunks(each.max(1)).map(|own| scope.spawn(move || own.iter().try_for_each(work))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_panic| io::Error::other("a caller panicked"))?)
    })
}

fn page(path: &Path, offset: usize, len: usize) -> io::Result<Vec<String>> {
    let names = fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.collect::<io::Result<_>>()?;
    names.sort_unstable();
    Ok(names.into_iter().skip(offset).take(len).collect())
}
