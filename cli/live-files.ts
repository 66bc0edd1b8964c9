import { isDeepStrictEqual } from 'node:util';
import { createSecureContext } from 'node:tls';
import type { Environment } from '../base/environment.ts';
import { type Lifetime, type Live, type Reloaded, createReloaded } from '../base/lifetime/index.ts';
import { CodedError, messageOf } from '../base/errors/index.ts';
import { readRequired } from './files.ts';
import type { Credential } from './provision.ts';

/** Settings from files that are re-read between start and stop. */
export interface LiveFiles extends Lifetime {
  /**
   * Reads a setting now and throws the errors of `read`. A later read that fails changes nothing. Call it
   * before `start`.
   */
  follow<T>(name: string, read: () => Promise<T>): Promise<Live<T>>;
  /** Calls `run` after each change, for one setting at a time. */
  onChange(run: () => void | Promise<void>): void;
}

export function createLiveFiles(environment: Pick<Environment, 'clock' | 'log'>): LiveFiles {
  const followed: Reloaded<unknown>[] = [];
  const listeners: (() => void | Promise<void>)[] = [];
  const onChange = async (): Promise<void> => {
    for (const tell of listeners) await tell();
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

/** Reads a certificate and its key. Throws a `CodedError` if a file is missing or they do not match. */
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
