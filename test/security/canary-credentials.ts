import { type CanaryRequest, CANARY, ENCODED, SECRETS, STORED, broken, secret } from './canary.ts';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens of every kind. All are invalid. */
const TOKENS: readonly string[] = [
  CANARY,
  `abcdef.${'qz7canaryqz7canary'.slice(0, 16)}`,
  'Qz7can.qz7canaryqz7canary',
  ...['legacy', 'https://issuer.test', 'kubernetes/serviceaccount', 'https://unknown.test'].map(
    (iss) => `${part({ alg: 'RS256', kid: 'k' })}.${part({ iss, sub: 'a' })}.${CANARY}`,
  ),
  `${part({ alg: 'none' })}.${part({ iss: 'https://issuer.test' })}.${CANARY}`,
  `not.base64*.${CANARY}`,
];

/** Yields requests with invalid tokens in headers, subprotocols and queries. */
export function* credentials(): Generator<CanaryRequest> {
  const token = Buffer.from(CANARY).toString('base64url');
  const socket = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const path = '/api/v1/namespaces/default/configmaps';
  for (const scheme of ['Bearer', 'Basic', 'Token', 'bearer  '])
    for (const token of TOKENS)
      yield { method: 'GET', path, headers: { authorization: `${scheme} ${token}` } };
  for (const protocols of [
    `base64url.bearer.authorization.k8s.io.${token}`,
    `a, base64url.bearer.authorization.k8s.io.${token}`,
  ])
    yield {
      method: 'GET',
      path: `${path}?watch=true`,
      headers: { ...socket, 'sec-websocket-protocol': protocols },
    };
  for (const name of ['token', 'access_token', 'id_token', 'access%5ftoken', 'TOKEN'])
    for (const at of [path, '/nowhere', '/api/v1/nodes/n/proxy/x', `${path}/%zz`]) {
      yield { method: 'GET', path: `${at}?${name}=${CANARY}` };
      yield { method: 'GET', path: `${at}?a=b&${name}=${CANARY}&c=d`, headers: { 'impersonate-group': 'x' } };
    }
}

/** Yields reviews of invalid tokens. */
export function* reviews(): Generator<CanaryRequest> {
  const path = '/apis/authentication.k8s.io/v1/tokenreviews';
  for (const spec of [
    CANARY,
    [CANARY],
    { token: [CANARY] },
    { token: { a: CANARY } },
    { token: CANARY, audiences: CANARY },
  ])
    yield {
      method: 'POST',
      path,
      body: { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec },
    };
  for (const defect of [false, true])
    for (const token of TOKENS)
      yield {
        method: 'POST',
        path,
        body: { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec: { token } },
        defect,
      };
  for (const body of broken(`{"spec":{"token":"${CANARY}"}}`))
    yield { method: 'POST', path, body, headers: { 'content-type': 'application/json' } };
}

/** Yields token requests, whose responses contain a token. */
export function* tokenRequests(): Generator<CanaryRequest> {
  const path = '/api/v1/namespaces/default/serviceaccounts/worker/token';
  const body = (spec: unknown): object => ({
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    spec,
    status: { token: CANARY },
  });
  const pod = { kind: 'Pod', apiVersion: 'v1', name: 'absent' };
  for (const spec of [{}, { audiences: CANARY }, CANARY, { expirationSeconds: 1 }, { boundObjectRef: pod }])
    for (const defect of [false, true]) yield { method: 'POST', path, body: body(spec), defect };
  yield { method: 'POST', path: path.replace('worker', 'absent'), body: body({}) };
  for (const text of broken(JSON.stringify(body({}))))
    yield { method: 'POST', path, body: text, headers: { 'content-type': 'application/json' } };
}

/** Yields CertificateSigningRequests that contain a private key instead of, or next to, the request. */
export function* certificateRequests(): Generator<CanaryRequest> {
  const key = `-----BEGIN PRIVATE KEY-----\n${ENCODED}\n-----END PRIVATE KEY-----\n`;
  const texts = [key, `${key}${key}`, CANARY, key.replace('PRIVATE KEY', 'CERTIFICATE REQUEST'), ENCODED];
  for (const text of texts)
    for (const request of [text, Buffer.from(text).toString('base64'), [text], { text }])
      yield {
        method: 'POST',
        path: '/apis/certificates.k8s.io/v1/certificatesigningrequests?fieldValidation=Strict',
        body: { metadata: { name: 'a' }, spec: { request, signerName: 'example.com/a', usages: ['any'] } },
        mayBeAudited: true,
      };
}

/** Yields successful requests for Secrets. Their bodies must not occur in audit events of any level. */
export function* successes(): Generator<CanaryRequest> {
  const tables = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
  const partial = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
  for (const path of [SECRETS, STORED, '/api/v1/secrets', `${SECRETS}?limit=1`])
    for (const headers of [tables, partial, { accept: 'application/yaml' }, {}])
      yield { method: 'GET', path, headers };
  yield { method: 'POST', path: `${SECRETS}?dryRun=All`, body: { ...secret, metadata: { name: 'new' } } };
  yield { method: 'PUT', path: STORED, body: secret };
  for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'])
    yield {
      method: 'PATCH',
      path: `${STORED}?fieldManager=m&force=true&dryRun=All`,
      body: JSON.stringify(secret),
      headers: { 'content-type': `application/${type}` },
    };
  yield { method: 'DELETE', path: `${STORED}?dryRun=All` };
  yield { method: 'DELETE', path: `${SECRETS}?dryRun=All` };
}
