import { useEffect, useState } from 'preact/hooks';
import type { Overview } from '../../model/documents.ts';
import type { ResourceName } from '../../model/view.ts';
import { askJson } from '../access.ts';
import { resourceId } from '../api.ts';
import { toKey } from '../routes.ts';

/** Controllers whose keys are names of objects of a resource, with the way to what they know of one. */
export function WorkedOnBy({ resource, object }: { resource: ResourceName; object: string }) {
  const [controllers, show] = useState<readonly string[]>([]);
  const id = resourceId(resource);
  useEffect(() => {
    let wanted = true;
    askJson<Overview>('/journal/v1/controllers').then(
      (overview) => {
        const own = overview.controllers.filter(
          ({ keyed, watches: [first] }) => keyed && first && resourceId(first) === id,
        );
        if (wanted) show(own.map(({ name }) => name));
      },
      // Who may not read the journal is not told of controllers.
      () => {},
    );
    return () => void (wanted = false);
  }, [id]);
  if (controllers.length === 0) return null;
  return (
    <p class="worked-on">
      <span class="soft">Why is it as it is? Ask</span>
      {controllers.map((name) => (
        <a key={name} href={toKey(name, object)}>
          {name}
        </a>
      ))}
    </p>
  );
}
