import type http2 from 'node:http2';
import { afterAll, beforeAll } from 'vitest';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { parseTokenFile } from '../../../apiserver/auth/token-file.ts';
import { type InMemoryCaller, createInMemoryCaller } from '../../../apiserver/http/in-memory.ts';
import type { Listener } from '../../../apiserver/http/listener/listener.ts';
import { type World, createWorld } from '../../world/world.ts';
import { listenTo, rawAnswer, sessionWith, statusesOf } from '../listening.ts';

// The cluster has a Secret that only root may read. The tests try to read it or to make the server
// unresponsive.

/** Value of the Secret, in base64. */
export const SECRET = 'dG9wIHNlY3JldA==';

const TOKENS =
  'root-token,root,1,system:masters\nalice-token,alice,2\nprober-token,prober,3\neditor-token,editor,4\n';

/** Path of the RBAC group. */
export const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** Path of the namespace with the Secret. */
export const IN_N = '/api/v1/namespaces/n';

/** World of the attacked server. Set before the tests. */
export let world: World;

/** In-process caller of the server. Set before the tests. */
export let caller: InMemoryCaller;

/** Listener of the server. Set before the tests. */
export let listener: Listener;

/** HTTP/2 session with the server. Set before the tests. */
export let session: http2.ClientHttp2Session;

/** Sends a request in process as a user. */
export async function send(
  who: string,
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
) {
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

/** Creates an object as root. */
export const made = async (path: string, body: object): Promise<void> => {
  const { status, message } = await send('root', 'POST', path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${message}`);
};

/** Returns a role with these rules. */
export const role = (name: string, rules: readonly object[]) => ({ metadata: { name }, rules });

/** Returns a binding of a user to a role. */
export const binding = (name: string, kind: string, to: string, user: string) => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: to },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
});

/** Starts a new cluster before the tests of the calling file, and stops it after them. */
export function attackNewCluster(): void {
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
}

/** Sends a GET over HTTP/1.1 with raw header lines. Resolves with the whole response as text. */
export const over1 = (path: string, who: string, ...lines: readonly string[]): Promise<string> =>
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

/** True if the response is a 431, or if the connection ended before a response. */
export const refusedHead = (text: string): boolean => statusesOf(text).every((status) => status === 431);
