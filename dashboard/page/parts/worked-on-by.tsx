import { useEffect, useState } from 'preact/hooks';
import type { Overview } from '../../model/documents.ts';
import type { ResourceName } from '../../model/view.ts';
import { sendForJson } from '../access.ts';
import { resourceId } from '../api.ts';
import { toKey } from '../routes.ts';

/** Links to the key of an object in each controller that reconciles its resource. */
export function WorkedOnBy({ resource, object }: { resource: ResourceName; object: string }) {
  const [controllers, show] = useState<readonly string[]>([]);
  const id = resourceId(resource);
  useEffect(() => {
    let wanted = true;
    sendForJson<Overview>('/journal/v1/controllers').then(
      (overview) => {
        const own = overview.controllers.filter(
          ({ keyed, watches: [first] }) => keyed && first && resourceId(first) === id,
        );
        if (wanted) show(own.map(({ name }) => name));
      },
      // The journal needs rights that a user of the explorer may not have. Without them, there are no links.
      () => {},
    );
    return () => void (wanted = false);
  }, [id]);
  if (controllers.length === 0) return null;
  return (
    <p class="worked-on">
      <span class="soft">Reconciled by</span>
      {controllers.map((name) => (
        <a key={name} href={toKey(name, object)}>
          {name}
        </a>
      ))}
    </p>
  );
}
