import type { Act } from '../../model/acts/act.ts';
import { send } from '../access.ts';

const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;

/** Returns random letters for the name of a new object. */
export const suffix = (): string =>
  [...crypto.getRandomValues(new Uint8Array(SUFFIX_LENGTH))]
    .map((byte) => LETTERS[byte % LETTERS.length])
    .join('');

/** Sends the request of an act. Returns its message, or that of the error. */
export async function perform(act: Act): Promise<string> {
  try {
    const { method, path, contentType, body } = act.request();
    await send(path, {
      method,
      accept: 'application/json',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(contentType === undefined ? {} : { contentType }),
    });
    return act.done;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
