import { startBare, startLoad } from '../rig/child.ts';
import { startDaemon } from '../rig/daemon.ts';
import { inFolder } from '../rig/folder.ts';
import { COLLECTION, configMap, createAsk } from '../rig/objects.ts';
import { type Row, alternate, toFigure } from '../row.ts';

const BYTES = 700;

/** From the request that changes an object until the last of many watchers has read the change. */
export const watchRow: Row = {
  name: 'watch',
  measure: (scale) =>
    inFolder(async (folder) => {
      const [watchers, changes, rounds] = scale === 'full' ? [1_000, 20, 5] : [100, 5, 2];
      await using server = await startDaemon('apiserver', folder);
      await using bare = await startBare({ ...server.serving, answer: '', store: '' });
      await using load = startLoad();
      const created = (await server.call(createAsk('watched', BYTES))).toString('utf8');
      const job = { kind: 'watch', watchers, changes } as const;
      const samples = await alternate(
        { warmUp: 1, counted: rounds },
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
      return [toFigure(`one change to ${watchers} watchers`, 'ms', samples, { ratioAtMost: 1 / 0.7 })];
    }),
};
