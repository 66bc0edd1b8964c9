import { describe, expect, it } from 'vitest';
import { configMaps, secrets } from '../../../api/groups/core-v1.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import type { AdmissionPlugin } from '../../request.ts';
import { deleting, startFixture, writing } from '../registry.fixture.ts';

describe('an admission plugin', () => {
  it('is not called for kinds and operations that it does not handle', async () => {
    const called: string[] = [];
    const plugin: AdmissionPlugin = {
      name: 'secrets',
      operations: ['CREATE'],
      concerns: (kind) => kind.plural === 'secrets',
      mutate: async ({ operation, kind }) => void called.push(`mutate ${operation} ${kind.plural}`),
      validate: async ({ operation, kind }) => void called.push(`validate ${operation} ${kind.plural}`),
    };
    const { of } = await startFixture({ admission: [plugin] });
    for (const kind of [configMaps, secrets]) {
      await of(kind).create('default', { metadata: { name: 'a' } }, writing());
      await of(kind).update('default', 'a', '', { metadata: { name: 'a', labels: { a: 'b' } } }, writing());
    }
    expect(called).toEqual(['mutate CREATE secrets', 'validate CREATE secrets']);
  });

  it('is not called while it is idle', async () => {
    const called: string[] = [];
    let idle = true;
    const plugin: AdmissionPlugin = {
      name: 'sometimes',
      operations: ['CREATE'],
      isIdle: () => idle,
      mutate: async () => void called.push('mutate'),
      validate: async () => void called.push('validate'),
    };
    const { of } = await startFixture({ admission: [plugin] });
    await of(configMaps).create('default', { metadata: { name: 'a' } }, writing());
    expect(called).toEqual([]);
    idle = false;
    await of(configMaps).create('default', { metadata: { name: 'b' } }, writing());
    expect(called).toEqual(['mutate', 'validate']);
  });

  it('is not called for a write that is already admitted', async () => {
    const rejecting: AdmissionPlugin = {
      name: 'rejecting',
      operations: ['CREATE'],
      validate: () => Promise.reject(new Error('called')),
    };
    const { of } = await startFixture({ admission: [rejecting] });
    const body = { metadata: { name: 'a' } };
    await expect(of(configMaps).create('default', body, writing())).rejects.toThrow('called');
    await of(configMaps).create('default', { ...body }, writing({ isAdmitted: true }));
  });

  describe('that replaces managedFields', () => {
    type Entry = NonNullable<NonNullable<ApiObject['metadata']>['managedFields']>[number];
    const replacing = (entries: readonly Entry[]): AdmissionPlugin => ({
      name: 'replacing',
      operations: ['CREATE', 'UPDATE'],
      mutate: async ({ object }) => {
        if (object) object.metadata = { ...object.metadata, managedFields: [...entries] };
      },
    });
    const entry: Entry = {
      manager: 'm',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': {} },
    };
    const body = (): ApiObject => ({ metadata: { name: 'a', labels: { a: 'b' } } });
    async function written(entries: readonly Entry[]) {
      const warnings: string[] = [];
      const { of } = await startFixture({ admission: [replacing(entries)] });
      const context = writing({ warn: (text) => void warnings.push(text) });
      const { object: made } = await of(configMaps).create('default', body(), context);
      return { managers: made.metadata?.managedFields?.map(({ manager }) => manager), warnings };
    }

    it('is accepted if the entries are valid', async () => {
      expect(await written([entry])).toEqual({ managers: ['m'], warnings: [] });
    });

    it.each<[Entry, string]>([
      [{ ...entry, fieldsType: '' }, 'missing fieldsType in managed fields entry 0'],
      [{ ...entry, apiVersion: '' }, 'apiVersion must not be empty'],
      [{ ...entry, fieldsV1: { data: {} } }, 'data'],
    ])('has no effect with the invalid entry %j, and the client is warned', async (broken, reason) => {
      const { managers, warnings } = await written([broken]);
      expect(managers).toEqual(['test']);
      expect(warnings).toEqual([
        expect.stringContaining('.metadata.managedFields was in an invalid state after admission'),
      ]);
      expect(warnings[0]).toContain(reason);
    });
  });

  it("receives the request's options as the type of its operation", async () => {
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
