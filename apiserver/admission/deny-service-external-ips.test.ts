import { describe, expect, it } from 'vitest';
import { services } from '../../api/groups/index.ts';
import type { Service } from '../../api/types/core-v1-service.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { createDenyServiceExternalIps } from './deny-service-external-ips.ts';
import { admit } from './request.fixture.ts';

const service = (externalIPs?: string[]): Service => ({
  metadata: { name: 'web' },
  spec: externalIPs === undefined ? {} : { externalIPs },
});
const run = (next: string[] | undefined, previous?: string[] | 'none', subresource = ''): Promise<Service> =>
  admit<Service>(createDenyServiceExternalIps(v), {
    kind: services,
    subresource,
    object: service(next),
    ...(previous === undefined
      ? {}
      : { operation: 'UPDATE', previous: service(previous === 'none' ? undefined : previous) }),
  });

describe('DenyServiceExternalIPs', () => {
  it.each<[string, string[] | undefined, (string[] | 'none')?]>([
    ['a new Service without external addresses', undefined],
    ['a new Service with an empty list', []],
    ['an update that keeps its addresses', ['1.1.1.1', '2.2.2.2'], ['1.1.1.1', '2.2.2.2']],
    ['an update in another order', ['2.2.2.2', '1.1.1.1'], ['1.1.1.1', '2.2.2.2']],
    ['an update that removes an address', ['1.1.1.1'], ['1.1.1.1', '2.2.2.2']],
    ['an update that removes all addresses', undefined, ['1.1.1.1']],
  ])('admits %s', async (_what, next, previous) => {
    expect(await run(next, previous)).toEqual(service(next));
  });

  it.each<[string, string[], (string[] | 'none')?]>([
    ['a new Service with an external address', ['1.1.1.1']],
    ['an update that adds the first address', ['1.1.1.1'], 'none'],
    ['an update that adds an address', ['1.1.1.1', '2.2.2.2'], ['1.1.1.1']],
    ['an update that replaces an address', ['2.2.2.2'], ['1.1.1.1']],
  ])('rejects %s', async (_what, next, previous) => {
    await expect(run(next, previous)).rejects.toMatchObject({
      code: 403,
      message: 'services "web" is forbidden: Use of external IPs is denied by admission control',
    });
  });

  it('ignores the status', async () => {
    await run(['1.1.1.1'], 'none', 'status');
  });
});
