import { toTime } from '../../base/clock/index.ts';
import type { Action } from '../world/user.ts';
import { ABSENT, orBlank } from './fields.ts';
import { lifeOf } from './life.ts';
import { MINUTE, type Making, type Part, TEAM, encoded, later, patch, sometime } from './parts.ts';
import type { MoveName, Subject } from './subject.ts';

const SECRETS = '/secrets';
const ACCOUNTS = '/serviceaccounts';
const KUBECONFIG = 'apiVersion: v1\nkind: Config\nclusters:\n- name: ""\n';
const IDS = ['aaaaaa', 'bbbbbb', 'cccccc'];

/** Moves of an object that users rotate: they change it in place, or delete and recreate it. */
const ROTATED: readonly MoveName[] = [
  'edit',
  'undo',
  'change-mind',
  'touch',
  'delete',
  'replace',
  'withdraw',
];

/**
 * Returns the ConfigMap cluster-info, whose content is signed with bootstrap tokens. Every cluster starts
 * with it.
 */
const clusterInfo = ({ vocabulary }: Making): Subject => ({
  resource: '/configmaps',
  namespace: vocabulary.namespaces.public,
  name: 'cluster-info',
  isMaintained: true,
  base: { data: { kubeconfig: KUBECONFIG, other: 'kept' } },
  edits: { 'data.kubeconfig': [KUBECONFIG, `${KUBECONFIG}#\n`, ABSENT, ''], 'data.other': ['kept', ABSENT] },
  moves: ['edit', 'edit', 'undo', 'touch', 'replace'],
  moveCounts: [0, 0, 1],
});

export const nameOfToken = (id: string): string => `bootstrap-token-${id}`;

/** Returns the data of a token's Secret. `expiresMs` is the wall time of its expiry; default never. */
export const tokenData = (id: string, signs: boolean, expiresMs?: number) => ({
  'token-id': encoded(id),
  'token-secret': encoded('f395accd246ae52d'),
  'usage-bootstrap-signing': encoded(String(signs)),
  ...(expiresMs !== undefined && { expiration: encoded(toTime(expiresMs)) }),
});

/**
 * Returns the Secret of a bootstrap token. Its expiry, about `expiresMs` after the start, may be extended.
 */
function bootstrapToken(making: Making, id: string, expiresMs: number): Subject {
  const { vocabulary, startMs } = making;
  const expiration = (atMs: number): string => encoded(toTime(startMs + atMs));
  const signing = [encoded('true'), encoded('true'), encoded('true'), encoded('false'), ABSENT];
  return {
    resource: SECRETS,
    namespace: vocabulary.namespaces.system,
    name: nameOfToken(id),
    base: { type: vocabulary.secretTypes.bootstrapToken, data: tokenData(id, true) },
    fields: {
      'data.expiration': [ABSENT, ...[expiresMs, expiresMs, expiresMs].map(expiration)],
      'data.usage-bootstrap-signing': signing,
    },
    edits: {
      'data.expiration': orBlank([
        expiration(expiresMs),
        expiration(expiresMs + 20 * MINUTE),
        encoded('soon'),
      ]),
      'data.usage-bootstrap-signing': orBlank(signing),
      'data.token-secret': orBlank([encoded('f395accd246ae52d'), encoded('0123456789abcdef')]),
      'data.token-id': orBlank([encoded(id), encoded('zzzzzz')]),
    },
    moves: ROTATED,
    nextDueMs: () => expiresMs,
  };
}

/**
 * Returns actions on bootstrap tokens. Some expire, are extended just before, are rotated, or may not sign.
 */
export const bootstrapTokens: Part = (making) => {
  const ids = making.draw.one('bootstrap tokens', [IDS.slice(0, 1), IDS.slice(0, 2), IDS]);
  return [
    ...lifeOf(making, clusterInfo(making), { bornMs: 0 }),
    ...ids.flatMap((id) => {
      const bornMs = sometime(making);
      const expiresMs = later(making, bornMs);
      const subject = bootstrapToken(making, id, expiresMs);
      return [...lifeOf(making, subject, { bornMs }), ...extensionOf(making, subject, expiresMs)];
    }),
  ];
};

/** Times in milliseconds by which an extension precedes the expiry of the token. */
const EXTENDED_BEFORE_MS = [0, 10, 1_000, 60_000];

/** Draws the extension of a token that is about to expire. */
function extensionOf(making: Making, subject: Subject, expiresMs: number): readonly Action[] {
  const { draw, startMs } = making;
  if (!draw.once('extended token', 2)) return [];
  const atMs = expiresMs - draw.one('extended before', EXTENDED_BEFORE_MS);
  const expiration = encoded(toTime(startMs + expiresMs + 20 * MINUTE));
  return [patch(atMs, subject.resource, subject.namespace, subject.name, { data: { expiration } })];
}

/** Returns a ServiceAccount. Users also change its references to Secrets. */
export const accountNamed = (_making: Making, name: string): Subject => ({
  resource: ACCOUNTS,
  namespace: TEAM,
  name,
  edits: {
    secrets: [[], [{ name: `${name}-token` }], [{ name: 'nobody' }, { name: `${name}-token` }]],
    automountServiceAccountToken: [ABSENT, true, false],
  },
  moves: ROTATED,
});

/** Returns the token Secret that a user creates for a ServiceAccount. */
export const tokenSecretOf = ({ vocabulary }: Making, name: string, account: string): Subject => {
  const ofAccount = (of: string) => ({ [vocabulary.serviceAccountName]: of });
  return {
    resource: SECRETS,
    namespace: TEAM,
    name,
    base: {
      metadata: { annotations: ofAccount(account) },
      type: vocabulary.secretTypes.serviceAccountToken,
    },
    edits: {
      'data.token': orBlank([encoded('stale')]),
      'data.namespace': orBlank([encoded('elsewhere')]),
      // A dot in a key would be read as a path.
      data: [ABSENT, { 'ca.crt': '' }, { 'ca.crt': encoded('stale') }],
      'metadata.annotations': [ofAccount(account), ofAccount('nobody'), ofAccount(''), ABSENT],
    },
    moves: ROTATED,
  };
};

/** Returns an object that a controller creates in every namespace. */
const maintained = (resource: string, name: string, edits: Subject['edits']): Subject => ({
  resource,
  namespace: TEAM,
  name,
  isMaintained: true,
  ...(edits && { edits }),
  moves: ['edit', 'touch', 'delete', 'delete', 'replace'],
  moveCounts: [1, 1, 2],
});

/**
 * Returns actions on ServiceAccounts, token Secrets, and the objects that controllers maintain in every
 * namespace.
 */
export const serviceAccounts: Part = (making) => {
  const { draw, vocabulary } = making;
  const bornMs = sometime(making);
  const rootCa = maintained('/configmaps', vocabulary.rootCaConfigMap, {
    'data.ca': orBlank(['changed']),
    data: [ABSENT],
  });
  const others = [
    { chosen: draw.once('default token', 2), subject: tokenSecretOf(making, 'default-token', 'default') },
    { chosen: draw.once('default account', 3), subject: maintained(ACCOUNTS, 'default', undefined) },
    { chosen: draw.once('root certificate', 3), subject: rootCa },
  ];
  return [
    ...lifeOf(making, accountNamed(making, 'builder'), { bornMs }),
    ...lifeOf(making, tokenSecretOf(making, 'builder-token', 'builder'), { bornMs: later(making, bornMs) }),
    ...others.flatMap(({ chosen, subject }) => (chosen ? lifeOf(making, subject) : [])),
  ];
};
