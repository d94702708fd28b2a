//! Nodes: the numbers by which the kernel knows paths.
//!
//! A number belongs to what it was given for: it follows a move, and names nothing any more after a deletion.

use std::collections::HashMap;

/// The number of the root.
pub(super) const ROOT: u64 = 1;

/// The numbers that the kernel knows.
#[derive(Debug)]
pub(super) struct Nodes {
    nodes: HashMap<u64, Node>,
    numbers: HashMap<String, u64>,
    next: u64,
}

#[derive(Debug)]
struct Node {
    /// None when it was deleted.
    path: Option<String>,
    /// How often the kernel was told the number, and has not forgotten it.
    lookups: u64,
}

impl Nodes {
    pub(super) fn new() -> Self {
        let root = Node { path: Some("/".to_owned()), lookups: 1 };
        Nodes {
            nodes: HashMap::from([(ROOT, root)]),
            numbers: HashMap::from([("/".into(), ROOT)]),
            next: ROOT + 1,
        }
    }

    /// Returns the path of a number.
    pub(super) fn path(&self, number: u64) -> Option<&str> {
        self.nodes.get(&number)?.path.as_deref()
    }

    /// Returns the number of a path, where the kernel knows one.
    pub(super) fn known(&self, path: &str) -> Option<u64> {
        self.numbers.get(path).copied()
    }

    /// Returns the number of a path, which the kernel is now told.
    pub(super) fn tell(&mut self, path: &str) -> u64 {
        let number = *self.numbers.entry(path.to_owned()).or_insert_with(|| {
            self.next += 1;
            self.next - 1
        });
        let node =
            self.nodes.entry(number).or_insert_with(|| Node { path: Some(path.to_owned()), lookups: 0 });
        node.lookups += 1;
        number
    }

    /// Notes that the kernel has forgotten a number so often.
    pub(super) fn forget(&mut self, number: u64, count: u64) {
        let Some(node) = self.nodes.get_mut(&number) else { return };
        node.lookups = node.lookups.saturating_sub(count);
        if node.lookups == 0
            && number != ROOT
            && let Some(path) = self.nodes.remove(&number).and_then(|node| node.path)
        {
            self.numbers.remove(&path);
        }
    }

    /// Notes that a path, with all that is inside, names nothing any more.
    pub(super) fn deleted(&mut self, path: &str) {
        for (_, number) in self.take(path) {
            if let Some(node) = self.nodes.get_mut(&number) {
                node.path = None;
            }
        }
    }

    /// Notes that a path, with all that is inside, has become another one.
    pub(super) fn moved(&mut self, from: &str, to: &str) {
        let moved = self.take(from);
        self.deleted(to);
        for (path, number) in moved {
            let path = format!("{to}{}", path.strip_prefix(from).unwrap_or_default());
            if let Some(node) = self.nodes.get_mut(&number) {
                node.path = Some(path.clone());
            }
            self.numbers.insert(path, number);
        }
    }

    /// Takes out the numbers of a path and of what is inside.
    fn take(&mut self, path: &str) -> Vec<(String, u64)> {
        let is_inside = |found: &str| {
            found.strip_prefix(path).is_some_and(|inside| inside.is_empty() || inside.starts_with('/'))
        };
        self.numbers.extract_if(|found, _| is_inside(found)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_follows_its_path() {
        let mut nodes = Nodes::new();
        let [a, inside, apple] = ["/a", "/a/x", "/apple"].map(|path| nodes.tell(path));
        let replaced = nodes.tell("/z");
        nodes.moved("/a", "/z");
        assert_eq!(
            [a, inside, apple].map(|number| nodes.path(number)),
            [Some("/z"), Some("/z/x"), Some("/apple")]
        );
        assert_eq!((nodes.path(replaced), nodes.known("/a"), nodes.known("/z")), (None, None, Some(a)));
        nodes.deleted("/z");
        assert_eq!((nodes.path(a), nodes.path(inside), nodes.known("/z/x")), (None, None, None));
        assert_ne!(nodes.tell("/z"), a);
    }

    #[test]
    fn a_number_is_forgotten_when_the_kernel_has_forgotten_it() {
        let mut nodes = Nodes::new();
        let a = nodes.tell("/a");
        assert_eq!(nodes.tell("/a"), a);
        nodes.forget(a, 1);
        assert_eq!(nodes.known("/a"), Some(a));
        nodes.forget(a, 1);
        assert_eq!((nodes.known("/a"), nodes.path(a)), (None, None));
        nodes.forget(ROOT, 5);
        assert_eq!(nodes.path(ROOT), Some("/"));
    }
}
