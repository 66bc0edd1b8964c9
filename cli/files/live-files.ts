import { isDeepStrictEqual } from 'node:util';
import { createSecureContext } from 'node:tls';
import type { Environment } from '../../base/environment.ts';
import { type Lifetime, type Live, type Reloaded, createReloaded } from '../../base/lifetime/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { readRequired } from './files.ts';
import type { Credential } from './provision.ts';

/** Settings from files that are read again periodically between `start` and `stop`. */
export interface LiveFiles extends Lifetime {
  /**
   * Reads a setting and throws the errors of `read`. If a later read fails, the setting does not change. Must
   * be called before `start`.
   */
  follow<T>(name: string, read: () => Promise<T>): Promise<Live<T>>;
  /** Calls `run` after each change of a setting, one call at a time. */
  onChange(run: () => void | Promise<void>): void;
}

export function createLiveFiles(environment: Pick<Environment, 'clock' | 'log'>): LiveFiles {
  const followed: Reloaded<unknown>[] = [];
  const listeners: (() => void | Promise<void>)[] = [];
  const onChange = async (): Promise<void> => {
    for (const notify of listeners) await notify();
  };
  return {
    name: 'live files',
    async follow(name, read) {
      const first = await read();
      const reloaded = createReloaded({
        ...environment,
        name,
        first,
        read,
        isSame: isDeepStrictEqual,
        onChange,
      });
      followed.push(reloaded);
      return reloaded.current;
    },
    onChange: (run) => void listeners.push(run),
    async start() {
      for (const each of followed) await each.start();
    },
    async stop() {
      for (const each of followed) await each.stop();
    },
  };
}

/** Reads a certificate and its key. Throws a `CodedError` if a file is missing or the key does not match. */
export async function readKeyPair(certificateFile: string, keyFile: string): Promise<Credential> {
  const [certificate, key] = [await readRequired(certificateFile), await readRequired(keyFile)];
  try {
    createSecureContext({ cert: certificate, key });
  } catch (cause) {
    throw new CodedError(
      'ERR_FILE',
      `${certificateFile} and ${keyFile} do not hold a certificate and its key: ${messageOf(cause)}`,
      { cause },
    );
  }
  return { certificate, key };
}
