import { afterEach, describe } from 'vitest';
import type { Stamp, Storage } from './storage.ts';
import { describeConditions, describeTransactions, describeWrites } from './conformance/writes.ts';
import { describeCompaction, describeReads } from './conformance/reads.ts';
import { describeWatch } from './conformance/watches.ts';
import { describeModel } from './conformance/model.ts';

/** Stamps values as `12|text`, which is readable in an assertion. */
export const plainStamp: Stamp = (value, revision) =>
  Buffer.from(`${revision}|${value.toString().replace(/^\d+\|/, '')}`);

/**
 * Defines the tests that every `Storage` must pass. `open` returns an empty store that stamps with
 * `plainStamp`.
 */
export function describeStorage(
  name: string,
  open: (limits: { historyLimit?: number }) => Promise<Storage>,
): void {
  describe(name, () => {
    const opened: Storage[] = [];
    const fresh = async (limits: { historyLimit?: number } = {}): Promise<Storage> => {
      const storage = await open(limits);
      opened.push(storage);
      return storage;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((storage) => storage.close()));
    });
    describeWrites(fresh);
    describeConditions(fresh);
    describeTransactions(fresh);
    describeReads(fresh);
    describeWatch(fresh);
    describeCompaction(fresh);
    describeModel(fresh);
  });
}
