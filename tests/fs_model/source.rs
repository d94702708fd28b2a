//! Sources that give what they are told, fail half way, or meddle with the files while they are read.

use std::io::{self, Read};

/// Bytes that come in pieces. At `turn` something happens: `None` for a failure.
pub(crate) struct Source<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) at: usize,
    pub(crate) piece_len: usize,
    pub(crate) turn: usize,
    pub(crate) event: Option<&'b mut dyn FnMut()>,
}

impl Read for Source<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.turn {
            match &mut self.event {
                Some(event) => event(),
                None => return Err(io::Error::other("the cable was pulled")),
            }
        }
        let stop = if self.at < self.turn { self.turn } else { usize::MAX };
        let end = (self.at + self.piece_len.min(out.len())).min(self.bytes.len()).min(stop);
        let piece = &self.bytes[self.at..end];
        out[..piece.len()].copy_from_slice(piece);
        self.at = end;
        Ok(piece.len())
    }
}
