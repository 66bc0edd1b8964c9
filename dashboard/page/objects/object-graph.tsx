import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { AttentionItem } from '../../../runtime/journal/index.ts';
import type { ResourceName } from '../../model/view.ts';
import { type OwnerReference, type PlainObject, type ServedResource, nameOf, resourceId } from '../api.ts';
import { addressOf } from '../attention/linked-sentence.tsx';
import { type Dependent, type DependentsFound, useDependents, useResources } from '../dependents.ts';
import { Pill } from '../parts/bits.tsx';
import { toResource } from '../routes.ts';

/**
 * Maximum number of dependents that are drawn. If there are more, the page displays the number of the others.
 */
const MANY = 50;

/**
 * Graph of an object between its owners and its dependents, among all resources that the server lists, with
 * what blocks its deletion. It is made of boxes of HTML, so that its text has the page's size at each width.
 */
export function ObjectGraph(props: {
  object: PlainObject;
  /** Resources to search first, because dependents are likely there. */
  watches: readonly ResourceName[];
  metaGroup: string;
  attention: readonly AttentionItem[];
}) {
  const { object, watches, metaGroup, attention } = props;
  const { ownerReferences = [], namespace } = object.metadata ?? {};
  const resources = useResources();
  const [searches, setSearches] = useState(0);
  const search = useDependents({ owner: object, first: watches, metaGroup, search: searches });
  return (
    <section class="card graph-card" aria-labelledby="related">
      <header class="bar">
        <h2 id="related">Owners, dependents and blockers</h2>
        {!isUnderWay(search) && (
          <button type="button" onClick={() => setSearches(searches + 1)}>
            search again
          </button>
        )}
      </header>
      <div class="graph">
        {ownerReferences.length > 0 && (
          <ul class="plain graph-owners" aria-label="owners">
            {ownerReferences.map((owner) => (
              <Owner key={owner.uid} owner={owner} namespace={namespace} resources={resources} />
            ))}
          </ul>
        )}
        <Self object={object} attention={attention} />
        {search.found.length > 0 && (
          <ul class="plain graph-dependents" aria-label="dependents">
            {search.found.slice(0, MANY).map((dependent) => (
              <Owned key={`${resourceId(dependent.resource)} ${dependent.name}`} dependent={dependent} />
            ))}
          </ul>
        )}
      </div>
      <SearchText search={search} hasOwner={ownerReferences.length > 0} />
    </section>
  );
}

/** The object itself, with its finalizers and the objects that block it. */
function Self({ object, attention }: { object: PlainObject; attention: readonly AttentionItem[] }) {
  const { finalizers = [], deletionTimestamp } = object.metadata ?? {};
  const blockers = attention.flatMap(({ blocker }) => (blocker === undefined ? [] : [blocker]));
  return (
    <div class={`graph-self ${deletionTimestamp === undefined ? '' : 'ill'}`}>
      <p>
        {object.kind} <span class="key-name">{nameOf(object)}</span>{' '}
        {deletionTimestamp !== undefined && <Pill tone="failed">in deletion</Pill>}
      </p>
      {(finalizers.length > 0 || blockers.length > 0) && (
        <ul class="plain" aria-label="blockers">
          {finalizers.map((finalizer) => (
            <li key={finalizer}>
              <span class="soft">finalizer</span> <span class="key-name">{finalizer}</span>
            </li>
          ))}
          {blockers.map((link) => (
            <li key={addressOf(link)}>
              <a href={addressOf(link)}>
                <span class="soft">blocked by</span> {link.kind} <span class="key-name">{link.name}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const isUnderWay = ({ done, all }: DependentsFound): boolean => done < all || all === 0;

/** Progress of the search, or its result if the graph does not contain it. */
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

const Owned = ({ dependent: { resource, name, blocks } }: { dependent: Dependent }) => (
  <Node href={toResource(resourceId(resource), name)} mark={blocks ? 'blocks deletion' : undefined}>
    <span>
      <span class="soft">owns</span> {resource.kind}
    </span>{' '}
    <span class="key-name">{name}</span>
  </Node>
);

/** Link to an owner, which is cluster-scoped or in the same namespace. */
function Owner(props: {
  owner: OwnerReference;
  namespace: string | undefined;
  resources: readonly ServedResource[];
}) {
  const { owner, namespace, resources } = props;
  const { kind, name, apiVersion, blockOwnerDeletion = false } = owner;
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
  const resource = resources.find((each) => each.kind === kind && each.group === group);
  const object = resource?.namespaced === true && namespace !== undefined ? `${namespace}/${name}` : name;
  return (
    <Node
      href={resource === undefined ? undefined : toResource(resourceId(resource), object)}
      mark={blockOwnerDeletion ? 'waits for this object' : undefined}
    >
      <span>
        <span class="soft">owner</span> {kind}
      </span>{' '}
      <span class="key-name">{name}</span>
    </Node>
  );
}

/** One related object, with a mark if it delays a deletion of its owner in the foreground or waits for this. */
function Node(props: { href: string | undefined; mark: string | undefined; children: ComponentChildren }) {
  const { href, mark, children } = props;
  return (
    <li class={mark === undefined ? '' : 'blocking'}>
      {href === undefined ? (
        <span class="graph-node">{children}</span>
      ) : (
        <a class="graph-node" href={href}>
          {children}
        </a>
      )}
      {mark !== undefined && (
        <span class="blocks" title="because of blockOwnerDeletion in the owner reference">
          {mark}
        </span>
      )}
    </li>
  );
}
