import { describe, expect, it } from 'vitest';
import { ListenerError } from '../../apiserver/http/listener/listener.ts';
import { StorageConflict, StorageError } from '../../apiserver/storage/storage.ts';
import { ApiError, notFound } from '../../api/status/api-error.ts';
import { ClientError } from '../../runtime/client/client-error.ts';
import { BRAND, hasBrand } from './brand.ts';
import { CodedError } from './coded.ts';

type Class = (abstract new (...args: never) => Error) & { readonly [BRAND]: string };

const exported: readonly (readonly [Class, Error])[] = [
  [ApiError, notFound({ group: '', resource: 'pods' }, 'a')],
  [CodedError, new CodedError('ERR_X', 'x')],
  [ClientError, new ClientError('ERR_TIMEOUT', 'x')],
  [ListenerError, new ListenerError('ERR_LISTEN_TLS', 'x')],
  [StorageError, new StorageError('ERR_NO_ROOM', 'x')],
  [StorageConflict, new StorageConflict('a', 1, undefined)],
];

/** Returns the class as another copy of its module would define it. */
const copyOf = (brand: string): Class =>
  class extends Error {
    static readonly [BRAND] = brand;

    static override [Symbol.hasInstance](value: unknown): boolean {
      return hasBrand(this, value);
    }
  } as never;

describe('exported errors', () => {
  it.each(exported)('are instances of another copy of their class: %o', (type, error) => {
    expect(error).toBeInstanceOf(type);
    expect(error).toBeInstanceOf(copyOf(type[BRAND]));
    expect(error).not.toBeInstanceOf(copyOf('Other'));
  });

  it('are instances of their class and its superclasses only', () => {
    const above = new Map<Class, readonly Class[]>([
      [ClientError, [CodedError]],
      [ListenerError, [CodedError]],
      [StorageError, [CodedError]],
      [StorageConflict, [CodedError, StorageError]],
    ]);
    for (const [type, error] of exported)
      for (const [other] of exported)
        expect(error instanceof other).toBe(type === other || (above.get(type) ?? []).includes(other));
  });

  it('may have a subclass without a brand, which matches its own instances only', () => {
    class Narrow extends CodedError {}
    expect(new Narrow('ERR_X', 'x')).toBeInstanceOf(Narrow);
    expect(new Narrow('ERR_X', 'x')).toBeInstanceOf(CodedError);
    expect(new CodedError('ERR_X', 'x')).not.toBeInstanceOf(Narrow);
    for (const value of [undefined, null, 'text', {}, new Error('x')])
      expect(value).not.toBeInstanceOf(CodedError);
  });
});
