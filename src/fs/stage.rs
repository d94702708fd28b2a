//! Bytes on their way: a new content that is written beside the old one and swapped in by one row.
//!
//! A source may be slow, so each part is a transaction of its own and the writer is free between them. What is staged
//! belongs to a process; when that is gone, the next one that looks frees it.

use std::cell::LazyCell;
use std::fs;
use std::path::Path;

use super::content::{self, Content};
use super::edit::{self, Editor};
use super::entry::Entry;
use super::error::FsError;
use crate::store::{Bind, Cell, Conn};

/// How long what is staged is left alone when nobody can tell whether its owner lives.
const PATIENCE_NS: i64 = 24 * 3_600 * 1_000_000_000;

/// A content that no file has yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Staged {
    number: i64,
    /// How many bytes were written, holes too.
    pub(crate) len: u64,
    /// How many of them are stored.
    allocated: u64,
}

impl Editor<'_> {
    /// Begins a content that is to replace another.
    pub(crate) fn stage(&self) -> Result<Staged, FsError> {
        const SQL: &str = "INSERT INTO vellum_staged(content, owner, since) VALUES (?1, ?2, ?3)";
        let number = content::new_number(self.txn)?;
        let owner = Owner::this().to_string();
        self.txn.execute(SQL, &[Bind::Int(number), Bind::Text(&owner), Bind::Int(self.now)])?;
        Ok(Staged { number, len: 0, allocated: 0 })
    }

    /// Writes the next bytes.
    pub(crate) fn append_staged(&self, staged: &mut Staged, path: &str, bytes: &[u8]) -> Result<(), FsError> {
        let end = self.layout.end(path, staged.len, bytes.len() as u64)?;
        if !self.is_staged(*staged)? {
            return Err(FsError::Changed { path: path.into() });
        }
        let mut content = Content::of(self.txn, self.layout, staged.number, staged.allocated)?;
        content.write_at(staged.len, staged.len, bytes)?;
        (staged.len, staged.allocated) = (end, content.allocated());
        Ok(())
    }

    /// Makes what is staged as long as that; what is added reads as zeros and takes no space.
    pub(crate) fn extend_staged(&self, staged: &mut Staged, path: &str, len: u64) -> Result<(), FsError> {
        staged.len = self.layout.end(path, len, 0)?.max(staged.len);
        Ok(())
    }

    /// Makes what was staged the content of a file, and frees the one that it had.
    pub(crate) fn swap(&self, entry: &mut Entry, path: &str, staged: Staged) -> Result<(), FsError> {
        if !self.is_staged(staged)? {
            return Err(FsError::Changed { path: path.into() });
        }
        if let Some(old) = entry.content.replace(staged.number) {
            content::free(self.txn, old)?;
        }
        (entry.len, entry.allocated) = (staged.len, staged.allocated);
        self.unstage(staged.number)?;
        self.changed(entry)
    }

    /// Frees what was staged, unless a file has it: a swap whose outcome is unknown was perhaps done.
    pub(crate) fn discard(&self, staged: Staged) -> Result<(), FsError> {
        if self.is_staged(staged)? {
            content::free(self.txn, staged.number)?;
            self.unstage(staged.number)?;
        }
        Ok(())
    }

    /// Frees what was staged by processes that are gone.
    pub(crate) fn discard_abandoned(&self) -> Result<(), FsError> {
        for number in abandoned(self.txn)? {
            content::free(self.txn, number)?;
            self.unstage(number)?;
        }
        Ok(())
    }

    fn is_staged(&self, staged: Staged) -> Result<bool, FsError> {
        const SQL: &str = "SELECT 1 FROM vellum_staged WHERE content = ?1";
        Ok(self.txn.first(SQL, &[Bind::Int(staged.number)], |_| Ok(()))?.is_some())
    }

    fn unstage(&self, number: i64) -> Result<(), FsError> {
        self.txn.execute("DELETE FROM vellum_staged WHERE content = ?1", &[Bind::Int(number)])?;
        Ok(())
    }
}

/// Returns the contents that were staged by processes that are gone.
fn abandoned(conn: &Conn) -> Result<Vec<i64>, FsError> {
    let mut stmt = conn.prepare("SELECT content, owner, since FROM vellum_staged")?;
    let mut numbers = Vec::new();
    // What the system says of this process is asked for only where something is staged.
    let here = LazyCell::new(Owner::this);
    while let Some(row) = stmt.step()? {
        // A row without an owner or a time is nobody's.
        let is_gone = match (row.cell(1)?, row.cell(2)?) {
            (Cell::Text(owner), Cell::Int(since)) => match here.knows(owner) {
                Some(lives) => !lives,
                None => edit::now().saturating_sub(since) > PATIENCE_NS,
            },
            _ => true,
        };
        if is_gone {
            numbers.push(row.int(0)?);
        }
    }
    Ok(numbers)
}

/// A process, so that another one can tell whether it still runs: the boot and the namespace in which its number
/// counts, the number, and when it started, since numbers are given again. `boot/namespace/pid/start`; where the
/// system does not say, a part is empty.
#[derive(Debug, PartialEq, Eq)]
struct Owner {
    boot: String,
    namespace: String,
    pid: u32,
    start: String,
}

impl Owner {
    fn this() -> Self {
        let pid = std::process::id();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        Owner {
            boot: boot.trim().to_owned(),
            namespace: namespace.display().to_string(),
            pid,
            start: start_of(pid).unwrap_or_default(),
        }
    }

    /// Returns whether a process runs, where this one can tell.
    fn knows(&self, owner: &str) -> Option<bool> {
        let mut parts = owner.split('/');
        let (boot, namespace) = (parts.next()?, parts.next()?);
        let (pid, start) = (parts.next()?.parse::<u32>().ok()?, parts.next()?);
        if boot.is_empty() || self.boot.is_empty() {
            return (pid == self.pid).then_some(true);
        }
        if boot != self.boot {
            return Some(false);
        }
        if namespace != self.namespace || start.is_empty() {
            return None;
        }
        Some(start_of(pid).is_some_and(|found| found == start))
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}/{}", self.boot, self.namespace, self.pid, self.start)
    }
}

/// Returns when a process of this namespace started, if it still runs, in ticks since the boot: field 22 of proc(5)'s
/// `stat`, counted behind the name, which may hold anything.
fn start_of(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    let (_, behind_name) = stat.rsplit_once(')')?;
    let mut fields = behind_name.split_whitespace();
    // A process that has ended is listed until its parent asks for it, which some parents never do.
    let has_ended = matches!(fields.next()?, "Z" | "X");
    if has_ended { None } else { fields.nth(18).map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_one_of_another_boot_does_not() {
        let here = Owner::this();
        assert_eq!(here.knows(&here.to_string()), Some(true));
        if !here.boot.is_empty() {
            let before = Owner { boot: "before".into(), ..Owner::this() };
            assert_eq!(here.knows(&before.to_string()), Some(false));
            let recycled = Owner { start: "1".into(), ..Owner::this() };
            assert_eq!(here.knows(&recycled.to_string()), Some(false));
            let elsewhere = Owner { namespace: "pid:[1]".into(), ..Owner::this() };
            assert_eq!(here.knows(&elsewhere.to_string()), None);
        }
        assert_eq!(here.knows("nonsense"), None);
    }

    #[test]
    fn a_process_that_ended_is_gone_before_its_parent_asks_for_it() -> std::io::Result<()> {
        let here = Owner::this();
        if here.start.is_empty() {
            return Ok(());
        }
        let mut child = std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn()?;
        let start = start_of(child.id()).unwrap_or_default();
        let owner = Owner { pid: child.id(), start, ..Owner::this() }.to_string();
        assert_eq!(here.knows(&owner), Some(true));
        child.kill()?;
        while here.knows(&owner) == Some(true) {
            std::thread::yield_now();
        }
        child.wait()?;
        assert_eq!(here.knows(&owner), Some(false));
        Ok(())
    }
}
