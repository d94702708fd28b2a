//! The order of the engines in each round.

/// Samples of one engine in a block.
const SAMPLES_PER_BLOCK: usize = 3;
/// The rounds of both blocks.
pub const ROUNDS: usize = 2 * SAMPLES_PER_BLOCK;

/// Returns the order of `engines` in each round: each round begins with another one, the second block is in reverse.
pub fn orders(engines: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..ROUNDS).map(move |round| {
        let mut order: Vec<usize> = (0..engines).collect();
        order.rotate_left(round % SAMPLES_PER_BLOCK % engines.max(1));
        if round >= SAMPLES_PER_BLOCK {
            order.reverse();
        }
        order
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_block_runs_in_reverse_order() {
        let orders: Vec<_> = orders(3).collect();
        assert_eq!(orders, [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 2, 1], [1, 0, 2]]);
    }

    #[test]
    fn no_engines_have_no_order() {
        assert!(orders(0).all(|order| order.is_empty()));
    }
}
