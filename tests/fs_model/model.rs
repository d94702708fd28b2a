//! The model: a map from paths to bytes, which does what the documentation of `Files` says in the plainest way.

use std::collections::BTreeMap;
use std::sync::Arc;

use vellum::ErrorKind;

use crate::draw::MAX_LEN;

/// What a call gives, or the kind of its error.
pub(crate) type Answer<T = ()> = Result<T, ErrorKind>;

/// The bytes of a file. `revision` moves when they change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Content {
    pub(crate) id: u64,
    pub(crate) revision: u64,
    pub(crate) bytes: Arc<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Directory,
    File(Content),
}

/// The tree without its root, by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) nodes: BTreeMap<String, Node>,
    next: u64,
}

/// Returns a path with its first `/`; that alone for the root.
pub(crate) fn parse(text: &str) -> Answer<String> {
    let inside = text.strip_prefix('/').unwrap_or(text);
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && name.len() <= 255 && !name.contains('\0');
    let is_path = text == "/" || (text.len() <= 4_096 && inside.split('/').all(is_name));
    if is_path { Ok(format!("/{inside}")) } else { Err(ErrorKind::InvalidQuery) }
}

fn parent(path: &str) -> String {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/".to_owned(),
        Some((parent, _)) => parent.to_owned(),
    }
}

fn inside_of(path: &str) -> String {
    if path == "/" { "/".to_owned() } else { format!("{path}/") }
}

/// Returns the end of a range, where a file can have one.
fn end(offset: u64, len: u64) -> Answer<u64> {
    offset.checked_add(len).filter(|end| *end <= MAX_LEN).ok_or(ErrorKind::TooLarge)
}

impl Content {
    fn change(&mut self) -> &mut Vec<u8> {
        self.revision += 1;
        Arc::make_mut(&mut self.bytes)
    }

    pub(crate) fn replace(&mut self, bytes: &[u8]) {
        bytes.clone_into(self.change());
    }

    pub(crate) fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Answer {
        let end = end(offset, bytes.len() as u64)? as usize;
        if !bytes.is_empty() {
            let all = self.change();
            all.resize(all.len().max(end), 0);
            all[offset as usize..end].copy_from_slice(bytes);
        }
        Ok(())
    }

    pub(crate) fn set_len(&mut self, len: u64) -> Answer {
        end(len, 0)?;
        if len != self.bytes.len() as u64 {
            self.change().resize(len as usize, 0);
        }
        Ok(())
    }

    pub(crate) fn punch_hole(&mut self, offset: u64, len: u64) {
        let end = offset.saturating_add(len).min(self.bytes.len() as u64);
        if offset < end {
            self.change()[offset as usize..end as usize].fill(0);
        }
    }

    /// Returns what there is of a range.
    pub(crate) fn range(&self, offset: u64, len: u64) -> &[u8] {
        let all = self.bytes.len() as u64;
        let begin = offset.min(all);
        &self.bytes[begin as usize..offset.saturating_add(len).min(all).max(begin) as usize]
    }
}

impl Model {
    /// Runs `f`, all or nothing.
    pub(crate) fn attempt<T>(&mut self, f: impl FnOnce(&mut Self) -> Answer<T>) -> Answer<T> {
        let mut next = self.clone();
        let answer = f(&mut next)?;
        *self = next;
        Ok(answer)
    }

    pub(crate) fn find(&self, path: &str) -> Answer<Option<&Node>> {
        for (at, _) in path.match_indices('/').skip(1) {
            match self.nodes.get(&path[..at]) {
                Some(Node::Directory) => {}
                Some(Node::File(_)) => return Err(ErrorKind::TypeMismatch),
                None => return Ok(None),
            }
        }
        Ok(if path == "/" { Some(&Node::Directory) } else { self.nodes.get(path) })
    }

    pub(crate) fn get(&self, path: &str) -> Answer<&Node> {
        self.find(path)?.ok_or(ErrorKind::NotFound)
    }

    pub(crate) fn file(&self, path: &str) -> Answer<&Content> {
        match self.get(path)? {
            Node::File(content) => Ok(content),
            Node::Directory => Err(ErrorKind::TypeMismatch),
        }
    }

    pub(crate) fn by_id(&mut self, id: u64) -> Answer<&mut Content> {
        let files = self.nodes.values_mut().filter_map(|node| match node {
            Node::File(content) => Some(content),
            Node::Directory => None,
        });
        files.into_iter().find(|content| content.id == id).ok_or(ErrorKind::Changed)
    }

    pub(crate) fn file_mut(&mut self, path: &str) -> Answer<&mut Content> {
        let id = self.file(path)?.id;
        self.by_id(id)
    }

    pub(crate) fn file_or_new(&mut self, path: &str) -> Answer<&mut Content> {
        if self.find(path)?.is_none() {
            self.create(path)?;
        }
        self.file_mut(path)
    }

    pub(crate) fn create(&mut self, path: &str) -> Answer {
        if path == "/" {
            return Err(ErrorKind::AlreadyExists);
        }
        self.create_dir(&parent(path))?;
        if self.nodes.contains_key(path) {
            return Err(ErrorKind::AlreadyExists);
        }
        self.next += 1;
        let content = Content { id: self.next, revision: 0, bytes: Arc::default() };
        self.nodes.insert(path.to_owned(), Node::File(content));
        Ok(())
    }

    pub(crate) fn create_dir(&mut self, path: &str) -> Answer {
        match self.find(path)? {
            Some(Node::Directory) => Ok(()),
            Some(Node::File(_)) => Err(ErrorKind::TypeMismatch),
            None => {
                self.create_dir(&parent(path))?;
                self.nodes.insert(path.to_owned(), Node::Directory);
                Ok(())
            }
        }
    }

    pub(crate) fn copy_range(&mut self, from: (&str, u64), to: (&str, u64), len: u64) -> Answer<u64> {
        let bytes = self.file(from.0)?.range(from.1, len).to_vec();
        self.file_or_new(to.0)?.write_at(to.1, &bytes)?;
        Ok(bytes.len() as u64)
    }

    pub(crate) fn delete(&mut self, path: &str) -> Answer<bool> {
        if path == "/" {
            return Err(ErrorKind::InvalidQuery);
        }
        match self.find(path)? {
            None => Ok(false),
            Some(_) if self.inside(path).next().is_some() => Err(ErrorKind::AlreadyExists),
            Some(_) => Ok(self.nodes.remove(path).is_some()),
        }
    }

    pub(crate) fn delete_all(&mut self, path: &str) -> Answer<u64> {
        if path == "/" {
            return Err(ErrorKind::InvalidQuery);
        }
        self.find(path)?;
        Ok(self.take(path).len() as u64)
    }

    /// Moves or copies; `over` says whether what is there may be replaced.
    pub(crate) fn transfer(&mut self, from: &str, to: &str, over: bool, is_copy: bool) -> Answer {
        if from == "/" {
            return Err(ErrorKind::InvalidQuery);
        }
        if to == "/" {
            return Err(ErrorKind::AlreadyExists);
        }
        let source = self.get(from)?.clone();
        self.create_dir(&parent(to))?;
        if source == Node::Directory && to.starts_with(&inside_of(from)) {
            return Err(ErrorKind::InvalidQuery);
        }
        if from == to {
            return if is_copy { Err(ErrorKind::AlreadyExists) } else { Ok(()) };
        }
        match (self.nodes.get(to), &source) {
            (None, _) => {}
            (Some(_), _) if !over => return Err(ErrorKind::AlreadyExists),
            (Some(Node::File(_)), Node::File(_)) => {}
            (Some(Node::Directory), Node::Directory) if self.inside(to).next().is_none() => {}
            (Some(Node::Directory), Node::Directory) => return Err(ErrorKind::AlreadyExists),
            _ => return Err(ErrorKind::TypeMismatch),
        }
        let tree = if is_copy { self.tree(from) } else { self.take(from) };
        for (path, mut node) in tree {
            if let (true, Node::File(content)) = (is_copy, &mut node) {
                self.next += 1;
                (content.id, content.revision) = (self.next, 0);
            }
            self.nodes.insert(format!("{to}{}", &path[from.len()..]), node);
        }
        Ok(())
    }

    /// Returns what is inside a directory, at any depth.
    pub(crate) fn inside(&self, path: &str) -> impl Iterator<Item = (&String, &Node)> {
        let inside = inside_of(path);
        let begin = inside.clone();
        self.nodes.range(begin..).take_while(move |(path, _)| path.starts_with(&inside))
    }

    fn tree(&self, path: &str) -> Vec<(String, Node)> {
        let own = self.nodes.get_key_value(path);
        own.into_iter().chain(self.inside(path)).map(|(path, node)| (path.clone(), node.clone())).collect()
    }

    fn take(&mut self, path: &str) -> Vec<(String, Node)> {
        let tree = self.tree(path);
        tree.iter().for_each(|(path, _)| drop(self.nodes.remove(path)));
        tree
    }
}
