import { gzipSync } from 'node:zlib';
import type http2 from 'node:http2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { parseTokenFile } from '../../apiserver/auth/token-file.ts';
import { type InMemoryCaller, createInMemoryCaller } from '../../apiserver/http/in-memory.ts';
import type { Listener } from '../../apiserver/http/listener/listener.ts';
import { type World, createWorld } from '../world/world.ts';
import { listenTo, overHttp2, rawAnswer, sessionWith, statusesOf } from './listening.ts';

// One cluster with a secret that nobody but root may read, and everything that is tried to get at it or to stop the rest.

const SECRET = 'dG9wIHNlY3JldA==';
const TOKENS =
  'root-token,root,1,system:masters\nalice-token,alice,2\nprober-token,prober,3\neditor-token,editor,4\n';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const IN_N = '/api/v1/namespaces/n';
/** What one request may hold the server up. Generous: other programs run on the machine. */
const QUICK_MS = 2_000;

let world: World;
let caller: InMemoryCaller;
let listener: Listener;
let session: http2.ClientHttp2Session;

async function send(who: string, method: string, path: string, body?: unknown, type = 'application/json') {
  const response = await caller.request(method, path, {
    headers: { authorization: `Bearer ${who}-token`, 'content-type': type },
    ...(body === undefined
      ? {}
      : { body: typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body }),
  });
  const text = await response.text();
  const { message = '' } = (text.startsWith('{') ? JSON.parse(text) : {}) as { message?: string };
  return { status: response.status, text, message };
}
const made = async (path: string, body: object): Promise<void> => {
  const { status, message } = await send('root', 'POST', path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${message}`);
};
const role = (name: string, rules: readonly object[]) => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, to: string, user: string) => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: to },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
});

beforeAll(async () => {
  world = await createWorld({
    vocabulary: kubernetesVocabulary,
    controllers: [],
    assembly: { tokenFile: parseTokenFile(TOKENS), authorization: { modes: ['RBAC'] } },
  });
  caller = createInMemoryCaller(world.server.handler);
  listener = await listenTo(world.server.handler);
  session = await sessionWith(listener);
  await made('/api/v1/namespaces', { metadata: { name: 'n' } });
  await made(`${IN_N}/secrets`, { metadata: { name: 's' }, data: { a: SECRET } });
  await made(`${IN_N}/configmaps`, { metadata: { name: 'c' }, data: { a: 'public' } });
  const maps = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }];
  await made(`${RBAC}/namespaces/n/roles`, role('maps', maps));
  await made(`${RBAC}/namespaces/n/rolebindings`, binding('maps', 'Role', 'maps', 'alice'));
  await made(`${RBAC}/clusterroles`, role('urls', [{ nonResourceURLs: ['*'], verbs: ['*'] }]));
  await made(`${RBAC}/clusterrolebindings`, binding('urls', 'ClusterRole', 'urls', 'prober'));
  const grants = [
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['*'],
      verbs: ['get', 'create', 'update', 'patch', 'delete'],
    },
    ...maps,
  ];
  await made(`${RBAC}/clusterroles`, role('grants', grants));
  await made(`${RBAC}/clusterrolebindings`, binding('grants', 'ClusterRole', 'grants', 'editor'));
  await made(`${RBAC}/namespaces/n/rolebindings`, binding('all', 'ClusterRole', 'cluster-admin', 'root'));
});
afterAll(async () => {
  session.destroy();
  await listener.stop();
  await world.stop();
});

const over1 = (path: string, who: string, ...lines: readonly string[]): Promise<string> =>
  rawAnswer(
    listener,
    [
      `GET ${path} HTTP/1.1`,
      'Host: a',
      'Connection: close',
      `Authorization: Bearer ${who}-token`,
      ...lines,
      '',
      '',
    ].join('\r\n'),
  );

/** 431, or the end of the connection where it came before the answer was read. */
const refusedHead = (text: string): boolean => statusesOf(text).every((status) => status === 431);

const TRICKS = [
  '/api/v1/namespaces/n/secrets/s',
  '//api/v1/namespaces/n/secrets/s',
  '///api///v1/namespaces/n/secrets/s',
  '/api//v1/namespaces/n/secrets/s',
  '/api/v1//namespaces/n/secrets/s',
  '/api/v1/namespaces/n//secrets/s',
  '/api/v1/namespaces/n/secrets//s',
  '/api/v1/namespaces/n/secrets/s/',
  '/api/v1/namespaces/n/configmaps/../secrets/s',
  '/api/v1/namespaces/n/configmaps/c/../../secrets/s',
  '/api/v1/namespaces/n/configmaps/%2e%2e/secrets/s',
  '/api/v1/namespaces/n/configmaps/..%2fsecrets%2fs',
  '/api/v1/namespaces/n/configmaps%2f..%2fsecrets%2fs',
  '/api/v1/namespaces/n/configmaps/c%2f..%2f..%2fsecrets%2fs',
  '/api/v1/namespaces/n/secrets%2fs',
  '/api/v1/namespaces/n/secrets%252fs',
  '/api/v1/namespaces/n%2fsecrets/s',
  '/api/v1/namespaces/n%2fsecrets%2fs',
  '/api%2fv1%2fnamespaces%2fn%2fsecrets%2fs',
  '/api/v1/namespaces/n/configmaps/c%00/../../secrets/s',
  '/api/v1/namespaces/n/secrets/s%00',
  '/api/v1/namespaces/n%00/secrets/s',
  '/api/v1/namespaces/n/secrets/s%ff',
  '/api/v1/namespaces/n/secrets/%',
  '/api/v1/namespaces/n/configmaps/c;/secrets/s',
  '/api/v1/namespaces/n/configmaps/c/secrets/s',
  '/%61pi/v1/namespaces/n/%73ecrets/s',
  '/api/v1/namespaces/./n/secrets/s',
  '/API/v1/namespaces/n/Secrets/s',
  '/api/v1/watch/namespaces/n/secrets/s',
  '/api/v1/proxy/namespaces/n/secrets/s',
  '/api/v1/namespaces/n/secrets?fieldSelector=metadata.name%3Dc',
  '/healthz/../api/v1/namespaces/n/secrets/s',
  '/openid/v1/..%2f..%2fapi/v1/namespaces/n/secrets/s',
  '/metrics//../api/v1/namespaces/n/secrets',
  'https://elsewhere/api/v1/namespaces/n/secrets/s',
  '/api/v1/namespaces/n/secrets/s#fragment',
  '/api/v1/namespaces/n/secrets/s?/../configmaps/c',
];

describe('no spelling of a path', () => {
  it.each(['alice', 'prober'])('leads %s to a secret', async (who) => {
    for (const path of TRICKS) {
      for (const text of [
        await over1(path, who),
        JSON.stringify(await overHttp2(session, { ':path': path, authorization: `Bearer ${who}-token` })),
      ])
        expect([path, text.includes(SECRET)]).toEqual([path, false]);
      const text = await over1(path, who);
      const [status = 0] = statusesOf(text);
      // Slashes that are written as %2f part nothing: such a path is no resource, at most the list of them.
      const harmless =
        status === 200 ? text.includes('"kind":"APIResourceList"') : status >= 300 && status < 500;
      expect([path, status, harmless]).toEqual([path, status, true]);
    }
  });

  it('is too long for an answer', async () => {
    const long = (length: number) => `/api/v1/namespaces/n/configmaps/${'c'.repeat(length)}`;
    expect(statusesOf(await over1(long(60_000), 'alice'))).toEqual([404]);
    expect(refusedHead(await over1(long(100_000), 'alice'))).toBe(true);
    expect(statusesOf(await over1(`/${'a/'.repeat(30_000)}`, 'prober'))).toEqual([404]);
    const other = await sessionWith(listener);
    const { status } = await overHttp2(other, {
      ':path': long(100_000),
      authorization: 'Bearer alice-token',
    });
    expect(status === 0 || status === 431).toBe(true);
    other.destroy();
    expect(statusesOf(await over1(`${IN_N}/configmaps/c`, 'alice'))).toEqual([200]);
  });
});

describe('no header', () => {
  const secret = `${IN_N}/secrets/s`;

  it('makes a user of whom no proxy with a certificate speaks', async () => {
    for (const name of [
      'X-Remote-User',
      'x-remote-user',
      'X-REMOTE-USER',
      'X_Remote_User',
      'X-Forwarded-User',
      'Remote-User',
    ]) {
      const text = await over1(
        secret,
        'alice',
        `${name}: root`,
        'X-Remote-Group: system:masters',
        'X-Remote-Extra-a: b',
      );
      expect(statusesOf(text)).toEqual([403]);
      expect(text).toContain('User \\"alice\\" cannot get');
    }
    const { status, text } = await overHttp2(session, {
      ':path': secret,
      authorization: 'Bearer alice-token',
      'x-remote-user': 'root',
      'x-remote-group': ['a', 'system:masters'],
    });
    expect([status, text.includes('User \\"alice\\"')]).toEqual([403, true]);
  });

  it('impersonates without the right to, however it is written', async () => {
    for (const lines of [
      ['Impersonate-User: root'],
      ['impersonate-user: root', 'IMPERSONATE-GROUP: system:masters'],
      ['Impersonate-User: alice', 'Impersonate-Group: system:masters'],
      ['Impersonate-User: alice', 'Impersonate-User: root'],
      ['Impersonate-User: alice', 'Impersonate-Extra-Scopes: all'],
      ['Impersonate-User: alice', 'Impersonate-Uid: 1'],
    ])
      expect([lines, statusesOf(await over1(secret, 'alice', ...lines))]).toEqual([lines, [403]]);
    for (const lines of [
      ['Impersonate-Group: system:masters'],
      ['Impersonate-Uid: 1'],
      ['Impersonate-Extra-a: b'],
    ]) {
      const [status = 0] = statusesOf(await over1(secret, 'alice', ...lines));
      expect([lines, status >= 400]).toEqual([lines, true]);
    }
  });

  it('given twice is two credentials', async () => {
    const lines = [
      'GET /api HTTP/1.1',
      'Host: a',
      'Connection: close',
      'Authorization: Bearer nobody',
      'Authorization: Bearer root-token',
      '',
      '',
    ];
    expect(statusesOf(await rawAnswer(listener, lines.join('\r\n')))).toEqual([401]);
    const one = await over1(secret, 'alice', 'Authorization: Bearer root-token');
    expect(statusesOf(one)).toEqual([403]);
  });

  it('is smuggled past the end of a line or of a message', async () => {
    for (const lines of [
      ['X-A: b\nX-B: c'],
      ['X-A: b\rX-B: c'],
      ['X-A: b\0c'],
      ['X-A : b'],
      [' X-A: b'],
      ['Content-Length: 0', 'Transfer-Encoding: chunked'],
      ['Content-Length: 1', 'Content-Length: 2'],
      ['Content-Length: -1'],
      ['Transfer-Encoding: chunked, identity'],
      ['Transfer-Encoding: xchunked'],
    ]) {
      // What would be a second request, if the first ended where its sender wants it to.
      const hidden = `GET ${secret} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer root-token\r\n\r\n`;
      const head = [
        'POST /api HTTP/1.1',
        'Host: a',
        'Authorization: Bearer alice-token',
        ...lines,
        '',
        '',
      ].join('\r\n');
      const text = await rawAnswer(listener, head + hidden);
      const refused = lines.includes('Transfer-Encoding: xchunked') ? 501 : 400;
      expect([lines, statusesOf(text), text.includes(SECRET)]).toEqual([lines, [refused], false]);
    }
  });

  it.each([
    ['with two hosts', ['Host: a', 'Host: b'], 400],
    ['with a body that is compressed on its way', ['Host: a', 'Transfer-Encoding: gzip, chunked'], 501],
    ['with its encoding in two headers', ['Host: a', ...Array(2).fill('Transfer-Encoding: chunked')], 400],
  ])('is taken for another one, %s', async (_what, lines: readonly string[], status) => {
    const head = ['POST /api HTTP/1.1', 'Authorization: Bearer root-token', ...lines, '', ''].join('\r\n');
    const text = await rawAnswer(listener, `${head}0\r\n\r\nGET ${secret} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(statusesOf(text)).toEqual([status]);
  });

  it('of HTTP/2 names another path than the one that is authorized', async () => {
    for (const path of [
      'api/v1/namespaces/n/secrets/s',
      '*',
      'https://a/api/v1/namespaces/n/secrets/s',
      '?a',
      ' ',
    ]) {
      const { status, text } = await overHttp2(session, {
        ':path': path,
        'x-original-url': secret,
        'x-rewrite-url': secret,
        'x-http-method-override': 'GET',
        authorization: 'Bearer alice-token',
      });
      expect([path, text.includes(SECRET), status === 200]).toEqual([path, false, false]);
    }
  });
});

describe('nobody gains rights', () => {
  const secrets = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];
  const roles = `${RBAC}/namespaces/n/roles`;
  const bindings = `${RBAC}/namespaces/n/rolebindings`;
  const typed = (kind: string, object: object) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    ...object,
  });
  const APPLY = 'application/apply-patch+yaml';
  const editor = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'editor' };

  it.each([
    ['create', 'POST', roles, role('mine', secrets), 'application/json'],
    ['update', 'PUT', `${roles}/maps`, role('maps', secrets), 'application/json'],
    ['merge patch', 'PATCH', `${roles}/maps`, { rules: secrets }, 'application/merge-patch+json'],
    [
      'strategic patch',
      'PATCH',
      `${roles}/maps`,
      { rules: secrets },
      'application/strategic-merge-patch+json',
    ],
    [
      'JSON patch',
      'PATCH',
      `${roles}/maps`,
      [{ op: 'add', path: '/rules/-', value: secrets[0] }],
      'application/json-patch+json',
    ],
    [
      'apply',
      'PATCH',
      `${roles}/maps?fieldManager=m&force=true`,
      typed('Role', role('maps', secrets)),
      APPLY,
    ],
    [
      'apply of a new role',
      'PATCH',
      `${roles}/new?fieldManager=m`,
      typed('Role', role('new', secrets)),
      APPLY,
    ],
    [
      'a wildcard',
      'POST',
      roles,
      role('any', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]),
      'application/json',
    ],
    [
      'an aggregation rule',
      'PATCH',
      `${RBAC}/clusterroles/mine?fieldManager=m`,
      typed('ClusterRole', {
        metadata: { name: 'mine' },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: {} }] },
      }),
      APPLY,
    ],
    [
      'binding',
      'POST',
      bindings,
      binding('mine', 'ClusterRole', 'cluster-admin', 'editor'),
      'application/json',
    ],
    [
      'binding for the whole cluster',
      'POST',
      `${RBAC}/clusterrolebindings`,
      binding('mine', 'ClusterRole', 'cluster-admin', 'editor'),
      'application/json',
    ],
    ['subjects by patch', 'PATCH', `${bindings}/all`, { subjects: [editor] }, 'application/merge-patch+json'],
    [
      'subjects by JSON patch',
      'PATCH',
      `${bindings}/all`,
      [{ op: 'add', path: '/subjects/-', value: editor }],
      'application/json-patch+json',
    ],
    [
      'apply of a binding',
      'PATCH',
      `${bindings}/mine?fieldManager=m`,
      typed('RoleBinding', binding('mine', 'ClusterRole', 'cluster-admin', 'editor')),
      APPLY,
    ],
  ] as const)('by %s', async (_name, method, path, body, type) => {
    const { status } = await send('editor', method, path, body, type);
    expect(status).toBe(403);
    expect((await send('editor', 'GET', `${IN_N}/secrets/s`)).status).toBe(403);
  });

  it('by pointing a binding of his own at another role', async () => {
    await made(bindings, binding('own', 'Role', 'maps', 'editor'));
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const { status } = await send(
      'editor',
      'PATCH',
      `${bindings}/own`,
      { roleRef },
      'application/merge-patch+json',
    );
    expect([403, 422]).toContain(status);
    expect((await send('editor', 'GET', `${IN_N}/secrets/s`)).status).toBe(403);
  });
});

describe('a small request', () => {
  const map = `${IN_N}/configmaps/c`;
  const quickly = async (run: () => Promise<{ status: number }>): Promise<number> => {
    const start = performance.now();
    const { status } = await run();
    expect(performance.now() - start).toBeLessThan(QUICK_MS);
    return status;
  };
  const patched = (body: unknown, type: string) =>
    quickly(() => send('alice', 'PATCH', `${map}?fieldManager=m`, body, type));
  const JSON_PATCH = 'application/json-patch+json';

  it('grows no large one by copies', async () => {
    const doubling = Array.from({ length: 60 }, (_, i) => ({
      op: 'copy',
      from: '/data',
      path: `/data/x${i}`,
    }));
    expect(await patched(doubling, JSON_PATCH)).toBe(413);
    expect(await patched(doubling.slice(0, 2), JSON_PATCH)).toBe(422);
  });

  it('keeps nobody waiting by what it is warned of, nor by the owners it names', async () => {
    const named = (name: string, metadata: object, rest: object) =>
      quickly(() => send('alice', 'PUT', `${map}?dryRun=All`, { metadata: { name, ...metadata }, ...rest }));
    const unknown = (length: number) => Object.fromEntries(Array.from({ length }, (_, i) => [`f${i}`, 1]));
    expect(await named('c', {}, unknown(3_000))).toBe(200);
    expect(await named('c', {}, unknown(30_000))).toBe(413);
    const ownerReferences = Array.from({ length: 5_000 }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'p',
      uid: `u${i}`,
    }));
    expect(await named('c', { ownerReferences }, {})).toBe(200);
  });

  it('holds no more operations than are allowed', async () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }));
    expect(await patched(many, JSON_PATCH)).toBe(413);
  });

  it('makes no array longer than what it is sent', async () => {
    const far = [
      { op: 'add', path: '/metadata/finalizers', value: [] },
      { op: 'add', path: '/metadata/finalizers/4294967294', value: 'a/b' },
    ];
    expect(await patched(far, JSON_PATCH)).toBe(422);
    // The first test fails; the others are not reached, but their values are decoded and charged.
    const value = Array.from({ length: 1_000 }, (_, i) => i);
    expect(
      await patched(
        Array.from({ length: 500 }, () => ({ op: 'test', path: '/data', value })),
        JSON_PATCH,
      ),
    ).toBe(413);
  });

  it.each([
    ['JSON', 'application/merge-patch+json', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['lists in JSON', JSON_PATCH, `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
    [
      'values to test',
      JSON_PATCH,
      `[{"op":"test","path":"/data","value":${'['.repeat(50_000)}${']'.repeat(50_000)}}]`,
    ],
    ['YAML', 'application/apply-patch+yaml', '['.repeat(20_000)],
    ['maps in YAML', 'application/apply-patch+yaml', 'a: {'.repeat(20_000)],
    ['keys of keys of YAML', 'application/apply-patch+yaml', `${'? '.repeat(400)}x: y`],
    ['blocks of YAML', 'application/apply-patch+yaml', '- '.repeat(20_000)],
    // Where the stack ends, reading a number compiled an expression, and that ended the process.
    ['a number deep in YAML', 'application/apply-patch+yaml', `${'['.repeat(3_000)}.5${']'.repeat(3_000)}`],
  ])('nests no deeper than is read: %s', async (_name, type, body) => {
    expect(await patched(body, type)).toBe(400);
  });

  it('names no more by aliases than it could write out', async () => {
    const levels = Array.from({ length: 30 }, (_, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(9)}]`).slice(
      1,
    );
    const laughs = `a0: &a0 [x]\n${levels.join('\n')}\n`;
    expect(await patched(laughs, 'application/apply-patch+yaml')).toBe(400);
    expect(await patched('a: &a [*a]\n', 'application/apply-patch+yaml')).toBe(400);
  });

  it('unpacks to no large one', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    const status = await quickly(async () => {
      const response = await caller.request('POST', `${IN_N}/configmaps`, {
        headers: {
          authorization: 'Bearer alice-token',
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        },
        body: bomb,
      });
      await response.text();
      return response;
    });
    expect([400, 415]).toContain(status);
  });

  it('selects by no more than its headers may hold', async () => {
    const values = Array.from({ length: 8_000 }, (_, i) => `v${i}`).join(',');
    const labels = encodeURIComponent(`a in (${values})`);
    const fields = encodeURIComponent('metadata.name!=x,'.repeat(3_000));
    for (const query of [
      `labelSelector=${labels}`,
      `fieldSelector=${fields}a`,
      `labelSelector=${'('.repeat(50_000)}`,
    ]) {
      const status = await quickly(() => send('alice', 'GET', `${IN_N}/configmaps?${query}`));
      expect([200, 400]).toContain(status);
    }
    expect(refusedHead(await over1(`${IN_N}/configmaps?labelSelector=${labels}${labels}`, 'alice'))).toBe(
      true,
    );
  });

  it('sets no trap by a pattern of a custom resource', async () => {
    const properties = {
      text: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' },
      twice: { type: 'string', pattern: '(a*)*(a|a)*b' },
    };
    await made('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'traps.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'traps', singular: 'trap', kind: 'Trap', listKind: 'TrapList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties } },
          },
        ],
      },
    });
    await world.eventually(
      async () => (await send('root', 'GET', '/apis/example.com/v1/traps')).status === 200,
    );
    const answerTo = (text: string) => {
      const trap = { apiVersion: 'example.com/v1', kind: 'Trap', metadata: { name: 't' }, text, twice: text };
      return quickly(() => send('root', 'POST', '/apis/example.com/v1/traps', trap));
    };
    expect(await answerTo('a'.repeat(1_000))).toBe(422);
    expect(await answerTo('a'.repeat(20_000))).toBe(413);
  });
});
