/** How much is measured: `quick` shows that every row still runs, `full` is for figures that are quoted. */
export type Scale = 'quick' | 'full';

/** One line of DESIGN section 5. Measures in a process of its own, so that no row finds another's heap. */
export interface Row {
  readonly name: string;
  measure(scale: Scale): Promise<readonly Figure[]>;
}

/** What was measured, beside the ceiling measured in the same run. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** Undefined where the target is an absolute one. */
  readonly ceiling: number | undefined;
  /** Of ours to the ceiling. */
  readonly ratio: number | undefined;
  readonly target: string;
  readonly ok: boolean;
}

/** What a figure is held against. */
export type Target =
  | { readonly ratioAtLeast: number }
  | { readonly ratioAtMost: number }
  | { readonly moreAtMost: number }
  | { readonly atMost: number }
  /** Held against nothing: what it shows belongs beside another figure. */
  | { readonly shown: true };

/** Samples of one thing and of its ceiling, taken by turns; the pairs were neighbours in time. */
export interface Samples {
  readonly ours: readonly number[];
  readonly ceiling: readonly number[];
}

/** The middle of the samples; of an even number the mean of the two in the middle. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Medians, and the median of the ratios of neighbouring samples: what else the machine does slows both of a pair.
 * Without a ceiling pass an empty list.
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
  if ('shown' in target) return { target: 'shown beside', ok: true };
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

/** Some rounds that do not count, for code to be compiled and files to be cached, then both by turns. */
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

/** Milliseconds `run` takes. */
export async function timed(run: () => unknown): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

/** Milliseconds: on the wall, and of the processor in all threads, which a busy machine lengthens less. */
export interface Times {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** What `run` takes. */
export async function timedBoth(run: () => unknown): Promise<Times> {
  const before = process.cpuUsage();
  const wallMs = await timed(run);
  const { user, system } = process.cpuUsage(before);
  return { wallMs, cpuMs: (user + system) / 1_000 };
}
