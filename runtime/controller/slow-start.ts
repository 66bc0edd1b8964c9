/**
 * Calls `run` for `count` indexes in batches of 1, 2, 4 and so on, each after the success of the one before.
 * If all calls are going to be refused, by a quota for example, few are made. Rejects with the first error of
 * a failed batch, after all its calls have ended. Same as `slowStartBatch` in
 * kubernetes/pkg/controller/replicaset/replica_set.go.
 */
export async function slowStart(count: number, run: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0, size = 1; from < count; from += size, size = Math.min(size * 2, count - from)) {
    const results = await Promise.allSettled(Array.from({ length: size }, (_, i) => run(from + i)));
    const broken = results.find((result) => result.status === 'rejected');
    if (broken) throw broken.reason;
  }
}
