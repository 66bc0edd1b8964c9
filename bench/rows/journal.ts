import { inFolder } from '../rig/folder.ts';
import { type System, startSystem } from '../rig/system.ts';
import { type Row, type Times, timedBoth, toFigure } from '../row.ts';
import { createApproved, removeRequests, startSigner, allSigned } from './certificates.ts';

/** Of the requests: what a manager's start takes is over when these are signed. */
const BEFOREHAND = 0.2;

/** From when the first of the requests are signed until all are. */
async function signing(system: System, count: number, ...extra: readonly string[]): Promise<Times> {
  await createApproved(system, count);
  const [begun, done] = [allSigned(system, count * BEFOREHAND), allSigned(system, count)];
  const starting = startSigner(system, ...extra);
  // One that cannot start signs nothing.
  await Promise.race([begun, starting]);
  await begun;
  const times = await timedBoth(() => done);
  const signer = await starting;
  await signer[Symbol.asyncDispose]();
  await removeRequests(system);
  return times;
}

/**
 * What controllers take with the journal and its adding up, and without: certificate requests to be signed, by a manager that
 * has started. By turns on one server, many times, whose medians hold still where a single time does not. The time on the
 * wall is the throughput; beside it that of the processor, all threads, which what else the machine does touches less.
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
