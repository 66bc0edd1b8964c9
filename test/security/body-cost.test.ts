import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODY_LIMIT } from '../../apiserver/http/request/bodies.ts';
import { LONG } from '../long.ts';
import { type CostServer, expectWithin, limitsAt, measure, startCostServer } from './cost.ts';
import { slowness } from '../processor-time.ts';

// Sends bodies up to the size limit to endpoints that every authenticated user may call.

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const HEAD = '{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview",';
const SPEC = '"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}';
const RUNS = LONG ? 5 : 1;

const filled = (
  opening: string,
  piece: (at: number) => string,
  closing: string,
  bytes = BODY_LIMIT,
): string => {
  const pieces: string[] = [];
  let room = bytes - opening.length - closing.length - 1;
  for (let at = 0; ; at += 1) {
    const text = piece(at);
    room -= text.length;
    if (room < 0) break;
    pieces.push(text);
  }
  return `${opening}${pieces.join('')}${closing}`;
};
const unknown = (piece: (at: number) => string): string => filled(`${HEAD}${SPEC},"x":[`, piece, '0]}');
const yaml = (piece: (at: number) => string, bytes?: number): string =>
  filled(
    'apiVersion: authorization.k8s.io/v1\nkind: SelfSubjectAccessReview\nspec:\n  resourceAttributes: {verb: get}\nx:\n',
    piece,
    '',
    bytes,
  );
/** Returns a protobuf envelope around unknown fields. */
function protobuf(): Buffer {
  const field = Buffer.from([0xf8, 0x07, 0x01]);
  const raw = Buffer.concat(Array.from({ length: 900_000 }, () => field));
  const length: number[] = [];
  for (let rest = raw.length; rest > 0; rest >>>= 7) length.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  return Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x12, ...length]), raw]);
}

let server: CostServer;
let slow = 1;
beforeAll(async () => {
  slow = slowness();
  server = await startCostServer();
});
afterAll(() => server.stop());

describe('a body of three megabytes from any authenticated user', () => {
  const json = 'application/json';
  const yamlType = 'application/yaml';
  it.each<[string, string, () => string | Buffer]>([
    ['floats', json, () => unknown(() => '0.1,')],
    ['small numbers', json, () => unknown(() => '1,')],
    ['figures of one number', json, () => `${HEAD}${SPEC},"x":${'9'.repeat(3_000_000)}}`],
    ['integers beyond 2^53', json, () => unknown(() => '12345678901234567,')],
    ['empty objects', json, () => unknown(() => '{},')],
    ['unknown fields', json, () => filled(`${HEAD}${SPEC}`, (at) => `,"u${at}":1`, '}')],
    ['equal fields', json, () => filled(`${HEAD}${SPEC}`, () => ',"u":1', '}')],
    [
      'entries of a map',
      json,
      () => filled(`${HEAD}"metadata":{"labels":{"a":"b"`, (at) => `,"k${at}":""`, `}},${SPEC}}`),
    ],
    [
      'groups',
      json,
      () => filled(`${HEAD}"spec":{"resourceAttributes":{"verb":"get"},"groups":["a"`, () => ',"a"', ']}}'),
    ],
    ['escapes', json, () => `${HEAD}${SPEC},"x":"${'\\n'.repeat(1_500_000)}"}`],
    ['halves of surrogate pairs', json, () => `${HEAD}${SPEC},"x":"${'\\ud800'.repeat(500_000)}"}`],
    ['spaces', json, () => `${HEAD}${SPEC}${' '.repeat(3_000_000)}}`],
    ['no JSON at its end', json, () => `${HEAD}${SPEC}${' '.repeat(3_000_000)}`],
    ['a text that does not end', json, () => `${HEAD}"x":"${'a'.repeat(3_000_000)}`],
    ['anchors and aliases in YAML', yamlType, () => yaml(() => '- &a b\n- *a\n', 300_000)],
    [
      'aliases of one anchor in YAML',
      yamlType,
      () => yaml((at) => (at === 0 ? '- &a b\n' : '- *a\n'), 300_000),
    ],
    ['entries in YAML', yamlType, () => yaml(() => '- a\n')],
    ['tags in YAML', yamlType, () => yaml(() => '- !!str a\n')],
    ['figures of one number in YAML', yamlType, () => yaml((at) => (at === 0 ? '- 1' : '9'))],
    ['a flow list in YAML', yamlType, () => filled('x: [', () => 'a, ', ']')],
    ['comments in YAML', yamlType, () => yaml(() => '#\n')],
    ['tiny fields in protobuf', 'application/vnd.kubernetes.protobuf', protobuf],
  ])('is answered within the budget: %s', async (_what, contentType, bodyOf) => {
    const body = bodyOf();
    expect(body.length).toBeLessThanOrEqual(BODY_LIMIT);
    const cost = await measure(
      server,
      { method: 'POST', path: REVIEWS, contentType, body },
      RUNS,
      limitsAt(slow),
    );
    expect(cost.status).toBeLessThan(500);
    expect(cost.answerBytes).toBeLessThan(128 * 1024);
    expectWithin(cost, limitsAt(slow));
  });
});

describe('a large realistic object', () => {
  it.each<[string, string, () => object]>([
    [
      'a ConfigMap of a megabyte',
      '/api/v1/namespaces/default/configmaps',
      () => ({ metadata: { name: 'a' }, data: { a: 'line\n'.repeat(200_000) } }),
    ],
    [
      'a ConfigMap of 5,000 keys',
      '/api/v1/namespaces/default/configmaps',
      () => ({
        metadata: { name: 'a' },
        data: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 'v'])),
      }),
    ],
    [
      'Endpoints of 5,000 addresses',
      '/api/v1/namespaces/default/endpoints',
      () => ({
        metadata: { name: 'a' },
        subsets: [
          {
            ports: [{ port: 80 }],
            addresses: Array.from({ length: 5_000 }, (_, at) => ({
              ip: `10.0.${at >> 8}.${at & 255}`,
              nodeName: `node-${at}`,
              targetRef: { kind: 'Pod', namespace: 'default', name: `pod-${at}`, uid: `uid-${at}` },
            })),
          },
        ],
      }),
    ],
  ])('is created in short slices: %s', async (_what, path, objectOf) => {
    const body = JSON.stringify(objectOf());
    const cost = await measure(
      server,
      { method: 'POST', path: `${path}?dryRun=All`, body },
      RUNS,
      limitsAt(slow),
    );
    expect(cost).toMatchObject({ status: 201 });
    expectWithin(cost, limitsAt(slow));
  });
});
