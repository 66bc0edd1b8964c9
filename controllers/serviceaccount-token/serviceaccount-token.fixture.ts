import { expect } from 'vitest';
import { createTokenIssuer } from '../../base/tokens/issuer.ts';
import { secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { generatedName } from './generated-name.ts';

export const HOUR = 3_600_000;
export const decode = (text = ''): string => Buffer.from(text, 'base64').toString();

/** Starts a world with the ServiceAccount `robot` in the namespace `team`. */
export async function start(controllers = ['serviceaccount-token']) {
  const world = await useWorld({ controllers });
  const { client, vocabulary, eventually } = world;
  const accounts = client.namespaced(serviceAccounts, 'team');
  const tokens = client.namespaced(secrets, 'team');
  const account = await accounts.create({ metadata: { name: 'robot' } });
  const tokenOf = async (name: string) =>
    decode(await eventually(async () => (await tokens.get(name)).data?.['token'] ?? expect.unreachable()));
  return {
    ...world,
    accounts,
    tokens,
    account,
    tokenOf,
    post: (name: string, annotations: Readonly<Record<string, string>> = {}, data = {}) =>
      tokens.create({
        metadata: { name, annotations: { [vocabulary.serviceAccountName]: 'robot', ...annotations } },
        type: vocabulary.secretTypes.serviceAccountToken,
        data,
      }),
    isGone: (name: string) =>
      tokens.get(name).then(
        () => false,
        (thrown: unknown) => isNotFound(thrown),
      ),
  };
}

export type AccountWorld = Awaited<ReturnType<typeof start>>;

/** Returns the names of the token Secrets that were generated for a ServiceAccount. */
export const generated = async (
  { tokens }: Pick<AccountWorld, 'tokens'>,
  of = 'robot',
): Promise<readonly string[]> =>
  (await tokens.list()).items
    .map(({ metadata }) => metadata?.name ?? '')
    .filter((name) => name.startsWith(`${of}-token-`));

/** `jti` of the token that `generateElsewhere` creates. */
const ELSEWHERE_ID = '7d444840-9dc0-11d1-b245-5ffdce74fad2';

/** Returns the name of the Secret that `generateElsewhere` creates. */
export const elsewhereName = ({ account }: Pick<AccountWorld, 'account'>): string =>
  generatedName(account, ELSEWHERE_ID);

/**
 * Generates a token for `robot` like a second process that has not observed the first token. Returns the name
 * of the Secret.
 */
export async function generateElsewhere(world: AccountWorld): Promise<string> {
  const { vocabulary, settings, account, post } = world;
  const name = elsewhereName(world);
  const issuer = createTokenIssuer({
    privateKey: settings.serviceAccountKey,
    issuer: vocabulary.issuer,
    names: vocabulary,
  });
  const uid = account.metadata?.uid ?? '';
  const serviceAccount = { name: 'robot', uid };
  const token = await issuer.legacyToken({
    namespace: 'team',
    serviceAccount,
    secretName: name,
    id: ELSEWHERE_ID,
  });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const data = { token: base64(token), 'ca.crt': base64(settings.rootCa), namespace: base64('team') };
  await post(name, { [vocabulary.serviceAccountUid]: uid }, data);
  return name;
}
