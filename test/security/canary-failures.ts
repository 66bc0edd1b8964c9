import type { Behaviour, Review } from '../../apiserver/admission/webhook/webhook.fixture.ts';
import {
  type CanaryRequest,
  CANARY,
  ENCODED,
  SECRETS,
  STORED,
  type WebhookAnswer,
  secret,
} from './canary.ts';

const bytes = Buffer.from(CANARY);

/** Forms in which a webhook may repeat the object that it received. */
const WORDS: readonly ((review: Review) => string)[] = [
  ({ request }) => JSON.stringify(request),
  () => `the password ${ENCODED} is weak`,
  () => `the password "${CANARY}" is weak`,
  () => `starts with ${CANARY.slice(0, 14)}`,
  () => `map[password:[${bytes.join(' ')}]]`,
  () => `${bytes.toString('hex')} ${bytes.toString('hex').toUpperCase()} ${bytes.toString('base64url')}`,
  () => CANARY,
  ({ request }) => JSON.stringify(JSON.stringify(request.object ?? request.oldObject)),
];

const json = (body: unknown, status = 200) => ({
  status,
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const patch = (...operations: readonly unknown[]): object => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

/** Parts of a webhook's response that can contain text. */
const ANSWERS: readonly ((text: string) => ReturnType<Behaviour>)[] = [
  (text) => ({ allowed: false, status: { message: text } }),
  (text) => ({ allowed: false, status: { reason: text } }),
  (text) => ({
    allowed: false,
    status: {
      message: 'no',
      code: 422,
      details: { name: text, kind: text, uid: text, causes: [{ message: text, field: text, reason: text }] },
    },
  }),
  (text) => ({ allowed: true, warnings: [text], auditAnnotations: { key: text } }),
  () => ({ allowed: true, auditAnnotations: { [CANARY]: 'a' } }),
  (text) => json(text, 500),
  (text) => json({ kind: 'Status', apiVersion: 'v1', message: text }, 400),
  (text) => json(text),
  (text) => json({ kind: text, apiVersion: text, response: {} }),
  (text) => ({ allowed: true, uid: text }),
  (text) => ({ allowed: text }),
  (text) => ({ allowed: true, patchType: text, patch: 'W10=' }),
  (text) => ({ allowed: true, patchType: 'JSONPatch', patch: Buffer.from(text).toString('base64') }),
  (text) => patch({ op: text, path: '/data' }),
  (text) => patch({ op: 'test', path: '/data/password', value: text }),
  (text) => patch({ op: 'replace', path: `/${text}`, value: 1 }),
  (text) => patch({ op: 'replace', path: '/metadata/name', value: text }),
  (text) => patch({ op: 'add', path: '/metadata/labels', value: { a: text } }),
  (text) => patch({ op: 'add', path: '/metadata/managedFields', value: [{ manager: text }] }),
  (text) => patch({ op: 'add', path: '/data/password', value: text }),
  (text) => patch({ op: 'add', path: '/data/password', value: [text] }),
  (text) => patch({ op: 'copy', from: '/data/password', path: '/metadata/finalizers/0' }, { op: text }),
];

const OPERATIONS: readonly CanaryRequest[] = [
  { method: 'POST', path: `${SECRETS}?dryRun=All`, body: { ...secret, metadata: { name: 'new' } } },
  { method: 'PUT', path: `${STORED}?dryRun=All`, body: secret },
  {
    method: 'PATCH',
    path: `${STORED}?dryRun=All`,
    body: { metadata: { labels: { a: 'b' } } },
    headers: { 'content-type': 'application/merge-patch+json' },
  },
  { method: 'DELETE', path: `${STORED}?dryRun=All` },
  { method: 'DELETE', path: `${SECRETS}?dryRun=All` },
];

/** Yields writes of a Secret with every response of a webhook, under both failure policies. */
export function* webhookAnswers(): Generator<CanaryRequest> {
  for (const sort of ['mutating', 'validating'] satisfies WebhookAnswer['sort'][])
    for (const policy of ['fail', 'ignore'] satisfies WebhookAnswer['policy'][])
      for (const answer of ANSWERS)
        for (const words of WORDS)
          for (const operation of OPERATIONS)
            yield {
              ...operation,
              webhook: { sort, policy, behaviour: (review) => answer(words(review)) },
            };
}

/**
 * Yields requests for Secrets during which the server fails, and requests for a Secret that is damaged in the
 * store.
 */
export function* defects(): Generator<CanaryRequest> {
  for (const operation of OPERATIONS) yield { ...operation, defect: true };
  for (const operation of OPERATIONS)
    yield { ...operation, path: operation.path.replace('namespaces/default', 'namespaces/damaged') };
  for (const path of ['stored', '', '?watch=true&resourceVersion=0', '?limit=1', '?labelSelector=a'])
    yield {
      method: 'GET',
      path: `/api/v1/namespaces/damaged/secrets${path === 'stored' ? '/stored' : path}`,
    };
}

/** Yields creations in a namespace whose quota is exhausted. */
export function* overQuota(): Generator<CanaryRequest> {
  const path = '/api/v1/namespaces/full/secrets';
  for (const name of ['a', 'b', CANARY.toLowerCase().replaceAll('qz7c', 'c')])
    yield { method: 'POST', path, body: { ...secret, metadata: { name } } };
}
