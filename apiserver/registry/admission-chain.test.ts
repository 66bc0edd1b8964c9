import { describe, expect, it } from 'vitest';
import { configMaps, secrets } from '../../api/groups/core-v1.ts';
import type { AdmissionPlugin } from '../request.ts';
import { startFixture, writing } from './registry.fixture.ts';

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
});
