import { X509Certificate, createPrivateKey } from 'node:crypto';
import type { UserInfo } from '../../../api/kinds/kind.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { parseTokenFile } from '../../../apiserver/auth/token-file.ts';
import { type InMemoryRequest, createInMemoryCaller } from '../../../apiserver/http/in-memory.ts';
import type { HttpPeer } from '../../../base/http/message.ts';
import { createCertificateAuthority, issueCertificate } from '../../../base/pki/certificates.ts';
import { generateKeyPair } from '../../../base/pki/keys.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createTokenIssuer } from '../../../base/tokens/issuer.ts';
import { type World, createWorld } from '../../world/world.ts';
import { bindings, objects } from './objects.ts';

/** Credential of a request, and the user whom it authenticates. */
export interface Credential {
  readonly peer?: HttpPeer;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** User that the authorizer sees; for an impersonating request, the impersonated user. */
  readonly user: UserInfo;
}

/** Response to a row's request. */
export interface Answer {
  readonly status: number;
  readonly message: string;
  readonly text: string;
}

/** Cluster under test. */
export interface MatrixCluster {
  readonly world: World;
  readonly credentials: { readonly [name: string]: Credential };
  call(credential: Credential, method: string, path: string, request?: InMemoryRequest): Promise<Answer>;
  stop(): Promise<void>;
}

const TOKENS = `
alice-token,alice,1
viewer-token,viewer,2
editor-token,editor,3
nsadmin-token,nsadmin,4
auditor-token,auditor,5
root-token,root,6
deputy-token,deputy,7
granter-token,granter,8
operator-token,operator,9,"operators,devs"
nodeless-token,system:node:n1,10
`;
/** Lifetime of the bound tokens of account `robot`, in seconds. */
const TOKEN_SECONDS = 600;
const NO_USER: UserInfo = { username: '', groups: [] };

/** Creates a cluster on virtual time, with the objects, accounts and permissions of the matrix. */
export async function createMatrixCluster(): Promise<MatrixCluster> {
  const world = await createWorld({
    vocabulary: kubernetesVocabulary,
    controllers: ['clusterrole-aggregation'],
    assembly: {
      authorization: { modes: ['Node', 'RBAC'] },
      admission: { enable: ['NodeRestriction'], disable: [], configuration: new Map() },
      tokenFile: parseTokenFile(TOKENS.trim()),
    },
  });
  const caller = createInMemoryCaller(world.server.handler);
  const admin: Credential = {
    peer: world.peerOf('admin', 'system:masters'),
    user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
  };

  async function call(
    { peer, headers }: Credential,
    method: string,
    path: string,
    request: InMemoryRequest = {},
  ): Promise<Answer> {
    const leaving = new AbortController();
    const response = await caller.request(method, path, {
      ...request,
      signal: leaving.signal,
      headers: { ...headers, ...request.headers },
      ...(peer && { peer }),
    });
    // A watch never ends, so only its head is read.
    const text = path.includes('watch=true') && response.status === 200 ? '' : await response.text();
    leaving.abort();
    const parsed = (text.startsWith('{') ? JSON.parse(text) : {}) as { readonly message?: string };
    return { status: response.status, message: parsed.message ?? text, text };
  }

  for (const { path, object } of [...objects, ...bindings]) {
    const { status, message } = await call(admin, 'POST', path, { body: object });
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${message}`);
  }
  await world.eventually(async () => {
    const { text } = await call(admin, 'GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/admin');
    return text.includes('"secrets"');
  });
  return {
    world,
    call,
    credentials: { admin, ...(await credentialsOf(world, admin, call)) },
    stop: () => world.stop(),
  };
}

const bearer = (token: string, username: string, ...groups: readonly string[]): Credential => ({
  headers: { authorization: `Bearer ${token}` },
  user: { username, groups: [...groups, 'system:authenticated'] },
});

async function credentialsOf(
  world: World,
  admin: Credential,
  call: MatrixCluster['call'],
): Promise<Readonly<Record<string, Credential>>> {
  const certificate = (username: string, ...groups: readonly string[]): Credential => ({
    peer: world.peerOf(username, ...groups),
    user: { username, groups: [...groups, 'system:authenticated'] },
  });
  const anonymous: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
  const refused = (authorization: string): Credential => ({ headers: { authorization }, user: NO_USER });
  const accounts = '/api/v1/namespaces/team/serviceaccounts';
  const tokenOf = async (name: string, spec: object = {}): Promise<string> => {
    const { text } = await call(admin, 'POST', `${accounts}/${name}/token`, { body: { spec } });
    return (JSON.parse(text) as { readonly status: { readonly token: string } }).status.token;
  };
  const robot = await tokenOf('robot', { expirationSeconds: TOKEN_SECONDS });
  const recreated = await tokenOf('gone');
  const elsewhere = await tokenOf('robot', { audiences: ['elsewhere'] });
  await call(admin, 'DELETE', `${accounts}/gone`);
  await call(admin, 'POST', accounts, { body: { metadata: { name: 'gone' } } });
  const accountGroups = ['system:serviceaccounts', 'system:serviceaccounts:team'];
  return {
    anonymous: { user: anonymous },
    'unknown token': refused('Bearer nobody-knows-it'),
    'empty token': { headers: { authorization: 'Bearer ' }, user: anonymous },
    'token of a recreated account': refused(`Bearer ${recreated}`),
    'token for another audience': refused(`Bearer ${elsewhere}`),
    'token with a foreign signature': refused(`Bearer ${await forged(world)}`),
    'token without a signature': refused(`Bearer ${robot.split('.').slice(0, 2).join('.')}.`),
    'expired bootstrap token': refused('Bearer stale1.0123456789abcdef'),
    'bootstrap token for signing only': refused('Bearer signer.0123456789abcdef'),
    'certificate of a foreign authority': { peer: foreignPeer(world), user: NO_USER },
    'expired certificate': { peer: foreignPeer(world, world.signingCa), user: NO_USER },
    alice: bearer('alice-token', 'alice'),
    viewer: bearer('viewer-token', 'viewer'),
    editor: bearer('editor-token', 'editor'),
    nsadmin: bearer('nsadmin-token', 'nsadmin'),
    auditor: bearer('auditor-token', 'auditor'),
    root: bearer('root-token', 'root'),
    granter: bearer('granter-token', 'granter'),
    operator: bearer('operator-token', 'operator', 'operators', 'devs'),
    robot: bearer(robot, 'system:serviceaccount:team:robot', ...accountGroups),
    joiner: bearer('joiner.0123456789abcdef', 'system:bootstrap:joiner', 'system:bootstrappers'),
    'node n1': certificate('system:node:n1', 'system:nodes'),
    'node without a name': certificate('system:node:', 'system:nodes'),
    'node name without its group': bearer('nodeless-token', 'system:node:n1'),
    'controller manager': certificate('system:kube-controller-manager'),
    scheduler: certificate('system:kube-scheduler'),
    'certificate of carol': certificate('carol', 'devs'),
    ...impersonating(admin, anonymous),
  };
}

/** Returns the credentials of users who impersonate other users or pretend to be a proxy. */
function impersonating(admin: Credential, anonymous: UserInfo): Readonly<Record<string, Credential>> {
  const deputy = (username: string, headers: Credential['headers'], ...groups: string[]): Credential => ({
    headers: { authorization: 'Bearer deputy-token', 'impersonate-user': username, ...headers },
    user: { username, groups: [...groups, 'system:authenticated'] },
  });
  return {
    deputy: bearer('deputy-token', 'deputy'),
    'deputy as viewer': deputy('viewer', {}),
    'deputy as root': deputy('root', {}),
    'deputy in devs': deputy('viewer', { 'impersonate-group': 'devs' }, 'devs'),
    'deputy in system:masters': deputy('viewer', { 'impersonate-group': 'system:masters' }),
    'deputy with extra scopes': deputy('viewer', { 'impersonate-extra-scopes': 'read' }),
    'deputy with another uid': deputy('viewer', { 'impersonate-uid': '42' }),
    'deputy with a group but no user': {
      headers: { authorization: 'Bearer deputy-token', 'impersonate-group': 'devs' },
      user: NO_USER,
    },
    'alice as root': {
      headers: { authorization: 'Bearer alice-token', 'impersonate-user': 'root' },
      user: NO_USER,
    },
    'anonymous as root': { headers: { 'impersonate-user': 'root' }, user: NO_USER },
    'admin as alice': {
      ...admin,
      headers: { 'impersonate-user': 'alice' },
      user: { username: 'alice', groups: ['system:authenticated'] },
    },
    'anonymous with a proxy header': {
      headers: { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' },
      user: anonymous,
    },
  };
}

/** Issues a token whose only fault is the key that signed it. */
function forged(world: World): Promise<string> {
  const issuedAt = Math.floor(world.clock.now() / 1000);
  return createTokenIssuer({
    privateKey: createPrivateKey(
      generateKeyPair('ec-p256').privateKey.export({ type: 'pkcs8', format: 'pem' }),
    ),
    issuer: world.vocabulary.issuer,
    names: world.vocabulary,
  }).boundToken({
    namespace: 'team',
    serviceAccount: { name: 'robot', uid: '1' },
    audiences: [world.vocabulary.issuer],
    issuedAt,
    expiresAt: issuedAt + TOKEN_SECONDS,
  });
}

const DAY_MS = 86_400_000;

/**
 * Returns a peer with a certificate for an administrator. The certificate is from an untrusted authority, or
 * expired if `trusted` is given.
 */
function foreignPeer(world: World, trusted?: World['signingCa']): HttpPeer {
  const random = createSeededRandom(7);
  const nowMs = world.clock.now();
  const validity = { notBeforeMs: nowMs - 10 * DAY_MS, notAfterMs: nowMs + 10 * DAY_MS };
  const subject = { commonName: 'admin', organizations: ['system:masters'] };
  const stranger = { commonName: 'stranger', organizations: [] };
  const authority =
    trusted ?? createCertificateAuthority(stranger, generateKeyPair('ec-p256'), validity, random);
  const pem = issueCertificate(
    {
      subject,
      publicKey: generateKeyPair('ec-p256').publicKey,
      usages: ['digital signature', 'client auth'],
      ...validity,
      ...(trusted && { notAfterMs: nowMs - DAY_MS }),
    },
    authority,
    random,
  );
  return { address: '127.0.0.1', certificate: new X509Certificate(pem) };
}
