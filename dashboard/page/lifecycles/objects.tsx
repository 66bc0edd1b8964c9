import type { LifecycleDocument, LifecycleObjectsDocument } from '../../lifecycles/documents.ts';
import { resourceId } from '../api.ts';
import { Ago, Loading, Problem, many } from '../parts/bits.tsx';
import { chosenNamespace } from '../namespace.ts';
import { NamespaceChoice } from '../parts/namespace-choice.tsx';
import { toLifecycle, toResource } from '../routes.ts';
import { useStore } from '../store.ts';
import { useLifecycles } from './read.ts';

const ROWS = 100;

/** Objects of a lifecycle in one state, or in any, those that have been in it longest first. */
export function LifecycleObjects({
  lifecycle: { id, resources },
  state,
}: {
  lifecycle: LifecycleDocument;
  state: string | undefined;
}) {
  const namespace = useStore(chosenNamespace);
  const query = new URLSearchParams({
    limit: String(ROWS),
    namespace,
    ...(state !== undefined && { state }),
  });
  const { document, problem } = useLifecycles<LifecycleObjectsDocument>(
    `lifecycles/${encodeURIComponent(id)}/objects?${query}`,
  );
  return (
    <section class="card" aria-labelledby="objects">
      <header class="bar">
        <h2 id="objects">{state === undefined ? 'Objects' : `Objects in ${state}`}</h2>
        {resources.some(({ namespaced }) => namespaced) && <NamespaceChoice />}
        {state !== undefined && <a href={toLifecycle(id)}>all states</a>}
      </header>
      {problem !== undefined && <Problem problem={problem} />}
      {problem === undefined && document === undefined && <Loading />}
      {document !== undefined && <List document={document} />}
    </section>
  );
}

function List({ document: { items, total, atMs } }: { document: LifecycleObjectsDocument }) {
  if (total === 0) return <p class="soft">No object.</p>;
  return (
    <>
      <ol class="plain">
        {items.map(({ resource, object, state, sinceMs, isObserved }) => (
          <li key={`${resource.plural} ${object}`}>
            <a href={toResource(resourceId(resource), object)} title={`${resource.plural}, ${state}`}>
              <span class="key-name">{object}</span>
              <span
                title={
                  isObserved ? 'since it was observed to enter the state' : 'since its last known change'
                }
              >
                {isObserved ? '' : '≈ '}
                <Ago ms={atMs - sinceMs} />
              </span>
            </a>
          </li>
        ))}
      </ol>
      {total > items.length && (
        <p class="soft">
          {many(items.length)} of {many(total)}
        </p>
      )}
    </>
  );
}
