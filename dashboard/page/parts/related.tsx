import { useEffect, useState } from 'preact/hooks';
import type { ResourceName } from '../../model/documents.ts';
import { askJson } from '../access.ts';
import { type PlainObject, collectionPath, nameOf, resourceId } from '../api.ts';
import { toResource } from '../routes.ts';

interface Found {
  readonly resource: ResourceName;
  readonly name: string;
}

/** Owners of an object, and those of the controller's own kinds that it owns. */
export function Related({ object, watches }: { object: PlainObject; watches: readonly ResourceName[] }) {
  const { uid, ownerReferences = [], namespace, resourceVersion } = object.metadata ?? {};
  const [dependents, show] = useState<readonly Found[]>([]);
  useEffect(() => {
    if (uid === undefined) return undefined;
    let wanted = true;
    void dependentsOf(uid, namespace, watches).then((found) => wanted && show(found));
    return () => void (wanted = false);
  }, [uid, resourceVersion]);
  if (ownerReferences.length === 0 && dependents.length === 0) return null;
  return (
    <section class="card" aria-labelledby="related">
      <h2 id="related">Related objects</h2>
      <ul class="plain">
        {ownerReferences.map(({ kind, name, uid: owner }) => (
          <li key={owner}>
            <span class="soft">owner</span> {kind} <span class="key-name">{name}</span>
          </li>
        ))}
        {dependents.map(({ resource, name }) => (
          <li key={`${resource.plural} ${name}`}>
            <a href={toResource(resourceId(resource), name)}>
              <span>
                <span class="soft">owns</span> {resource.plural}
              </span>{' '}
              <span class="key-name">{name}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Kinds that may not be listed are left out. */
async function dependentsOf(
  uid: string,
  namespace: string | undefined,
  watches: readonly ResourceName[],
): Promise<readonly Found[]> {
  const lists = await Promise.all(
    watches.slice(0, 8).map(async (resource) => {
      const path = collectionPath(resource, resource.namespaced ? namespace : '');
      const list = await askJson<{ items: readonly PlainObject[] }>(`${path}?limit=500`).catch(() => ({
        items: [],
      }));
      return list.items
        .filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.uid === uid))
        .map((item): Found => ({ resource, name: nameOf(item) }));
    }),
  );
  return lists.flat();
}
