import { secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { objectRule } from '../../runtime/index.ts';

/** Token Secret that was deleted because its ServiceAccount never existed. */
export const tokenWithoutAccount = objectRule({
  reason: 'no-account',
  controller: 'serviceaccount-token',
  kind: secrets,
  patienceMs: 60_000,
  applies: () => false,
  find: () => undefined,
  lost({ metadata, type, data }, facts) {
    const { vocabulary } = facts;
    const account = metadata?.annotations?.[vocabulary.serviceAccountName];
    if (type !== vocabulary.secretTypes.serviceAccountToken || account === undefined) return undefined;
    const { namespace = '', name = '' } = metadata ?? {};
    // A Secret with a token had an account: it was deleted with that account.
    const wasFilled =
      data?.['token'] !== undefined || metadata?.annotations?.[vocabulary.serviceAccountUid] !== undefined;
    if (wasFilled || facts.get(serviceAccounts, `${namespace}/${account}`) !== undefined) return undefined;
    return {
      blocker: facts.linkTo(serviceAccounts, account, namespace),
      sentence: `Secret ${namespace}/${name} was deleted, because the ServiceAccount ${namespace}/${account} that its token is for does not exist.`,
    };
  },
});
