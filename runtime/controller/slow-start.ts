/**
 * Calls `run` for `count` indexes in batches of 1, 2, 4 and so on. Each batch starts after the success of the
 * previous one, so few calls are made if all are rejected, for example by a quota. Rejects with the first
 * error of a failed batch, after all its calls have ended. Same as `slowStartBatch` in
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/controller/replicaset/replica_set.go.
 */
export async function slowStart(count: number, run: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0, size = 1; from < count; from += size, size = Math.min(size * 2, count - from)) {
    const results = await Promise.allSettled(Array.from({ length: size }, (_, i) => run(from + i)));
    const broken = results.find((result) => result.status === 'rejected');
    if (broken) throw broken.reason;
  }
}
