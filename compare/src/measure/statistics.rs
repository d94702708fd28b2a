//! Figures of samples.

/// Returns the median; 0 of no samples.
pub fn median(samples: &[f64]) -> f64 {
    quantile(&sorted(samples), 0.5)
}

/// Returns (p90 - p10) / median; 0 of no samples.
pub fn spread(samples: &[f64]) -> f64 {
    let sorted = sorted(samples);
    let median = quantile(&sorted, 0.5);
    if median > 0.0 { (quantile(&sorted, 0.9) - quantile(&sorted, 0.1)) / median } else { 0.0 }
}

/// Returns p10 and p90.
pub fn range(samples: &[f64]) -> (f64, f64) {
    let sorted = sorted(samples);
    (quantile(&sorted, 0.1), quantile(&sorted, 0.9))
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// Returns the `q`-quantile, interpolated; 0 when there are no samples.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * sorted.len().saturating_sub(1) as f64;
    let below = sorted.get(place.floor() as usize).copied().unwrap_or_default();
    let above = sorted.get(place.ceil() as usize).copied().unwrap_or_default();
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_known_samples_are_known() {
        let samples = [6.0, 1.0, 5.0, 2.0, 4.0, 3.0];
        assert_eq!(median(&samples), 3.5);
        assert_eq!(range(&samples), (1.5, 5.5));
        assert_eq!(spread(&samples), 4.0 / 3.5);
    }

    #[test]
    fn one_sample_has_no_spread_and_none_has_no_figures() {
        assert_eq!((median(&[7.0]), spread(&[7.0])), (7.0, 0.0));
        assert_eq!((median(&[]), spread(&[])), (0.0, 0.0));
    }
}
