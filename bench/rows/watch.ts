import { startBare, startLoad } from '../rig/child.ts';
import { startDaemon } from '../rig/daemon.ts';
import { inFolder } from '../rig/folder.ts';
import { COLLECTION, configMap, createAsk } from '../rig/objects.ts';
import { type Row, alternate, toFigure } from '../row.ts';

const BYTES = 700;
/**
 * Number of watchers, also in quick runs. With few watchers, the durable write dominates the figure, which
 * the ceiling does not include.
 */
const WATCHERS = 1_000;

/**
 * Measures the time from a request that changes an object until the last of many watchers has received the
 * change.
 */
export const watchRow: Row = {
  name: 'watch',
  measure: (scale) =>
    inFolder(async (folder) => {
      const [changes, rounds] = scale === 'full' ? [20, 5] : [15, 1];
      await using server = await startDaemon('apiserver', folder);
      await using bare = await startBare({ ...server.serving, answer: '', store: '' });
      await using load = startLoad();
      const created = (await server.call(createAsk('watched', BYTES))).toString('utf8');
      const job = { kind: 'watch', watchers: WATCHERS, warmUp: 10, changes } as const;
      const samples = await alternate(
        { warmUp: 0, counted: rounds },
        async () => {
          const list = JSON.parse(
            (await server.call({ method: 'GET', path: `${COLLECTION}?limit=1` })).toString(),
          );
          const { resourceVersion } = list.metadata as { resourceVersion: string };
          return load.run({
            ...job,
            place: server.place,
            path: `${COLLECTION}?watch=true&resourceVersion=${resourceVersion}`,
            change: {
              method: 'PUT',
              path: `${COLLECTION}/watched`,
              body: JSON.stringify(configMap('watched', BYTES)),
            },
          });
        },
        () =>
          load.run({
            ...job,
            place: { ...server.place, port: bare.port },
            path: '/?watch=true',
            change: { method: 'POST', path: '/emit', body: `{"type":"MODIFIED","object":${created}}\n` },
          }),
      );
      return [toFigure(`one change to ${WATCHERS} watchers`, 'ms', samples, { ratioAtMost: 1 / 0.7 })];
    }),
};
