import { COLLECTION, createAsk, forEachNumber, pause } from '../rig/objects.ts';
import { startDaemon } from '../rig/daemon.ts';
import { inFolder } from '../rig/folder.ts';
import { type Row, type Scale, toFigure } from '../row.ts';

const BYTES = 1_000;

const settleMs = (scale: Scale): number => (scale === 'full' ? 10_000 : 500);

/** API server and controllers in one process that nobody asks anything. */
export const idleMemoryRow: Row = {
  name: 'idle-memory',
  async measure(scale) {
    const samples: number[] = [];
    for (let round = 0; round < (scale === 'full' ? 3 : 1); round++)
      await inFolder(async (folder) => {
        await using daemon = await startDaemon('up', folder);
        await pause(settleMs(scale));
        samples.push(await daemon.residentMemory());
      });
    return [toFigure('resident memory, idle', 'MB', { ours: samples, ceiling: [] }, { atMost: 180 })];
  },
};

/** What a daemon holds more that finds objects in its store, beside the bytes of their JSON. */
export const objectMemoryRow: Row = {
  name: 'object-memory',
  measure: (scale) =>
    inFolder(async (folder) => {
      const count = scale === 'full' ? 30_000 : 2_000;
      const restart = async (): Promise<number> => {
        await using daemon = await startDaemon('up', folder);
        await pause(settleMs(scale));
        return daemon.residentMemory();
      };
      if (scale === 'full') await restart();
      const without = await restart();
      let json = 0;
      {
        await using daemon = await startDaemon('up', folder);
        await forEachNumber(count, 16, (number) => daemon.call(createAsk(`object-${number}`, BYTES)));
        json = (await daemon.call({ method: 'GET', path: `${COLLECTION}/object-0` })).length;
      }
      const samples = {
        ours: [(await restart()) - without],
        ceiling: [(json * count) / 1024 / 1024],
      };
      return [toFigure(`resident memory of ${count} objects`, 'MB', samples, { ratioAtMost: 3 })];
    }),
};
