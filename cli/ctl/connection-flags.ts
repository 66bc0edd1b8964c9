import { vocabularies } from '../../api/vocabulary/index.ts';
import { type FlagValues, list, text } from '../flags/flags.ts';
import { vocabularyOverrideFlag } from '../flags/vocabulary-flag.ts';

/**
 * Path of the administrator's client configuration of a server that was started in this directory with
 * default flags.
 */
export const OWN_CONFIG = '.orch/admin.conf';

/** Flags of every command, which select the server and the user. */
export const connectionFlags = {
  kubeconfig: text(
    '',
    `client configuration; default what ${vocabularies.map(({ configVariable }) => `$${configVariable}`).join(' or ')} names, else ${OWN_CONFIG}`,
  ),
  context: text('', 'context of the client configuration; default its current one'),
  token: text('', 'bearer token instead of the credential in the client configuration'),
  as: text('', 'user to act as'),
  'as-group': list([], 'groups to act as; may be repeated'),
  'as-uid': text('', 'uid to act as'),
  'cache-dir': text(
    '',
    'folder for the resources of servers, which are kept for six hours; default orchctl in $XDG_CACHE_HOME or ~/.cache',
  ),
  vocabulary: vocabularyOverrideFlag,
};

export type ConnectionFlags = FlagValues<typeof connectionFlags>;
