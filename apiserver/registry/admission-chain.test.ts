import { describe, expect, it } from 'vitest';
import { configMaps, secrets } from '../../api/groups/core-v1.ts';
import type { AdmissionPlugin } from '../request.ts';
import { deleting, startFixture, writing } from './registry.fixture.ts';

describe('an admission plugin', () => {
  it('is never asked about a kind or an operation that does not concern it', async () => {
    const asked: string[] = [];
    const plugin: AdmissionPlugin = {
      name: 'secrets',
      operations: ['CREATE'],
      concerns: (kind) => kind.plural === 'secrets',
      mutate: async ({ operation, kind }) => void asked.push(`mutate ${operation} ${kind.plural}`),
      validate: async ({ operation, kind }) => void asked.push(`validate ${operation} ${kind.plural}`),
    };
    const { of } = await startFixture({ admission: [plugin] });
    for (const kind of [configMaps, secrets]) {
      await of(kind).create('default', { metadata: { name: 'a' } }, writing());
      await of(kind).update('default', 'a', '', { metadata: { name: 'a', labels: { a: 'b' } } }, writing());
    }
    expect(asked).toEqual(['mutate CREATE secrets', 'validate CREATE secrets']);
  });

  it('is neither called nor makes an update dearer while it is idle', async () => {
    const asked: string[] = [];
    let idle = true;
    const plugin: AdmissionPlugin = {
      name: 'sometimes',
      operations: ['CREATE'],
      isIdle: () => idle,
      mutate: async () => void asked.push('mutate'),
      validate: async () => void asked.push('validate'),
    };
    const { of } = await startFixture({ admission: [plugin] });
    await of(configMaps).create('default', { metadata: { name: 'a' } }, writing());
    expect(asked).toEqual([]);
    idle = false;
    await of(configMaps).create('default', { metadata: { name: 'b' } }, writing());
    expect(asked).toEqual(['mutate', 'validate']);
  });

  it('is asked about nothing that was admitted already', async () => {
    const refusing: AdmissionPlugin = {
      name: 'refusing',
      operations: ['CREATE'],
      validate: () => Promise.reject(new Error('asked')),
    };
    const { of } = await startFixture({ admission: [refusing] });
    const body = { metadata: { name: 'a' } };
    await expect(of(configMaps).create('default', body, writing())).rejects.toThrow('asked');
    await of(configMaps).create('default', { ...body }, writing({ isAdmitted: true }));
  });

  it('sees the options that were sent, in the form of its operation', async () => {
    const seen: unknown[] = [];
    const looking: AdmissionPlugin = {
      name: 'looking',
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      validate: async ({ options }) => void seen.push(options),
    };
    const { of } = await startFixture({ admission: [looking] });
    const options = { fieldManager: 'me' };
    await of(configMaps).create('default', { metadata: { name: 'a' } }, writing({ options }));
    await of(configMaps).update('default', 'a', '', { metadata: { name: 'a' } }, writing({ options }));
    await of(configMaps).delete('default', 'a', deleting(), writing());
    const apiVersion = 'meta.k8s.io/v1';
    expect(seen).toEqual([
      { kind: 'CreateOptions', apiVersion, fieldManager: 'me' },
      { kind: 'UpdateOptions', apiVersion, fieldManager: 'me' },
      { kind: 'DeleteOptions', apiVersion },
    ]);
  });
});
