//! Progress on standard error, when that is a terminal.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// Returns a bar of `steps`, which shows nothing when nobody looks.
pub fn bar(steps: u64) -> ProgressBar {
    let target =
        if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(steps), target).with_finish(ProgressFinish::AndClear);
    // The template is ours; should it not parse, the default style does.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3}%  {elapsed}, {eta} left  {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
