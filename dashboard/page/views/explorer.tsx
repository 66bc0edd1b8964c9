import { useEffect, useState } from 'preact/hooks';
import { token } from '../access.ts';
import { type ServedResource, discover, resourceId } from '../api.ts';
import { ObjectPage } from '../objects/object-page.tsx';
import { Loading, Problem } from '../parts/bits.tsx';
import { ResourceTable } from '../parts/resource-table.tsx';
import { toResource } from '../routes.ts';
import type { PageSettings } from '../settings.ts';
import { useStore } from '../store.ts';

/** Browser for every served resource, with the rights of the user. */
export function ExplorerView(props: {
  settings: PageSettings;
  resource: string | undefined;
  object: string | undefined;
}) {
  const { settings, resource, object } = props;
  const { resources, problem } = useResources();
  if (problem !== undefined) return <Problem problem={problem} />;
  if (resources === undefined) return <Loading />;
  const shown = resources.find((each) => resourceId(each) === resource);
  return (
    <>
      <h1>{shown === undefined ? 'Explorer' : shown.kind}</h1>
      <div class="split reversed">
        <ResourceList resources={resources} shown={resource} />
        <div class="main-column">
          {shown === undefined && <p class="soft">Choose a resource to see its objects.</p>}
          {shown !== undefined && object === undefined && (
            <ResourceTable key={resource} resource={shown} metaGroup={settings.groups.meta} />
          )}
          {shown !== undefined && object !== undefined && (
            <ObjectPage key={`${resource} ${object}`} resource={shown} name={object} settings={settings} />
          )}
        </div>
      </div>
    </>
  );
}

function useResources(): { resources?: readonly ServedResource[]; problem?: Error } {
  const bearer = useStore(token);
  const [found, show] = useState<{ resources?: readonly ServedResource[]; problem?: Error }>({});
  useEffect(() => {
    discover().then(
      (resources) => show({ resources }),
      (thrown: unknown) => show({ problem: thrown instanceof Error ? thrown : new Error(String(thrown)) }),
    );
  }, [bearer]);
  return found;
}

/** Groups resources by API group. The core group is first, the others follow by name. */
function byGroup(resources: readonly ServedResource[]): ReadonlyMap<string, readonly ServedResource[]> {
  const groups = [...new Set(resources.map(({ group }) => group))].sort();
  return new Map(groups.map((group) => [group, resources.filter((each) => each.group === group)]));
}

function ResourceList({
  resources,
  shown,
}: {
  resources: readonly ServedResource[];
  shown: string | undefined;
}) {
  const [search, setSearch] = useState('');
  const found = resources.filter(({ plural, group }) => `${plural}.${group}`.includes(search.toLowerCase()));
  return (
    <nav class="card resources" aria-label="resources">
      <input
        type="search"
        placeholder="Search resources"
        aria-label="search resources"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {[...byGroup(found)].map(([group, members]) => (
        <section key={group} aria-label={group || 'core'}>
          <h2 class="soft">{group || 'core'}</h2>
          <ul class="plain">
            {members.map((each) => (
              <li key={resourceId(each)}>
                <a
                  href={toResource(resourceId(each))}
                  aria-current={shown === resourceId(each) ? 'page' : undefined}
                >
                  {each.plural}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
