//! Figures as people read them.

/// Returns a time in the unit that suits it, with three significant figures.
pub(super) fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        ..1e3 => (ns, "ns"),
        ..1e6 => (ns / 1e3, "us"),
        ..1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    format!("{} {unit}", three(value))
}

/// Returns a ratio: `0.42`, `12.3`, `250`.
pub(super) fn ratio(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}") } else { three(ratio) }
}

/// Returns a number of bytes in the unit that suits it.
pub(super) fn bytes(count: u64) -> String {
    match count {
        0..1_024 => format!("{count} B"),
        1_024..1_048_576 => format!("{:.1} KiB", count as f64 / 1_024.0),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}

/// Returns a rate for each second.
pub(super) fn rate(items: u64, ns: f64) -> String {
    let rate = items as f64 * 1e9 / ns.max(1.0);
    match rate {
        ..1e3 => format!("{}/s", three(rate)),
        ..1e6 => format!("{} k/s", three(rate / 1e3)),
        _ => format!("{} M/s", three(rate / 1e6)),
    }
}

fn three(value: f64) -> String {
    match value {
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_figures_and_a_unit() {
        assert_eq!(
            [time(12.0), time(1_500.0), time(99.97e6), time(2.345e9)],
            ["12.0 ns", "1.50 us", "100 ms", "2.35 s"]
        );
    }

    #[test]
    fn rates_sizes_and_ratios_are_short() {
        assert_eq!(rate(1_000, 1e6), "1.00 M/s");
        assert_eq!([bytes(12), bytes(2_048), bytes(5 << 20)], ["12 B", "2.0 KiB", "5.0 MiB"]);
        assert_eq!([ratio(0.123), ratio(12.34), ratio(1234.0)], ["0.12", "12.3", "1234"]);
    }
}
