import { isAlreadyExists } from '../../../api/status/index.ts';
import { StorageConflict, type Stored } from '../../storage/storage.ts';
import type { WriteContext } from '../registry.ts';
import type { Resource } from '../resource.ts';

type Attempted = Pick<WriteContext, 'signal' | 'warn' | 'budget'>;

/**
 * Reads the object at `key` and runs `attempt` until it does not conflict with another writer. After a
 * conflict, a writer joins the queue of the key (see `WriteLines`), so that writers of this server do not
 * conflict again. A writer with `versioned` set does not join, as its next attempt is rejected. Warnings of a
 * conflicting attempt are discarded.
 */
export async function inAttempts<T>(
  { lines, storage }: Pick<Resource, 'lines' | 'storage'>,
  key: string,
  { versioned }: { readonly versioned: boolean },
  { signal, warn, budget }: Attempted,
  attempt: (stored: Stored | undefined, warn: (text: string) => void) => Promise<T>,
): Promise<T> {
  let turn = versioned || !lines.has(key) ? undefined : await lines.join(key);
  const warnings: string[] = [];
  try {
    for (let stored = await storage.get(key); ;) {
      signal.throwIfAborted();
      warnings.length = 0;
      if (budget?.isDue) await budget.pause();
      try {
        return await attempt(stored, (text) => void warnings.push(text));
      } catch (thrown) {
        const isLost = thrown instanceof StorageConflict;
        // Another writer may have created the object after the read. The next attempt updates it.
        if (!isLost && (stored || !isAlreadyExists(thrown))) throw thrown;
        const joins = !versioned && turn?.isOn !== true;
        if (joins) turn = await lines.join(key);
        stored = isLost && !joins ? thrown.current : await storage.get(key);
      }
    }
  } finally {
    turn?.end();
    for (const text of warnings) warn(text);
  }
}
