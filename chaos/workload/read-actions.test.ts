import { describe, expect, it } from 'vitest';
import { readActions } from './read-actions.ts';

const configMap = { atMs: 0, resource: '/configmaps', namespace: 'default', name: 'a' };

describe('readActions', () => {
  it.each([
    [{ ...configMap, verb: 'create', object: { data: {} } }],
    [{ ...configMap, verb: 'create', owners: [{ resource: '/secrets', name: 'b' }] }],
    [{ ...configMap, verb: 'patch', patch: { data: { a: 'b' } } }],
    [{ ...configMap, verb: 'patch', patch: null, subresource: 'status' }],
    [{ ...configMap, verb: 'patch', owners: [] }],
    [{ ...configMap, verb: 'patch', withoutFinalizer: 'example.com/kept' }],
    [{ ...configMap, verb: 'delete', propagation: 'Foreground', object: undefined }],
  ])('accepts %j', (action) => {
    expect(readActions([action])).toEqual([action]);
  });

  it.each([
    [{}, 'expected an array of actions, received object'],
    [[null], 'action 0: expected an object, received null'],
    [[{ verb: 'create' }], 'action 0 needs atMs, verb, resource and name, received {"verb":"create"}'],
    [[{ ...configMap, verb: 'update' }], 'action 0 has the verb "update": expected create, patch, delete'],
    [[{ ...configMap }], 'action 0 has the verb undefined: expected create, patch, delete'],
    [
      [{ ...configMap, verb: 'patch', object: { data: {} } }],
      'action 0, a patch, has the field "object": expected atMs, verb, resource, namespace, name, subresource, patch, owners, withoutFinalizer',
    ],
    [
      [
        { ...configMap, verb: 'delete' },
        { ...configMap, verb: 'create', namspace: 'b' },
      ],
      'action 1, a create, has the field "namspace": expected atMs, verb, resource, namespace, name, object, owners',
    ],
    [
      [{ ...configMap, verb: 'patch' }],
      'action 0, a patch, is empty: expected patch or owners or withoutFinalizer',
    ],
  ])('rejects %j', (given, message) => {
    expect(() => readActions(given)).toThrow(expect.objectContaining({ code: 'ERR_WORKLOAD', message }));
  });
});
