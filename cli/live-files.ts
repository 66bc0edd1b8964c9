import { isDeepStrictEqual } from 'node:util';
import { createSecureContext } from 'node:tls';
import type { Environment } from '../base/environment.ts';
import type { Lifetime } from '../base/lifetime/lifetimes.ts';
import { type Live, type Reloaded, createReloaded } from '../base/lifetime/reloaded.ts';
import { CodedError, messageOf } from '../base/errors/coded.ts';
import { readRequired } from './files.ts';
import type { Credential } from './provision.ts';

/** What is read from files, and read anew between start and stop. */
export interface LiveFiles extends Lifetime {
  /** Reads it now, and throws what `read` throws; later what cannot be read changes nothing. Before `start` alone. */
  follow<T>(name: string, read: () => Promise<T>): Promise<Live<T>>;
  /** Tells when anything has changed, one setting at a time. */
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

/** Throws one sentence where the two files are not there, or are no pair. */
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
