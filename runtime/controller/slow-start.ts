/**
 * Does the same thing `count` times in batches of 1, 2, 4 and so on, each begun when the one before has gone well: where
 * all are going to be refused, by a quota say, few are tried. Rejects with the first error of the batch that failed,
 * after the whole of it has ended.
 */
export async function slowStart(count: number, run: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0, size = 1; from < count; from += size, size = Math.min(size * 2, count - from)) {
    const results = await Promise.allSettled(Array.from({ length: size }, (_, i) => run(from + i)));
    const broken = results.find((result) => result.status === 'rejected');
    if (broken) throw broken.reason;
  }
}
