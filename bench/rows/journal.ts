import { inFolder } from '../rig/folder.ts';
import { type System, startSystem } from '../rig/system.ts';
import { type Row, alternate, timedBoth, toFigure } from '../row.ts';
import { createApproved, removeRequests, startSigner, allSigned } from './certificates.ts';

/**
 * Milliseconds of processor time, of all threads, from the start of a signing controller until all requests are signed. Not
 * time on the wall: what is looked for is smaller than what else a machine does.
 */
async function signing(system: System, count: number, ...extra: readonly string[]): Promise<number> {
  await createApproved(system, count);
  const done = allSigned(system, count);
  let signer: AsyncDisposable | undefined;
  const { cpuMs } = await timedBoth(async () => {
    signer = await startSigner(system, ...extra);
    await done;
  });
  await signer?.[Symbol.asyncDispose]();
  await removeRequests(system);
  return cpuMs;
}

/**
 * What controllers take with the journal and its adding up, and without: certificate requests to be signed. By turns on one
 * server, many times, whose medians hold still where a single time does not.
 */
export const journalRow: Row = {
  name: 'journal',
  async measure(scale) {
    const [count, rounds] =
      scale === 'full' ? [500, { warmUp: 4, counted: 25 }] : [100, { warmUp: 2, counted: 7 }];
    return inFolder(async (folder) => {
      await using system = await startSystem(folder);
      const samples = await alternate(
        rounds,
        () => signing(system, count),
        () => signing(system, count, '--journal-entries', '0'),
      );
      return [
        toFigure(`${count} requests signed and journalled, processor`, 'ms', samples, { ratioAtMost: 1.05 }),
      ];
    });
  },
};
