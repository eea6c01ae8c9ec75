/** Places of ticks. Our own, because they must also end for ranges near round-off. */

/** Multiples of 1, 2 or 5 times a power of ten between low and high, at most about `most`. */
export function linearTicks(low: number, high: number, most: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) {
    return [];
  }
  const rough = span / Math.max(most, 1);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const sizes = [0.5, 1, 2, 5, 10].map((f) => f * unit);
  let k = sizes.findIndex((size) => size >= rough * (1 - 1e-9));
  // Two numbers are not a scale yet: where the next finer step gives hardly more than `most`, it is taken.
  const count = (size: number): number => Math.floor(high / size + 1e-9) - Math.ceil(low / size - 1e-9) + 1;
  if (k > 0 && count(sizes[k]!) < 3 && count(sizes[k - 1]!) <= most + 2) {
    --k;
  }
  const step = sizes[k] ?? unit;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  if (!(last - first < 1000)) {
    return [];
  }
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** The whole powers of ten from low to high. */
export function decadeTicks(low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  return Number.isFinite(last - first) ? Array.from({ length: Math.min(Math.max(last - first + 1, 0), 700) }, (_, i) => Number(`1e${first + i}`)) : [];
}
