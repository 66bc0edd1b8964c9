import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startDaemon } from '../rig/daemon.ts';
import { inFolder } from '../rig/folder.ts';
import { type Row, alternate, timed, toFigure } from '../row.ts';

const startAndStop = (): Promise<number> =>
  inFolder(async (folder) => {
    await using daemon = await startDaemon('up', folder);
    return daemon.startMs;
  });

const startNothing = (): Promise<number> =>
  timed(() => once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit'));

/**
 * Measures the time from the spawn of a daemon with an empty directory until it is ready. This includes the
 * creation of keys and certificates.
 */
export const startRow: Row = {
  name: 'start',
  async measure(scale) {
    const samples = await alternate(
      scale === 'full' ? { warmUp: 1, counted: 9 } : { warmUp: 0, counted: 1 },
      startAndStop,
      startNothing,
    );
    return [toFigure('start to ready, empty store', 'ms', samples, { moreAtMost: 700 })];
  },
};
