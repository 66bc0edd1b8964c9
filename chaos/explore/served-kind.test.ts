import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { type AnyKind, createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { customKind } from '../../runtime/index.ts';
import type { ApiRequest } from './api-request.ts';
import { createModelServer, emptyStore } from './model-store.ts';

const backups = customKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Backup',
  plural: 'backups',
  namespaced: true,
}) as unknown as AnyKind;
const on = { resource: 'example.com/backups', namespace: 'team', name: 'a', subresource: '' } as const;

describe('a custom kind without a schema', () => {
  it('keeps all fields, counts changes of its spec, and changes its status only through the subresource', () => {
    const server = createModelServer({ scheme: createScheme(orchVocabulary, [...builtinKinds, backups]) });
    let store = emptyStore;
    const send = (request: object): unknown => {
      const outcome = server.handle(store, { ...on, ...request } as ApiRequest, 0);
      ({ store } = outcome);
      return 'ok' in outcome.answer ? outcome.answer.ok : outcome.answer;
    };
    const status = { phase: 'Done' };
    const created = send({ verb: 'create', body: { metadata: { name: 'a' }, spec: { claim: 'x' }, status } });
    expect(created).toMatchObject({ metadata: { generation: 1 }, spec: { claim: 'x' } });
    expect(created).not.toHaveProperty('status');
    const patch = { verb: 'patch', patchType: 'merge' } as const;
    expect(send({ ...patch, subresource: 'status', body: { status, spec: { claim: 'y' } } })).toMatchObject({
      metadata: { generation: 1 },
      spec: { claim: 'x' },
      status,
    });
    expect(send({ ...patch, body: { spec: { claim: 'y' }, status: { phase: 'New' } } })).toMatchObject({
      metadata: { generation: 2 },
      spec: { claim: 'y' },
      status,
    });
  });
});
