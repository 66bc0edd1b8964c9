import { toTime } from '../../base/clock/index.ts';
import type { Action } from '../world/user.ts';
import {
  MINUTE,
  type Making,
  type Part,
  TEAM,
  create,
  encoded,
  later,
  oneOf,
  once,
  patch,
  remove,
  sometime,
} from './parts.ts';

const KUBECONFIG = 'apiVersion: v1\nkind: Config\nclusters:\n- name: ""\n';
const IDS = ['aaaaaa', 'bbbbbb', 'cccccc'];

/** Part: bootstrap tokens, some of which expire, are extended just before, or may not sign. */
export const bootstrapTokens: Part = (making) => {
  const { random, vocabulary } = making;
  const infos = vocabulary.namespaces.public;
  return [
    create(0, '/configmaps', infos, 'cluster-info', { data: { kubeconfig: KUBECONFIG, other: 'kept' } }),
    ...(once(random, 3)
      ? [
          patch(sometime(making), '/configmaps', infos, 'cluster-info', {
            data: { kubeconfig: `${KUBECONFIG}#\n` },
          }),
        ]
      : []),
    ...IDS.slice(0, 1 + random.int(IDS.length)).flatMap((id) => token(making, id)),
  ];
};

export const nameOfToken = (id: string): string => `bootstrap-token-${id}`;

/** Returns the data of a token's Secret; `expiresMs` is wall time, default never. */
export const tokenData = (id: string, signs: boolean, expiresMs?: number) => ({
  'token-id': encoded(id),
  'token-secret': encoded('f395accd246ae52d'),
  'usage-bootstrap-signing': encoded(String(signs)),
  ...(expiresMs !== undefined && { expiration: encoded(toTime(expiresMs)) }),
});

function token(making: Making, id: string): readonly Action[] {
  const { random, vocabulary, startMs } = making;
  const namespace = vocabulary.namespaces.system;
  const name = nameOfToken(id);
  const bornMs = sometime(making);
  const expiresMs = later(making, bornMs);
  const expiration = (atMs: number): string => encoded(toTime(startMs + atMs));
  return [
    create(bornMs, '/secrets', namespace, name, {
      type: vocabulary.secretTypes.bootstrapToken,
      data: tokenData(id, !once(random, 4), once(random, 4) ? undefined : startMs + expiresMs),
    }),
    ...(once(random, 3)
      ? [
          patch(expiresMs - oneOf(random, [0, 1_000, 60_000]), '/secrets', namespace, name, {
            data: { expiration: expiration(expiresMs + 20 * MINUTE) },
          }),
        ]
      : []),
    ...(once(random, 5) ? [remove(later(making, bornMs), '/secrets', namespace, name)] : []),
  ];
}

/** Returns the creation of a token Secret by a user. */
export const tokenSecret = ({ vocabulary }: Making, name: string, account: string, atMs: number): Action =>
  create(atMs, '/secrets', TEAM, name, {
    metadata: { annotations: { [vocabulary.serviceAccountName]: account } },
    type: vocabulary.secretTypes.serviceAccountToken,
  });

/** Part: service accounts and user-created token Secrets; accounts are deleted and recreated. */
export const serviceAccounts: Part = (making) => {
  const { random, vocabulary } = making;
  const bornMs = sometime(making);
  const goneMs = later(making, bornMs);
  const secretFor = (name: string, account: string, atMs: number): Action =>
    tokenSecret(making, name, account, atMs);
  return [
    create(bornMs, '/serviceaccounts', TEAM, 'builder'),
    secretFor('builder-token', 'builder', later(making, bornMs)),
    ...(once(random, 2) ? [secretFor('default-token', 'default', sometime(making))] : []),
    ...(once(random, 2)
      ? [
          remove(goneMs, '/serviceaccounts', TEAM, 'builder'),
          ...(once(random, 2)
            ? [create(goneMs + oneOf(random, [10, 5_000]), '/serviceaccounts', TEAM, 'builder')]
            : []),
        ]
      : []),
    ...(once(random, 3) ? [remove(sometime(making), '/serviceaccounts', TEAM, 'default')] : []),
    ...(once(random, 3) ? [remove(sometime(making), '/configmaps', TEAM, vocabulary.rootCaConfigMap)] : []),
  ];
};
