import {
  type CanaryRequest,
  CANARY,
  ENCODED,
  NUMBER,
  SECRETS,
  STORED,
  broken,
  typed,
  whole,
} from './canary.ts';

/** Parts of a Secret that contain the canary where the API expects a value of another type. */
const WRONG: readonly object[] = [
  ...['data', 'stringData', 'immutable', 'metadata'].flatMap((field) =>
    [
      CANARY,
      NUMBER,
      [CANARY],
      [[CANARY]],
      { a: { b: CANARY } },
      { a: [CANARY] },
      { a: NUMBER },
      { a: CANARY },
    ].map((value) => ({ [field]: value })),
  ),
  { data: { password: `${ENCODED}*` } },
  { data: { password: `*${ENCODED}` } },
  { data: { '.dockerconfigjson': ENCODED }, type: 'kubernetes.io/dockerconfigjson' },
  { data: { '.dockercfg': ENCODED }, type: 'kubernetes.io/dockercfg' },
  { data: { 'no/key': ENCODED } },
  { data: { password: ENCODED }, unknown: { a: CANARY } },
  { data: { password: ENCODED }, metadata: { name: 'other' } },
  { data: { password: ENCODED }, metadata: { annotations: { a: [CANARY] } } },
  { data: { password: ENCODED }, metadata: { annotations: { 'bad key': CANARY } } },
  { data: { password: ENCODED }, metadata: { ownerReferences: [{ uid: 'x' }] } },
  { data: { password: ENCODED }, metadata: { finalizers: ['not a finalizer'] } },
  { data: { password: ENCODED }, metadata: { resourceVersion: '1' } },
  { data: { password: ENCODED }, metadata: { managedFields: 'x' } },
  { data: { password: ENCODED }, kind: 'ConfigMap', apiVersion: 'v1' },
  { data: { password: ENCODED }, apiVersion: 'v2' },
  { data: { password: ENCODED }, type: 1 },
  { data: { password: ENCODED }, type: 'changed' },
];

/** Part of a Secret that exceeds the size limit. */
const LARGE = { stringData: { x: CANARY.repeat(40_000) } };

/** Patches of the stored Secret that fail or change its structure. */
const JSON_PATCHES: readonly unknown[] = [
  ...WRONG.flatMap((part) =>
    Object.entries(part).map(([field, value]) => [{ op: 'add', path: `/${field}`, value: value as unknown }]),
  ),
  [{ op: 'add', path: '/immutable', value: 'x' }],
  [{ op: 'replace', path: '/data', value: 'x' }],
  [{ op: 'test', path: '/data/password', value: CANARY }],
  [{ op: 'test', path: '/data/password', value: 'guess' }],
  [{ op: 'copy', from: '/data/password', path: '/immutable' }],
  [{ op: 'copy', from: '/data/password', path: '/metadata/finalizers' }],
  [{ op: 'copy', from: '/data/password', path: '/metadata/creationTimestamp' }],
  [{ op: 'copy', from: '/data', path: '/type' }],
  [{ op: 'copy', from: '/data/password', path: '/apiVersion' }],
  ...[
    'type',
    'metadata/name',
    'metadata/namespace',
    'metadata/labels',
    'metadata/annotations',
    'metadata/uid',
  ].map((path) => [{ op: 'copy', from: '/data/password', path: `/${path}` }]),
  [{ op: 'copy', from: '/data/password', path: '/metadata/resourceVersion' }],
  [
    { op: 'add', path: '/metadata/labels', value: {} },
    { op: 'copy', from: '/data/password', path: '/metadata/labels/a' },
  ],
  [
    { op: 'add', path: '/metadata/finalizers', value: [] },
    { op: 'copy', from: '/data/password', path: '/metadata/finalizers/0' },
  ],
  [{ op: 'move', from: '/data/password', path: '/data/a/b' }],
  [{ op: 'remove', path: '/kind' }],
  [{ op: CANARY, path: '/data' }],
  { op: 'add', path: '/data', value: CANARY },
  CANARY,
];
const MERGES: readonly unknown[] = [
  ...WRONG,
  { immutable: 'x' },
  { metadata: null },
  { apiVersion: null },
  { data: null, immutable: [] },
  [CANARY],
  CANARY,
];
const STRATEGIC: readonly unknown[] = [
  ...MERGES,
  { $patch: CANARY },
  { data: { $patch: CANARY } },
  { data: { $patch: 'x', a: CANARY } },
  { metadata: { ownerReferences: [{ a: CANARY }] } },
  { metadata: { $setElementOrder: CANARY } },
  { '$setElementOrder/data': [CANARY] },
  { metadata: { '$deleteFromPrimitiveList/finalizers': CANARY } },
  { metadata: { finalizers: [[CANARY]] } },
  { $retainKeys: CANARY },
];

/** Yields creates and updates with malformed bodies. */
export function* writes(): Generator<CanaryRequest> {
  const targets = [
    { method: 'POST', path: `${SECRETS}?fieldValidation=Strict` },
    { method: 'PUT', path: `${STORED}?fieldValidation=Strict` },
    { method: 'PUT', path: `${STORED}?dryRun=All` },
    { method: 'POST', path: '/api/v1/namespaces/default/configmaps?dryRun=All', mayBeAudited: true },
    { method: 'POST', path: '/apis/example.com/v1/namespaces/default/widgets', mayBeAudited: true },
    { method: 'DELETE', path: `${SECRETS}/absent` },
  ];
  yield { method: 'POST', path: SECRETS, body: whole(LARGE) };
  for (const target of targets) {
    for (const part of WRONG) yield { ...target, body: whole(part) };
    const json = `{"data":{"p":"${ENCODED}"},"kind":"Secret","n":${NUMBER}}`;
    const yaml = `data:\n  p: ${ENCODED}\n  q: [${CANARY}\nkind: &a Secret\n`;
    for (const body of broken(json)) yield { ...target, body, ...typed('application/json') };
    for (const body of broken(yaml)) yield { ...target, body, ...typed('application/yaml') };
    for (const body of [json, `k8s\0${json}`, `k8s\0\n${CANARY}`])
      yield { ...target, body, ...typed('application/vnd.kubernetes.protobuf') };
    yield { ...target, body: json, ...typed('text/plain') };
  }
}

/** Yields patches of every type with malformed bodies. */
export function* patches(): Generator<CanaryRequest> {
  const kinds: readonly [string, readonly unknown[]][] = [
    ['application/json-patch+json', JSON_PATCHES],
    ['application/merge-patch+json', MERGES],
    ['application/strategic-merge-patch+json', STRATEGIC],
    ['application/apply-patch+yaml', [...MERGES, ...WRONG.map(whole)]],
  ];
  for (const [type, all] of kinds)
    for (const query of ['', '?dryRun=All&fieldValidation=Strict']) {
      const path = `${STORED}${query}${type.includes('apply') ? `${query === '' ? '?' : '&'}fieldManager=m` : ''}`;
      for (const body of all)
        yield { method: 'PATCH', path, body: JSON.stringify(body), headers: { 'content-type': type } };
      for (const body of broken(`{"data":{"p":"${ENCODED}"}}`))
        yield { method: 'PATCH', path, body, headers: { 'content-type': type } };
    }
}
