import type { UserInfo } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Authorizer } from '../request.ts';

/**
 * True if the user may `approve` for or `sign` as a signer. The permission may name the signer or all signers
 * of its domain, as `DOMAIN/*`.
 */
export async function isAllowedOnSigner(
  authorizer: Authorizer,
  vocabulary: Vocabulary,
  user: UserInfo,
  verb: 'approve' | 'sign',
  signerName: string,
): Promise<boolean> {
  const slash = signerName.indexOf('/');
  const all = slash === -1 ? [] : [`${signerName.slice(0, slash)}/*`];
  for (const name of [signerName, ...all]) {
    const { verdict } = await authorizer.authorize({
      user,
      verb,
      isResourceRequest: true,
      path: '',
      group: vocabulary.group('certificates'),
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
    });
    if (verdict === 'allow') return true;
  }
  return false;
}
