import { useEffect, useState } from 'preact/hooks';
import type { ControllerKey } from '../../model/acts/act.ts';
import type { KeysDocument, Overview } from '../../model/documents.ts';
import { keyWithResource } from '../../model/key-object.ts';
import type { ResourceName } from '../../model/view.ts';
import { sendForJson } from '../access.ts';
import { resourceId } from '../api.ts';
import { toKey } from '../routes.ts';

/**
 * Returns the controller keys that belong to an object. A controller whose keys are object names has one if
 * it reconciles the object's resource. A controller with keys of any resource, such as the garbage collector,
 * has one if its journal contains the key.
 */
async function keysOf(resource: ResourceName, object: string): Promise<readonly ControllerKey[]> {
  const { controllers } = await sendForJson<Overview>('/journal/v1/controllers');
  const found = await Promise.all(
    controllers.map(async ({ name, keyed, watches: [first] }): Promise<readonly ControllerKey[]> => {
      if (keyed)
        return first && resourceId(first) === resourceId(resource) ? [{ controller: name, key: object }] : [];
      const key = keyWithResource(resource, object);
      const query = new URLSearchParams({ search: key });
      const { items } = await sendForJson<KeysDocument>(
        `/journal/v1/controllers/${encodeURIComponent(name)}/keys?${query}`,
      );
      return items.some((item) => item.key === key) ? [{ controller: name, key }] : [];
    }),
  );
  return found.flat();
}

/** Returns the controller keys of an object, which are read once. */
export function useControllerKeys(resource: ResourceName, object: string): readonly ControllerKey[] {
  const [keys, show] = useState<readonly ControllerKey[]>([]);
  const id = resourceId(resource);
  useEffect(() => {
    let wanted = true;
    keysOf(resource, object).then(
      (found) => wanted && show(found),
      // The journal needs rights that a user of the explorer may not have. Without them, there are no keys.
      () => {},
    );
    return () => void (wanted = false);
  }, [id, object]);
  return keys;
}

/** Links to the keys of an object. */
export function WorkedOnBy({ keys }: { keys: readonly ControllerKey[] }) {
  if (keys.length === 0) return null;
  return (
    <p class="worked-on">
      <span class="soft">Reconciled by</span>
      {keys.map(({ controller, key }) => (
        <a key={controller} href={toKey(controller, key)}>
          {controller}
        </a>
      ))}
    </p>
  );
}
