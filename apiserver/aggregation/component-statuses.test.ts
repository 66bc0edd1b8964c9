import { afterEach, describe, expect, it } from 'vitest';
import { componentStatuses } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import { extensionServer, startServer, stopServers } from './aggregator.fixture.ts';

afterEach(stopServers);

describe('component statuses', () => {
  it('are computed from the configured checks', async () => {
    const { caller } = await startServer(extensionServer());
    const response = await caller.request('GET', '/api/v1/componentstatuses');
    expect(response.header('warning')).toBe('299 - "v1 ComponentStatus is deprecated in v1.19+"');
    expect(await response.json()).toEqual({
      kind: 'ComponentStatusList',
      apiVersion: 'v1',
      metadata: {},
      items: ['etcd-0', 'scheduler'].map((name) => ({
        kind: 'ComponentStatus',
        apiVersion: 'v1',
        metadata: { name },
        conditions: [
          name === 'etcd-0'
            ? { type: 'Healthy', status: 'True', message: 'ok' }
            : { type: 'Healthy', status: 'False', message: 'unreachable' },
        ],
      })),
    });
  });

  it('can be read by name, but neither watched nor written', async () => {
    const { caller } = await startServer(extensionServer());
    const status = async (method: string, path: string) =>
      (
        await caller.request(method, `/api/v1/componentstatuses${path}`, {
          body: method === 'POST' ? {} : undefined,
        })
      ).status;
    expect(await status('GET', '/etcd-0')).toBe(200);
    expect(await status('GET', '/nothing')).toBe(500);
    expect(await status('GET', '?watch=true')).toBe(405);
    expect(await status('POST', '')).toBe(405);
    expect((componentStatuses as AnyKind).verbs).toEqual(['get', 'list']);
  });
});
