import { join } from 'node:path';
import type { RateJob } from '../load/job.ts';
import { startBare, startLoad } from '../rig/child.ts';
import { startDaemon } from '../rig/daemon.ts';
import { inFolder } from '../rig/folder.ts';
import { COLLECTION, configMap, createAsk, forEachNumber } from '../rig/objects.ts';
import { type Row, alternate, toFigure } from '../row.ts';

const WRITERS = 16;
const BYTES = 700;

/** Writers that each wait until the server has answered, which it may when the object is on the disk. */
export const writeRow: Row = {
  name: 'write',
  measure: (scale) =>
    inFolder(async (folder) => {
      await using server = await startDaemon('apiserver', join(folder, 'ours'));
      await using bare = await startBare({
        ...server.serving,
        answer: '',
        store: join(folder, 'bare'),
      });
      await using load = startLoad();
      const nameOf = (number: number | string): string => `updated-${number}`;
      await forEachNumber(WRITERS, WRITERS, (number) =>
        server.call(createAsk(nameOf(String(number).padStart(4, '0')), BYTES)),
      );
      const [rounds, ms] = scale === 'full' ? [5, 1_500] : [2, 300];
      const compare = async (name: string, ask: RateJob['ask']) => {
        const job = {
          kind: 'rate',
          protocol: 'http/1.1',
          connections: WRITERS,
          streams: 1,
          ask,
          ms,
        } as const;
        const samples = await alternate(
          { warmUp: 2, counted: rounds },
          () => load.run({ ...job, place: server.place }),
          () => load.run({ ...job, place: { ...server.place, port: bare.port } }),
        );
        return toFigure(name, 'a second', samples, { ratioAtLeast: 0.5 });
      };
      return [
        await compare('create, 16 writers', createAsk('created-{n}', BYTES)),
        await compare('update, 16 writers', {
          method: 'PUT',
          path: `${COLLECTION}/${nameOf('{c}')}`,
          body: JSON.stringify(configMap(nameOf('{c}'), BYTES)),
        }),
      ];
    }),
};
