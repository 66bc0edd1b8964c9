import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Vocabulary, vocabularies } from '../../api/vocabulary/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { createFolder } from '../../base/folders/index.ts';
import { UsageError } from '../flags/flags.ts';
import type { Resource } from './resources.ts';

/** Vocabulary and resources of a server. */
export interface Served {
  readonly vocabulary: Vocabulary;
  readonly resources: readonly Resource[];
}

/** Resources of a server, of a file or of the server. */
export interface Discovery {
  /** Returns the resources of the server itself. */
  fresh(): Promise<readonly Resource[]>;
  /**
   * Returns the result of `find` for the known resources. If it throws `UsageError` because a resource is
   * unknown, returns its result for the resources of the server itself.
   */
  find<T>(find: (all: readonly Resource[]) => T): Promise<T>;
}

/** Time for which the resources in a file are used, in milliseconds. As in kubectl 1.24. */
const FRESH_MS = 6 * 3_600_000;
/** Version of the file's format. Files of other versions are ignored. */
const FORMAT = 2;

/** File with the resources of one server. A file that cannot be read or written is as good as none. */
export interface DiscoveryFile {
  read(): Promise<Served | undefined>;
  write(served: Served): Promise<void>;
}

/**
 * Creates the file of a server in `folder`. The certificate authority is part of its name, because another
 * cluster may have the same address later.
 */
export function createDiscoveryFile(
  folder: string,
  { server, ca = '' }: { readonly server: string; readonly ca?: string | undefined },
  nowMs: () => number,
): DiscoveryFile {
  const identity = createHash('sha256').update(`${server}\n${ca}`).digest('hex').slice(0, 16);
  const host = server.replace(/^https?:\/\//, '').replace(/[^\w.-]+/g, '_');
  const path = join(folder, `${host}-${identity}.json`);
  return {
    async read() {
      try {
        return servedIn(JSON.parse(await readFile(path, 'utf8')), nowMs());
      } catch {
        return undefined;
      }
    },
    async write({ vocabulary: { product }, resources }) {
      try {
        createFolder(folder, 0o700);
        const temporary = `${path}.${process.pid}`;
        const text = JSON.stringify({ format: FORMAT, savedMs: nowMs(), product, resources });
        await writeFile(temporary, text, { mode: 0o600 });
        await rename(temporary, path);
      } catch {
        // The next command asks the server again.
      }
    },
  };
}

function servedIn(value: unknown, nowMs: number): Served | undefined {
  if (!isRecord(value) || value['format'] !== FORMAT || !Array.isArray(value['resources'])) return undefined;
  const ageMs = nowMs - Number(value['savedMs']);
  const vocabulary = vocabularies.find(({ product }) => product === value['product']);
  if (!(ageMs >= 0 && ageMs < FRESH_MS) || vocabulary === undefined) return undefined;
  // The cast is safe: this program wrote the file in this format.
  return { vocabulary, resources: value['resources'] as readonly Resource[] };
}

/** Creates the discovery of a server. `ask` returns the resources of the server itself. */
export function createDiscovery(
  known: readonly Resource[] | undefined,
  ask: () => Promise<readonly Resource[]>,
): Discovery {
  let asked: Promise<readonly Resource[]> | undefined;
  const fresh = (): Promise<readonly Resource[]> => (asked ??= ask());
  return {
    fresh,
    async find(find) {
      if (known === undefined) return find(await fresh());
      try {
        return find(known);
      } catch (thrown) {
        if (!(thrown instanceof UsageError)) throw thrown;
        return find(await fresh());
      }
    },
  };
}
