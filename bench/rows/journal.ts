import { inFolder } from '../rig/folder.ts';
import { startSystem } from '../rig/system.ts';
import { type Row, alternate, toFigure } from '../row.ts';
import { allSigned, createApproved } from './certificates.ts';

/**
 * Milliseconds of processor time, of all threads, from the start of the controllers until all requests are signed. Not
 * time on the wall: what is looked for is smaller than what else a machine does.
 */
const signing = (count: number, ...extra: readonly string[]): Promise<number> =>
  inFolder(async (folder) => {
    await using system = await startSystem(folder, extra);
    await createApproved(system, count);
    const done = allSigned(system, count);
    const before = process.cpuUsage();
    await system.startControllers();
    await done;
    const { user, system: kernel } = process.cpuUsage(before);
    return (user + kernel) / 1_000;
  });

/** What controllers take with the journal and its adding up, and without: certificate requests to be signed. */
export const journalRow: Row = {
  name: 'journal',
  async measure(scale) {
    const [count, rounds] =
      scale === 'full' ? [1_000, { warmUp: 1, counted: 7 }] : [100, { warmUp: 1, counted: 3 }];
    const samples = await alternate(
      rounds,
      () => signing(count),
      () => signing(count, '--journal-entries', '0'),
    );
    return [toFigure(`${count} requests signed and journalled`, 'ms', samples, { ratioAtMost: 1.05 })];
  },
};
