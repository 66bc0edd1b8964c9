import { CodedError } from '../../base/errors/index.ts';
import type { UserInfo } from '../../api/kinds/index.ts';
import type { TokenAuthenticator } from '../request.ts';
import { parseCsv } from './csv.ts';
import { digestOf } from './secret-digest.ts';

/** Token and user from one line of a token file. */
export interface TokenEntry {
  readonly token: string;
  readonly user: UserInfo;
}

const problem = (line: number, message: string): CodedError =>
  new CodedError('ERR_TOKEN_FILE', `token file line ${line}: ${message}`);

/**
 * Parses lines of `token,user,uid` or `token,user,uid,"group1,group2"`. Ignores further columns and empty
 * lines. Throws `ERR_TOKEN_FILE` with the line number, never with the token.
 */
export function parseTokenFile(text: string): readonly TokenEntry[] {
  const seen = new Set<string>();
  return parseCsv(text, problem).map(({ line, cells }) => {
    const [token = '', username = '', uid = '', groups = ''] = cells;
    if (cells.length < 3)
      throw problem(line, `found ${cells.length} columns, expected at least 3: token, user name, user uid`);
    if (token === '') throw problem(line, 'token is empty');
    if (username === '') throw problem(line, 'user name is empty');
    if (seen.has(token)) throw problem(line, 'token is a duplicate of an earlier line');
    seen.add(token);
    return {
      token,
      user: {
        username,
        ...(uid === '' ? {} : { uid }),
        groups: groups.split(',').filter((group) => group !== ''),
      },
    };
  });
}

/**
 * Creates an authenticator for the tokens of a file. Tokens are stored and looked up by their SHA-256, so
 * that the duration of a lookup reveals nothing about the tokens.
 */
export function createTokenFileAuthenticator(entries: readonly TokenEntry[]): TokenAuthenticator {
  const users = new Map(entries.map(({ token, user }) => [digestOf(token).toString('latin1'), user]));
  return {
    name: 'token-file',
    async authenticateToken(token) {
      const user = users.get(digestOf(token).toString('latin1'));
      return user === undefined ? undefined : { user };
    },
  };
}
