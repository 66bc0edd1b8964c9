/** Scale of a measurement: `quick` proves that every row still runs, `full` yields figures to quote. */
export type Scale = 'quick' | 'full';

/**
 * One benchmark, which is a row of the table in `docs/benchmarks.md`. It runs in a dedicated process, so that
 * it does not inherit the heap of another row.
 */
export interface Row {
  readonly name: string;
  measure(scale: Scale): Promise<readonly Figure[]>;
}

/** Result of a measurement, with the ceiling measured in the same run. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** Ceiling; undefined if the target is an absolute value. */
  readonly ceiling: number | undefined;
  /** Ratio of the measured figure to the ceiling; undefined without a ceiling. */
  readonly ratio: number | undefined;
  readonly target: string;
  readonly ok: boolean;
}

/** Target of a figure. */
export type Target =
  | { readonly ratioAtLeast: number }
  | { readonly ratioAtMost: number }
  | { readonly moreAtMost: number }
  | { readonly atMost: number }
  /** No target: the figure only explains another figure. */
  | { readonly shown: true };

/**
 * Alternating samples of the measured server and of the ceiling. Two samples with the same index were taken
 * at about the same time.
 */
export interface Samples {
  readonly ours: readonly number[];
  readonly ceiling: readonly number[];
}

/** Returns the median of the samples. For an even number of samples it is the mean of the two middle ones. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Returns the figure for samples: the medians, and the median of the pairwise ratios. The ratios are pairwise
 * because other load slows both samples of a pair. Without a ceiling, `ceiling` is an empty list.
 */
export function toFigure(name: string, unit: string, samples: Samples, target: Target): Figure {
  const ours = median(samples.ours);
  if (samples.ceiling.length === 0)
    return {
      name,
      unit,
      ours,
      ceiling: undefined,
      ratio: undefined,
      ...judge(target, ours, undefined, unit),
    };
  const ceiling = median(samples.ceiling);
  const ratio = median(samples.ours.map((value, at) => value / (samples.ceiling[at] ?? ceiling)));
  return { name, unit, ours, ceiling, ratio, ...judge(target, ours, { ceiling, ratio }, unit) };
}

function judge(
  target: Target,
  ours: number,
  against: { readonly ceiling: number; readonly ratio: number } | undefined,
  unit: string,
): Pick<Figure, 'target' | 'ok'> {
  const { ceiling, ratio } = against ?? { ceiling: Number.NaN, ratio: Number.NaN };
  if ('shown' in target) return { target: 'for comparison', ok: true };
  if ('ratioAtLeast' in target)
    return { target: `at least ${target.ratioAtLeast} of it`, ok: ratio >= target.ratioAtLeast };
  if ('ratioAtMost' in target)
    return {
      target: `at most ${Number(target.ratioAtMost.toFixed(2))} times`,
      ok: ratio <= target.ratioAtMost,
    };
  if ('moreAtMost' in target)
    return { target: `at most ${target.moreAtMost} ${unit} more`, ok: ours - ceiling <= target.moreAtMost };
  return { target: `at most ${target.atMost} ${unit}`, ok: ours <= target.atMost };
}

/**
 * Runs uncounted rounds first, so that code is compiled and files are cached. Then alternates between both
 * measurements.
 */
export async function alternate(
  rounds: { readonly warmUp: number; readonly counted: number },
  ours: () => Promise<number>,
  ceiling: () => Promise<number>,
): Promise<Samples> {
  for (let round = 0; round < rounds.warmUp; round++) {
    await ours();
    await ceiling();
  }
  const samples = { ours: [] as number[], ceiling: [] as number[] };
  for (let round = 0; round < rounds.counted; round++) {
    samples.ours.push(await ours());
    samples.ceiling.push(await ceiling());
  }
  return samples;
}

/** Returns the wall time of `run` in milliseconds. */
export async function timed(run: () => unknown): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

/**
 * Wall time, and processor time of all threads, both in milliseconds. Other load affects the processor time
 * less.
 */
export interface Times {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Returns the wall and processor time of `run`. */
export async function timedBoth(run: () => unknown): Promise<Times> {
  const before = process.cpuUsage();
  const wallMs = await timed(run);
  const { user, system } = process.cpuUsage(before);
  return { wallMs, cpuMs: (user + system) / 1_000 };
}
