import type { Ask } from '../load/job.ts';

export const COLLECTION = '/api/v1/namespaces/default/configmaps';

/** Returns a ConfigMap whose stored JSON has about `bytes` bytes. */
export const configMap = (name: string, bytes: number): object => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace: 'default' },
  data: { value: `{n}${'x'.repeat(Math.max(1, bytes - 240))}` },
});

export const createAsk = (name: string, bytes: number): Ask => ({
  method: 'POST',
  path: COLLECTION,
  body: JSON.stringify(configMap(name, bytes)),
});

/** Calls `run` for each number below `count`, with at most `width` calls at a time. */
export async function forEachNumber(
  count: number,
  width: number,
  run: (number: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
