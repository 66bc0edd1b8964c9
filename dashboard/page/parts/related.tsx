import { useEffect, useState } from 'preact/hooks';
import type { ResourceName } from '../../model/view.ts';
import { type OwnerReference, type PlainObject, type ServedResource, discover, resourceId } from '../api.ts';
import { type DependentsFound, findDependents } from '../dependents.ts';
import { toResource } from '../routes.ts';

const NOTHING: DependentsFound = { found: [], done: 0, all: 0 };
/** Dependents that are named; of more their number is told. */
const MANY = 50;

/** Owners of an object, and what it owns among all resources the server lists. */
export function Related(props: {
  object: PlainObject;
  /** Resources where its dependents are likely. */
  watches: readonly ResourceName[];
  metaGroup: string;
}) {
  const { object, watches, metaGroup } = props;
  const { uid, ownerReferences = [], namespace } = object.metadata ?? {};
  const [resources, setResources] = useState<readonly ServedResource[]>([]);
  const [{ found, done, all }, show] = useState(NOTHING);
  const [round, again] = useState(0);
  useEffect(() => {
    discover().then(setResources, () => {});
  }, []);
  useEffect(() => {
    if (uid === undefined || resources.length === 0) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    void findDependents({ owner: object, resources, first: watches, metaGroup, signal, tell: show });
    return () => leaving.abort();
  }, [uid, resources, round]);
  const searching = done < all || all === 0;
  return (
    <section class="card" aria-labelledby="related">
      <header class="bar">
        <h2 id="related">Related objects</h2>
        {!searching && (
          <button type="button" onClick={() => again(round + 1)}>
            look again
          </button>
        )}
      </header>
      <ul class="plain">
        {ownerReferences.map((owner) => (
          <Owner key={owner.uid} owner={owner} namespace={namespace} resources={resources} />
        ))}
        {found.slice(0, MANY).map(({ resource, name }) => (
          <li key={`${resourceId(resource)} ${name}`}>
            <a href={toResource(resourceId(resource), name)}>
              <span>
                <span class="soft">owns</span> {resource.kind}
              </span>{' '}
              <span class="key-name">{name}</span>
            </a>
          </li>
        ))}
      </ul>
      {found.length > MANY && <p class="soft">… and {found.length - MANY} more that it owns.</p>}
      {searching ? (
        <p class="soft" role="status">
          Looking for what it owns{all > 0 && ` – ${done} of ${all} resources`}…
        </p>
      ) : (
        found.length === 0 && (
          <p class="soft">
            {ownerReferences.length === 0 ? 'It has no owner and owns nothing' : 'It owns nothing'} of the{' '}
            {all} resources there are.
          </p>
        )
      )}
    </section>
  );
}

/** An owner is in the same namespace, or in none. */
function Owner(props: {
  owner: OwnerReference;
  namespace: string | undefined;
  resources: readonly ServedResource[];
}) {
  const { owner, namespace, resources } = props;
  const { kind, name, apiVersion } = owner;
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
  const resource = resources.find((each) => each.kind === kind && each.group === group);
  const text = (
    <>
      <span>
        <span class="soft">owner</span> {kind}
      </span>{' '}
      <span class="key-name">{name}</span>
    </>
  );
  if (resource === undefined) return <li>{text}</li>;
  const object = resource.namespaced && namespace !== undefined ? `${namespace}/${name}` : name;
  return (
    <li>
      <a href={toResource(resourceId(resource), object)}>{text}</a>
    </li>
  );
}
