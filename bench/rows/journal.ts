import { inFolder } from '../rig/folder.ts';
import { type System, startSystem } from '../rig/system.ts';
import { type Row, type Times, timedBoth, toFigure } from '../row.ts';
import { createApproved, removeRequests, startSigner, allSigned } from './certificates.ts';

/**
 * Fraction of the requests that are signed before the timing starts, so that the start of the manager is not
 * measured.
 */
const BEFOREHAND = 0.2;

/** Returns the time from the first signed requests until all requests are signed. */
async function signing(system: System, count: number, ...extra: readonly string[]): Promise<Times> {
  await createApproved(system, count);
  const [begun, done] = [allSigned(system, count * BEFOREHAND), allSigned(system, count)];
  const starting = startSigner(system, ...extra);
  // If the manager fails to start, it signs nothing; the rejection of its start prevents an endless wait.
  await Promise.race([begun, starting]);
  await begun;
  const times = await timedBoth(() => done);
  const signer = await starting;
  await signer[Symbol.asyncDispose]();
  await removeRequests(system);
  return times;
}

/**
 * Compares controllers with and without the journal and its statistics, by the time to sign certificate
 * requests. Both variants alternate on one server in many rounds, because a single round varies too much.
 * Wall time measures throughput; processor time of all threads is less affected by other load.
 */
export const journalRow: Row = {
  name: 'journal',
  async measure(scale) {
    const [count, warmUp, counted] = scale === 'full' ? [500, 4, 25] : [100, 2, 7];
    return inFolder(async (folder) => {
      await using system = await startSystem(folder);
      const pairs: { readonly journalled: Times; readonly plain: Times }[] = [];
      for (let round = -warmUp; round < counted; round++) {
        const journalled = await signing(system, count);
        const plain = await signing(system, count, '--journal-entries', '0');
        if (round >= 0) pairs.push({ journalled, plain });
      }
      const figure = (what: string, which: keyof Times) => {
        const samples = {
          ours: pairs.map(({ journalled }) => journalled[which]),
          ceiling: pairs.map(({ plain }) => plain[which]),
        };
        return toFigure(`${count} requests signed and journalled${what}`, 'ms', samples, {
          ratioAtMost: 1.05,
        });
      };
      return [figure('', 'wallMs'), figure(', processor', 'cpuMs')];
    });
  },
};
