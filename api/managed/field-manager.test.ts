import { describe, expect, test } from 'vitest';
import { type Outcome, type Step, play } from './story.fixture.ts';
import { resetFields } from './reset-fields.ts';

const spec = (object: object): { spec: object } => ({ spec: object });
const owns = (object: object): object => ({ 'f:spec': object });
const untouched = { status: {} };

const stories: readonly (readonly [string, readonly Step[], Outcome])[] = [
  [
    'makes an applier the owner of exactly the fields it applies',
    [{ apply: 'a', object: spec({ replicas: 1, labels: { x: '1' } }) }],
    {
      object: { ...spec({ replicas: 1, labels: { x: '1' } }), ...untouched },
      owners: { 'a Apply': owns({ 'f:labels': { 'f:x': {} }, 'f:replicas': {} }) },
    },
  ],
  [
    'removes fields that an applier omits if no other manager owns them',
    [
      { apply: 'a', object: spec({ replicas: 1, labels: { x: '1', y: '2' } }) },
      { apply: 'a', object: spec({ labels: { y: '2' } }) },
    ],
    {
      object: { ...spec({ labels: { y: '2' } }), ...untouched },
      owners: { 'a Apply': owns({ 'f:labels': { 'f:y': {} } }) },
    },
  ],
  [
    'retains fields that an applier omits while another applier owns them',
    [
      { apply: 'a', object: spec({ replicas: 1 }) },
      { apply: 'b', object: spec({ replicas: 1 }) },
      { apply: 'a', object: spec({ paused: true }) },
    ],
    {
      object: { ...spec({ replicas: 1, paused: true }), ...untouched },
      owners: { 'a Apply': owns({ 'f:paused': {} }), 'b Apply': owns({ 'f:replicas': {} }) },
    },
  ],
  [
    'makes all appliers of the same value its owners',
    [
      { apply: 'a', object: spec({ replicas: 1 }) },
      { apply: 'b', object: spec({ replicas: 1 }) },
    ],
    {
      object: { ...spec({ replicas: 1 }), ...untouched },
      owners: { 'a Apply': owns({ 'f:replicas': {} }), 'b Apply': owns({ 'f:replicas': {} }) },
    },
  ],
  [
    'rejects the apply of another value as a conflict and changes nothing',
    [
      { apply: 'a', object: spec({ replicas: 1 }) },
      { apply: 'b', object: spec({ replicas: 2 }) },
    ],
    {
      object: { ...spec({ replicas: 1 }), ...untouched },
      owners: { 'a Apply': owns({ 'f:replicas': {} }) },
      refused: 'Apply failed with 1 conflict: conflict with "a": .spec.replicas',
    },
  ],
  [
    'lists several conflicts by owner, with the version of updaters',
    [
      { apply: 'b', object: spec({ replicas: 1, paused: true }) },
      { update: 'edit', object: spec({ replicas: 3, paused: true, args: ['x'] }) },
      { apply: 'c', object: spec({ replicas: 4, paused: false, args: ['y'] }) },
    ],
    {
      object: spec({ replicas: 3, paused: true, args: ['x'] }),
      owners: {
        'b Apply': owns({ 'f:paused': {} }),
        'edit Update': owns({ 'f:args': {}, 'f:replicas': {} }),
      },
      refused:
        'Apply failed with 3 conflicts: conflicts with "b":\n- .spec.paused\n' +
        'conflicts with "edit" using v1:\n- .spec.args\n- .spec.replicas',
    },
  ],
  [
    'takes a field from its owners in an apply with force',
    [
      { apply: 'a', object: spec({ replicas: 1, paused: true }) },
      { apply: 'b', object: spec({ replicas: 2 }), force: true },
    ],
    {
      object: { ...spec({ replicas: 2, paused: true }), ...untouched },
      owners: { 'a Apply': owns({ 'f:paused': {} }), 'b Apply': owns({ 'f:replicas': {} }) },
    },
  ],
  [
    'makes an updater the owner of exactly the fields it changes',
    [
      { apply: 'a', object: spec({ replicas: 1, paused: true }) },
      { update: 'edit', object: spec({ replicas: 2, paused: true }) },
    ],
    {
      object: spec({ replicas: 2, paused: true }),
      owners: { 'a Apply': owns({ 'f:paused': {} }), 'edit Update': owns({ 'f:replicas': {} }) },
    },
  ],
  [
    'records no owner of fields that an update removes',
    [
      { apply: 'a', object: spec({ replicas: 1, paused: true }) },
      { update: 'edit', object: spec({ paused: true }) },
    ],
    { object: spec({ paused: true }), owners: { 'a Apply': owns({ 'f:paused': {} }) } },
  ],
  [
    'distinguishes Apply and Update entries of the same name',
    [
      { update: 'a', object: spec({ replicas: 1 }) },
      { apply: 'a', object: spec({ replicas: 2 }) },
    ],
    {
      object: spec({ replicas: 1 }),
      owners: { 'a Update': owns({ 'f:replicas': {} }) },
      refused: 'Apply failed with 1 conflict: conflict with "a" using v1: .spec.replicas',
    },
  ],
  [
    'makes an updater that adds a list or map the owner of the container and its items',
    [{ update: 'a', object: spec({ items: [{ key: 'x' }], tags: ['t'], labels: { l: '1' } }) }],
    {
      object: spec({ items: [{ key: 'x' }], tags: ['t'], labels: { l: '1' } }),
      owners: {
        'a Update': owns({
          'f:items': { '.': {}, 'k:{"key":"x"}': { '.': {}, 'f:key': {} } },
          'f:labels': { '.': {}, 'f:l': {} },
          'f:tags': { '.': {}, 'v:"t"': {} },
        }),
      },
    },
  ],
  [
    'merges items of a list that is a map by their keys, in the live order',
    [
      { apply: 'a', object: spec({ items: [{ key: 'x', value: '1' }, { key: 'y' }] }) },
      { apply: 'b', object: spec({ items: [{ key: 'z' }, { key: 'x' }] }) },
      { apply: 'a', object: spec({ items: [{ key: 'y' }] }) },
    ],
    {
      object: { ...spec({ items: [{ key: 'x' }, { key: 'y' }, { key: 'z' }] }), ...untouched },
      owners: {
        'a Apply': owns({ 'f:items': { 'k:{"key":"y"}': { '.': {}, 'f:key': {} } } }),
        'b Apply': owns({
          'f:items': {
            'k:{"key":"x"}': { '.': {}, 'f:key': {} },
            'k:{"key":"z"}': { '.': {}, 'f:key': {} },
          },
        }),
      },
    },
  ],
  [
    'uses the default of a missing key and sorts numbers numerically',
    [
      {
        apply: 'a',
        object: spec({ items: [{ key: 'x', ports: [{ port: 443 }, { port: 80, protocol: 'UDP' }] }] }),
      },
      { apply: 'b', object: spec({ items: [{ key: 'x', ports: [{ port: 443, name: 's' }] }] }) },
    ],
    {
      object: {
        ...spec({
          items: [
            {
              key: 'x',
              ports: [
                { port: 443, name: 's' },
                { port: 80, protocol: 'UDP' },
              ],
            },
          ],
        }),
        ...untouched,
      },
      owners: {
        'a Apply': owns({
          'f:items': {
            'k:{"key":"x"}': {
              '.': {},
              'f:key': {},
              'f:ports': {
                'k:{"port":80,"protocol":"UDP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} },
                'k:{"port":443,"protocol":"TCP"}': { '.': {}, 'f:port': {} },
              },
            },
          },
        }),
        'b Apply': owns({
          'f:items': {
            'k:{"key":"x"}': {
              '.': {},
              'f:key': {},
              'f:ports': {
                'k:{"port":443,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} },
              },
            },
          },
        }),
      },
    },
  ],
  [
    'records an owner for each member of a set',
    [
      { apply: 'a', object: spec({ tags: ['x', 'y'] }) },
      { apply: 'b', object: spec({ tags: ['y', 'z'] }) },
      { apply: 'a', object: spec({ tags: ['x'] }) },
    ],
    {
      object: { ...spec({ tags: ['x', 'y', 'z'] }), ...untouched },
      owners: {
        'a Apply': owns({ 'f:tags': { 'v:"x"': {} } }),
        'b Apply': owns({ 'f:tags': { 'v:"y"': {}, 'v:"z"': {} } }),
      },
    },
  ],
  [
    'treats an atomic list, map or struct as one value',
    [
      {
        apply: 'a',
        object: spec({ args: ['x'], options: { o: '1' }, selector: { labels: { l: '1' } } }),
      },
      { apply: 'b', object: spec({ args: ['x', 'y'], options: { o: '1', p: '2' } }) },
    ],
    {
      object: {
        ...spec({ args: ['x'], options: { o: '1' }, selector: { labels: { l: '1' } } }),
        ...untouched,
      },
      owners: { 'a Apply': owns({ 'f:args': {}, 'f:options': {}, 'f:selector': {} }) },
      refused: 'Apply failed with 2 conflicts: conflicts with "a":\n- .spec.args\n- .spec.options',
    },
  ],
  [
    "a field's word about atomicity counts before its type's",
    [
      { apply: 'a', object: spec({ inner: { labels: { l: '1' } } }) },
      { apply: 'b', object: spec({ inner: { labels: { m: '2' } } }) },
    ],
    {
      object: { ...spec({ inner: { labels: { l: '1', m: '2' } } }), ...untouched },
      owners: {
        'a Apply': owns({ 'f:inner': { 'f:labels': { 'f:l': {} } } }),
        'b Apply': owns({ 'f:inner': { 'f:labels': { 'f:m': {} } } }),
      },
    },
  ],
  [
    'removes a struct that its only applier omits, including its unowned fields',
    [
      { apply: 'a', object: spec({ inner: { labels: { l: '1' } } }) },
      { apply: 'a', object: spec({}) },
    ],
    { object: { ...untouched }, owners: { 'a Apply': { 'f:spec': {} } } },
  ],
  [
    'records the owner of a field that is applied as empty',
    [{ apply: 'a', object: spec({ labels: {} }) }],
    { object: { ...spec({ labels: {} }), ...untouched }, owners: { 'a Apply': owns({ 'f:labels': {} }) } },
  ],
  [
    'attributes the fields of an untracked object to before-first-apply on its first apply',
    [
      { update: 'p', object: spec({ replicas: 1, labels: { x: '1' } }) },
      { update: 'p', object: spec({ replicas: 1, labels: { x: '1' } }), given: [{}] },
      { apply: 'a', object: spec({ replicas: 1 }) },
      { apply: 'a', object: spec({ labels: { x: '2' } }) },
    ],
    {
      object: spec({ replicas: 1, labels: { x: '1' } }),
      owners: {
        'a Apply': owns({ 'f:replicas': {} }),
        'before-first-apply Update': owns({ 'f:labels': { '.': {}, 'f:x': {} }, 'f:replicas': {} }),
      },
      refused: 'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .spec.labels.x',
    },
  ],
  [
    'records no owner on updates of an untracked object',
    [
      { update: 'p', object: spec({ replicas: 1 }) },
      { update: 'p', object: spec({ replicas: 1 }), given: [] },
      { update: 'p', object: spec({ replicas: 2 }) },
    ],
    { object: spec({ replicas: 2 }), owners: {} },
  ],
  [
    'accepts managedFields from a client and ignores unreadable entries',
    [
      { update: 'p', object: spec({ replicas: 1 }) },
      {
        update: 'p',
        object: spec({ replicas: 1 }),
        given: [
          {
            manager: 'q',
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: owns({ 'f:replicas': {} }),
          },
        ],
      },
      { update: 'p', object: spec({ replicas: 1 }), given: [{ manager: 'r', operation: 'Nonsense' }] },
    ],
    { object: spec({ replicas: 1 }), owners: { 'q Update': owns({ 'f:replicas': {} }) } },
  ],
  [
    'merges the oldest entries of more than ten updaters into ancient-changes',
    Array.from({ length: 12 }, (_each, index) => ({
      update: `m${String(index).padStart(2, '0')}`,
      object: spec({
        labels: Object.fromEntries(
          Array.from({ length: index + 1 }, (_label, label) => [`l${String(label)}`, 'x']),
        ),
      }),
    })),
    {
      object: spec({
        labels: Object.fromEntries(Array.from({ length: 12 }, (_label, label) => [`l${String(label)}`, 'x'])),
      }),
      owners: {
        'ancient-changes Update': owns({ 'f:labels': { '.': {}, 'f:l0': {}, 'f:l1': {}, 'f:l2': {} } }),
        ...Object.fromEntries(
          Array.from({ length: 9 }, (_each, index) => [
            `m${String(index + 3).padStart(2, '0')} Update`,
            owns({ 'f:labels': { [`f:l${String(index + 3)}`]: {} } }),
          ]),
        ),
      },
    },
  ],
];

describe('a sequence of writes', () => {
  test.each(stories)('%s', (_name, steps, outcome) => {
    expect(play(steps)).toEqual(outcome);
  });

  test('retains owners and times in an apply without changes', () => {
    const step: Step = { apply: 'a', object: spec({ replicas: 1, tags: ['x'] }) };
    expect(play([step, step])).toEqual(play([step]));
  });

  test('lets a write to the object own no status fields, and a write to the status no spec fields', () => {
    const reset = (subresource: string): ReturnType<typeof resetFields> => resetFields(subresource, true);
    const outcome = play(
      [
        { update: 'a', object: { spec: { replicas: 1 }, status: {} } },
        { update: 'a', subresource: 'status', object: { spec: { replicas: 1 }, status: { phase: 'Up' } } },
        { apply: 'b', subresource: 'status', object: { spec: { replicas: 7 }, status: { ready: 1 } } },
      ],
      reset,
    );
    expect(outcome.owners).toEqual({
      'a Update': owns({ 'f:replicas': {} }),
      'a Update/status': { 'f:status': { 'f:phase': {} } },
      'b Apply/status': { 'f:status': { 'f:ready': {} } },
    });
  });

  test('names the subresource in a conflict', () => {
    const outcome = play([
      { update: 'a', object: spec({ replicas: 1 }) },
      { update: 'a', subresource: 'status', object: { ...spec({ replicas: 1 }), status: { phase: 'Up' } } },
      { apply: 'b', subresource: 'status', object: { status: { phase: 'Down' } } },
    ]);
    expect(outcome.refused).toBe(
      'Apply failed with 1 conflict: conflict with "a" with subresource "status" using v1: .status.phase',
    );
  });
});
