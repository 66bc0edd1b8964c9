import { describe, expect, it } from 'vitest';
import { builtinKinds, configMaps, cronJobs, leases } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { HttpRequest } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createInMemoryTransport } from './in-memory-transport.ts';
import { createClient } from './rest-client.ts';
import { supportsWriteConditions, unchanged } from './write-condition.ts';

const object = { metadata: { name: 'x', namespace: 'a' } };

function setUp(vocabulary = orchVocabulary, answered: Record<string, string> = {}) {
  const seen: HttpRequest['headers'][] = [];
  const client = createClient({
    scheme: createScheme(vocabulary, builtinKinds),
    transport: createInMemoryTransport({
      handler: async ({ headers }) => {
        seen.push(headers);
        const type = { 'content-type': 'application/json' };
        return { status: 200, headers: { ...type, ...answered }, body: Buffer.from(JSON.stringify(object)) };
      },
    }),
    clock: createSimulatedClock(),
    log: silentLogger,
    userAgent: 'test',
  });
  return { client, seen };
}

describe('a write condition', () => {
  it('is sent by every verb in a header, as the path of its object with the required properties', async () => {
    const { client, seen } = setUp();
    const lease = { kind: leases, namespace: 'a', name: 'l', holder: 'me & you, both', transitions: 0 };
    const map = { metadata: { name: 'm', namespace: 'a', uid: 'u', resourceVersion: '7' } };
    const options = { while: [lease, unchanged(configMaps, map)] };
    const own = client.namespaced(configMaps, 'a');
    await own.create(object, options);
    await own.update(object, options);
    await own.patch('x', 'merge', {}, options);
    await own.delete('x', options);
    await own.deleteCollection(options);
    await client.namespaced(cronJobs, 'a').subresource('status').patch('x', 'merge', {}, options);
    const header =
      '/apis/coordination.orch.io/v1/namespaces/a/leases/l?holder=me%20%26%20you%2C%20both&transitions=0, ' +
      '/api/v1/namespaces/a/configmaps/m?uid=u&resourceVersion=7';
    expect(seen.map((headers) => headers['x-orch-write-while'])).toEqual(Array(6).fill([header]));
  });

  it('causes no header if there are no conditions', async () => {
    const { client, seen } = setUp();
    await client.namespaced(configMaps, 'a').create(object);
    expect(seen[0]).not.toHaveProperty('x-orch-write-while');
  });

  it.each([
    [
      'supported by a server that announces them',
      { 'x-kubernetes-write-while': 'uid, resourceVersion' },
      true,
    ],
    ['unsupported by a server that does not announce them', {}, false],
  ])('is %s', async (_what, answered, offered) => {
    const { client } = setUp(kubernetesVocabulary, answered);
    expect(await supportsWriteConditions(client)).toBe(offered);
  });
});
