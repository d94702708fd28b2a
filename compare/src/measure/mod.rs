//! Measuring: warm, six samples in two blocks, the engines taking turns at the first place and the second block in
//! reverse order. Every answer is held against the oracle before its time counts.

pub mod answer;
mod contender;
pub mod copies;
pub mod matrix;
mod order;
pub mod seat;
pub mod statistics;

use indicatif::ProgressBar;

use crate::interrupt;
use crate::report::{Cell, Row};
use crate::workload::{Case, Scene, Workload};

use contender::Contender;
pub use order::{ROUNDS, orders};
use seat::Seat;

/// How much time a row may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Fewer samples are taken when six take longer than this.
    pub ns: f64,
}

/// Measures all cases of `scene` on the engines of `seats`. Ends early, with what there is, when the user wants to end.
pub fn scene(
    workload: Workload,
    scene: &Scene,
    seats: &mut [Seat<'_>],
    budget: Budget,
    only: Option<&str>,
    progress: &ProgressBar,
) -> Vec<Row> {
    let wanted = scene.cases.iter().filter(|case| only.is_none_or(|text| case.id.contains(text)));
    let wanted: Vec<&Case> = wanted.collect();
    progress.inc_length((wanted.len() * (1 + ROUNDS)) as u64);
    let mut rows = Vec::new();
    for case in wanted {
        if interrupt::is_wanted() {
            break;
        }
        progress.set_message(format!("{} {}: {}", case.id, case.case, case.title));
        let cells = cells(case, seats, budget, progress);
        rows.push(Row {
            workload: workload.name().to_owned(),
            id: case.id.to_owned(),
            case: case.case.to_owned(),
            title: case.title.clone(),
            count: scene.count,
            items: case.items,
            of: workload.control().to_owned(),
            cells,
        });
    }
    rows
}

fn cells(case: &Case, seats: &mut [Seat<'_>], budget: Budget, progress: &ProgressBar) -> Vec<Cell> {
    let mut contenders: Vec<Contender> =
        seats.iter().enumerate().flat_map(|(at, seat)| Contender::of(at, seat)).collect();
    for contender in &mut contenders {
        if let Some(seat) = seats.get_mut(contender.seat) {
            contender.warm(case, seat, budget);
        }
    }
    progress.inc(1);
    for (round, order) in orders(contenders.len()).enumerate() {
        for at in order {
            let Some(contender) = contenders.get_mut(at) else { continue };
            if let Some(seat) = seats.get_mut(contender.seat) {
                contender.sample(case, seat, round);
            }
        }
        progress.inc(1);
    }
    contenders.into_iter().map(Contender::into_cell).collect()
}
