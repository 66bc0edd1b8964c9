import { join } from 'node:path';
import type { Ask } from '../load/job.ts';
import { startBare, startLoad } from '../rig/child.ts';
import { startDaemon } from '../rig/daemon.ts';
import { inFolder } from '../rig/folder.ts';
import { COLLECTION, configMap, createAsk, forEachNumber } from '../rig/objects.ts';
import { compareRates } from '../rig/rates.ts';
import type { Row } from '../row.ts';

const WRITERS = 16;
const BYTES = 700;

/** Compares the rate of writers that each wait for the response, which is sent once the object is on disk. */
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
      const compare = (name: string, ask: Ask) => {
        const job = { protocol: 'http/1.1', connections: WRITERS, streams: 1, ask } as const;
        return compareRates({ name, server, bare, load, job, target: { ratioAtLeast: 0.5 } }, scale);
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
