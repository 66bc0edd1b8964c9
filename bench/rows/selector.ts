import { X509Certificate } from 'node:crypto';
import { createInMemoryCaller } from '../../apiserver/http/index.ts';
import { inFolder } from '../rig/folder.ts';
import { COLLECTION, configMap, forEachNumber } from '../rig/objects.ts';
import { startSystem } from '../rig/system.ts';
import { type Row, timed, toFigure } from '../row.ts';

const BYTES = 1_000;
const TARGET = { atMost: 2 };

/** Measures the server, without sockets, for a list whose selector matches none of many objects. */
export const selectorRow: Row = {
  name: 'selector',
  measure: (scale) =>
    inFolder(async (folder) => {
      const [count, rounds] = scale === 'full' ? [10_000, 50] : [500, 5];
      await using system = await startSystem(folder);
      const caller = createInMemoryCaller(system.server.handler);
      const certificate = new X509Certificate(system.provisioned.admin.certificate);
      const request = async (method: string, path: string, body?: object): Promise<string> => {
        const options = { peer: { address: '127.0.0.1', certificate }, ...(body && { body }) };
        const answer = await caller.request(method, path, options);
        if (answer.status >= 300)
          throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
        return answer.text();
      };
      await forEachNumber(count, 32, (number) =>
        request('POST', COLLECTION, configMap(`object-${number}`, BYTES)),
      );
      const measure = async (name: string, query: string) => {
        const list = async (): Promise<void> => {
          const text = await request('GET', `${COLLECTION}?${query}`);
          if (!text.endsWith('"items":[]}')) throw new Error(`${query} matches: ${text.slice(-100)}`);
        };
        // The first request reads every object. Afterwards the selected fields are cached.
        await list();
        const samples: number[] = [];
        for (let round = 0; round < rounds; round++) samples.push(await timed(list));
        return toFigure(`${name} of ${count} objects`, 'ms', { ours: samples, ceiling: [] }, TARGET);
      };
      return [
        await measure('labels that match none', 'labelSelector=app%3Dnone'),
        await measure('a field that matches none', 'fieldSelector=metadata.namespace%3Dnone'),
      ];
    }),
};
