import { useState } from 'preact/hooks';
import type { ResourceName } from '../../model/view.ts';
import { type OwnerReference, type PlainObject, type ServedResource, resourceId } from '../api.ts';
import { type Dependent, type DependentsFound, useDependents, useResources } from '../dependents.ts';
import { toResource } from '../routes.ts';

/**
 * Maximum number of dependents that are listed. If there are more, the page displays the number of the
 * others.
 */
const MANY = 50;

/** Owners and dependents of an object, among all resources that the server lists. */
export function Related(props: {
  object: PlainObject;
  /** Resources to search first, because dependents are likely there. */
  watches: readonly ResourceName[];
  metaGroup: string;
}) {
  const { object, watches, metaGroup } = props;
  const { ownerReferences = [], namespace } = object.metadata ?? {};
  const resources = useResources();
  const [searches, setSearches] = useState(0);
  const search = useDependents({ owner: object, first: watches, metaGroup, search: searches });
  return (
    <section class="card" aria-labelledby="related">
      <header class="bar">
        <h2 id="related">Related objects</h2>
        {!isUnderWay(search) && (
          <button type="button" onClick={() => setSearches(searches + 1)}>
            search again
          </button>
        )}
      </header>
      <ul class="plain">
        {ownerReferences.map((owner) => (
          <Owner key={owner.uid} owner={owner} namespace={namespace} resources={resources} />
        ))}
        {search.found.slice(0, MANY).map((dependent) => (
          <Owned key={`${resourceId(dependent.resource)} ${dependent.name}`} dependent={dependent} />
        ))}
      </ul>
      <SearchText search={search} hasOwner={ownerReferences.length > 0} />
    </section>
  );
}

const isUnderWay = ({ done, all }: DependentsFound): boolean => done < all || all === 0;

/** Progress of the search, or its result if the list does not contain it. */
function SearchText({ search, hasOwner }: { search: DependentsFound; hasOwner: boolean }) {
  const { found, done, all } = search;
  const more = found.length > MANY && <p class="soft">… and {found.length - MANY} more dependents.</p>;
  if (isUnderWay(search))
    return (
      <>
        {more}
        <p class="soft" role="status">
          Searching for dependents{all > 0 && ` – ${done} of ${all} resources`}…
        </p>
      </>
    );
  if (found.length > 0) return more;
  return (
    <p class="soft">
      {hasOwner ? 'No dependents' : 'No owner and no dependents'} among {all} resources.
    </p>
  );
}

const Owned = ({ dependent: { resource, name } }: { dependent: Dependent }) => (
  <li>
    <a href={toResource(resourceId(resource), name)}>
      <span>
        <span class="soft">owns</span> {resource.kind}
      </span>{' '}
      <span class="key-name">{name}</span>
    </a>
  </li>
);

/** Link to an owner, which is cluster-scoped or in the same namespace. */
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
