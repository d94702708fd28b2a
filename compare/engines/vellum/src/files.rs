//! Workload FS on Vellum: `ordinary` names a path in each call, `compiled` keeps handles where one can be kept.

use std::path::PathBuf;
use std::thread;

use serde_json::json;
use vellum::{Database, Durability, Files};
use vellum_compare_protocol::fs::{
    BIG, BIG_LEN, MANY_FILES, Many, Opening, Operation, PUT_LEN, SEEN_OF_GAP, SMALL_FILES, SMALL_LEN,
    Transfer, content, digest, small,
};
use vellum_compare_protocol::{Clock, Failure, Open, Opened, Ran, Result, Run, Times, Workload};

use crate::settings;

type Found<T> = vellum::Result<T>;
/// Reads from the file at a position of the list.
type ReadAt<'a> = &'a dyn Fn(usize, u64, &mut [u8]) -> Found<usize>;

/// Opens a database with the files of the workload.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let durability = settings::durability(&open.durability);
    let path = open.dir.join("files.db");
    let db = settings::database(&path, durability)?;
    db.transaction(|tx| {
        let files = tx.files();
        for file in 0..SMALL_FILES {
            files.write(&small(file), content(file as u64, SMALL_LEN))?;
        }
        files.write("/big", content(BIG, BIG_LEN))?;
        for number in 0..MANY_FILES {
            files.write(&format!("/many/{number:04}"), [])?;
        }
        files.create_dir("/put")
    })?;
    Ok((settings::opened(durability), Box::new(Stored { files: db.files(), db, path, durability })))
}

struct Stored {
    files: Files<'static>,
    db: Database,
    path: PathBuf,
    durability: Durability,
}

impl Workload for Stored {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let (times, files) = (Times::new(run.repeat), &self.files);
        match run.operation()? {
            Operation::FS1 { reads, len, case } => self.read(times, &reads, len, case),
            Operation::FS2 { seed, offset, len } => {
                let bytes = content(seed, len);
                let timed = if run.is_ordinary() {
                    times.of(|| files.write_at("/big", offset, &bytes))?
                } else {
                    let big = files.edit("/big")?;
                    times.of(|| big.write_at(offset, &bytes))?
                };
                let written = files.read("/big")?;
                timed.answer(|()| json!(digest(&written)))
            }
            Operation::FS3 { offset } => {
                self.fresh(run.repeat, "/sparse", &[], |path| files.write_at(path, offset, [0x5A]))
            }
            Operation::FS4 { len, .. } => {
                self.fresh(run.repeat, "/resized", &content(BIG, BIG_LEN), |path| files.set_len(path, len))
            }
            Operation::FS5 { case: Transfer::Up } => self.upload(run.repeat),
            Operation::FS5 { case: Transfer::Down } => {
                times.of(|| files.read("/big"))?.answer(|bytes| json!(digest(&bytes)))
            }
            Operation::FS6 { case, callers, each } => self.many(run.repeat, case, callers, each),
            Operation::FS7 { offset, len } => self.page(times, offset, len),
        }
    }

    fn reopen(&mut self) -> Result<()> {
        self.db = settings::database(&self.path, self.durability)?;
        self.files = self.db.files();
        match self.files.check()?.first() {
            Some(problem) => Err(Failure::Error(format!("{problem:?}"))),
            None => Ok(()),
        }
    }
}

impl Stored {
    fn read(&self, times: Times, reads: &[(usize, u64)], len: usize, opening: Opening) -> Result<Ran> {
        let paths: Vec<String> = reads.iter().map(|read| small(read.0)).collect();
        let each = |read_at: ReadAt<'_>| -> Found<Vec<u8>> {
            let mut bytes = vec![0; reads.len() * len];
            for (at, (out, read)) in bytes.chunks_exact_mut(len).zip(reads).enumerate() {
                read_at(at, read.1, out)?;
            }
            Ok(bytes)
        };
        let by_path = |files: &Files<'_>, at: usize, offset: u64, out: &mut [u8]| {
            files.read_at(paths.get(at).map(String::as_str).unwrap_or_default(), offset, out)
        };
        let timed = match opening {
            Opening::Path => times.of(|| each(&|at, offset, out| by_path(&self.files, at, offset, out)))?,
            Opening::Snapshot => times.of(|| {
                let snapshot = self.db.snapshot()?;
                let files = snapshot.files();
                each(&|at, offset, out| by_path(&files, at, offset, out))
            })?,
            Opening::Handle => {
                let handles = paths.iter().map(|path| self.files.open(path)).collect::<Found<Vec<_>>>()?;
                times.of(|| {
                    each(&|at, offset, out| {
                        handles.get(at).map_or(Ok(0), |handle| handle.read_at(offset, out))
                    })
                })?
            }
        };
        timed.answer(|bytes| json!(digest(&bytes)))
    }

    /// Does `work` on a file that holds `before`, made anew each time; the answer is its length and its digest.
    fn fresh(
        &self,
        repeat: usize,
        path: &str,
        before: &[u8],
        work: impl Fn(&str) -> Found<()>,
    ) -> Result<Ran> {
        let mut clock = Clock::new();
        for _ in 0..repeat {
            self.files.write(path, before)?;
            clock.time(|| work(path))?;
        }
        let length = self.files.stat(path)?.length;
        // Of the sparse file the end is looked at.
        let seen = if before.is_empty() { SEEN_OF_GAP } else { length };
        let mut bytes = vec![0xFF; seen as usize];
        self.files.read_at(path, length - seen, &mut bytes)?;
        Ok(clock.ran(json!({ "length": length, "digest": digest(&bytes) })))
    }

    fn upload(&self, repeat: usize) -> Result<Ran> {
        let (bytes, mut clock) = (content(BIG, BIG_LEN), Clock::new());
        for _ in 0..repeat {
            self.files.delete("/up")?;
            clock.time(|| self.files.write("/up", &bytes))?;
        }
        Ok(clock.ran(json!(digest(&self.files.read("/up")?))))
    }

    fn many(&self, repeat: usize, many: Many, callers: usize, each: usize) -> Result<Ran> {
        let files = &self.files;
        let contents: Vec<(String, Vec<u8>)> = (0..callers * each)
            .map(|number| (format!("/put/{number}"), content(number as u64, PUT_LEN)))
            .collect();
        let mut clock = Clock::new();
        for _ in 0..repeat {
            files.delete_all("/put")?;
            files.create_dir("/put")?;
            if many == Many::Get {
                self.db.transaction(|tx| {
                    let files = tx.files();
                    contents.iter().try_for_each(|(path, bytes)| files.write(path, bytes))
                })?;
            }
            clock.time(|| {
                at_once(&contents, each, |(path, bytes)| match many {
                    Many::Put => files.write(path, bytes).map_err(Failure::from),
                    Many::Get if files.read(path)? == *bytes => Ok(()),
                    Many::Get => Err(Failure::Error("other bytes".to_owned())),
                })
            })?;
        }
        let kept =
            contents.iter().filter(|(path, bytes)| files.read(path).is_ok_and(|found| found == *bytes));
        Ok(clock.ran(json!(kept.count())))
    }

    /// A page begins behind an entry: the last one of the page before, which is found before the time.
    fn page(&self, times: Times, offset: usize, len: usize) -> Result<Ran> {
        let before = match offset.checked_sub(1) {
            Some(last) => self.files.list("/many").glob(&format!("{last:04}")).to_vec()?.pop(),
            None => None,
        };
        let page = || {
            let all = self.files.list("/many").limit(len as u64);
            before.as_ref().map_or_else(|| all.clone(), |entry| all.clone().after(entry)).to_vec()
        };
        times.of(page)?.answer(|page| page.iter().map(|entry| json!(entry.name())).collect())
    }
}

/// Does `work` for all of `items`, those of each caller on a thread of its own.
fn at_once<T: Sync>(items: &[T], each: usize, work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> =
            items.chunks(each.max(1)).map(|own| scope.spawn(move || own.iter().try_for_each(work))).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().map_err(|_panic| Failure::Error("a caller panicked".to_owned()))?
        })
    })
}
