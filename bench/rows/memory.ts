import { COLLECTION, configMap, createAsk, forEachNumber, pause } from '../rig/objects.ts';
import { type Daemon, startDaemon } from '../rig/daemon.ts';
import { collectGarbage } from '../rig/garbage.ts';
import { configMaps } from '../../api/groups/core-v1.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import { inFolder } from '../rig/folder.ts';
import { startSystem } from '../rig/system.ts';
import { type Row, type Scale, toFigure } from '../row.ts';

const BYTES = 1_000;
/**
 * Number of objects in a quick run. The effect of fewer objects would be smaller than the rounding of
 * resident memory.
 */
const QUICK_COUNT = 8_000;

const settleMs = (scale: Scale): number => (scale === 'full' ? 20_000 : 500);

/**
 * Returns the memory of a daemon whose controllers have filled their caches. Waits first, because V8 returns
 * freed memory late or never.
 */
async function settledMemory(daemon: Daemon, scale: Scale): Promise<number> {
  await daemon.waitForIdle();
  await pause(settleMs(scale));
  return daemon.residentMemory();
}

/** Measures API server and controllers in one idle process. */
export const idleMemoryRow: Row = {
  name: 'idle-memory',
  async measure(scale) {
    const samples: number[] = [];
    for (let round = 0; round < (scale === 'full' ? 3 : 1); round++)
      await inFolder(async (folder) => {
        await using daemon = await startDaemon('up', folder);
        samples.push(await settledMemory(daemon, scale));
      });
    return [toFigure('resident memory, idle', 'MB', { ours: samples, ceiling: [] }, { atMost: 180 })];
  },
};

/**
 * Measures the additional memory of a daemon that starts with objects in its store, relative to the size of
 * their JSON.
 */
export const objectMemoryRow: Row = {
  name: 'object-memory',
  measure: (scale) =>
    inFolder(async (folder) => {
      const count = scale === 'full' ? 30_000 : QUICK_COUNT;
      const restart = async (): Promise<number> => {
        await using daemon = await startDaemon('up', folder);
        return await settledMemory(daemon, scale);
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

/** Returns the memory in use after a garbage collection in megabytes, in the heap and in external buffers. */
function liveMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}

/**
 * Measures the memory that objects add to a server in this process. The figure excludes garbage and rounding,
 * so it is the same in every run.
 */
export const liveMemoryRow: Row = {
  name: 'live-memory',
  measure: (scale) =>
    inFolder(async (folder) => {
      const count = scale === 'full' ? 30_000 : 2_000;
      await using system = await startSystem(folder);
      const maps = system.client.namespaced(configMaps, 'default');
      const create = (name: string) => maps.create(configMap(name, BYTES) as ConfigMap);
      // Memory for code and tables of the first requests is never freed, so it is allocated before the
      // measurement.
      await forEachNumber(500, 16, (number) => create(`warm-${number}`));
      const before = liveMemory();
      await forEachNumber(count, 16, (number) => create(`object-${number}`));
      const samples = {
        ours: [liveMemory() - before],
        ceiling: [(JSON.stringify(await maps.get('object-0')).length * count) / 1024 / 1024],
      };
      return [toFigure(`live memory of ${count} objects`, 'MB', samples, { ratioAtMost: 3 })];
    }),
};
