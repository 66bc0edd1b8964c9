import { useEffect, useState } from 'preact/hooks';
import type { ResourceName } from '../../model/view.ts';
import { ResponseError } from '../access.ts';
import { readYaml, readYamlAt, resourceId } from '../api.ts';
import { toResource } from '../routes.ts';
import { Choice } from './bits.tsx';
import { LineDiff } from './line-diff.tsx';

type Side = { readonly text: string | undefined } | { readonly problem: string };

const TABS = [
  ['diff', 'Since then'],
  ['now', 'Now'],
  ['then', 'Then'],
] as const;
type Tab = (typeof TABS)[number][0];

const textOf = (side: Side): string => ('text' in side ? (side.text ?? '') : '');
const problemOf = (side: Side): string | undefined => ('problem' in side ? side.problem : undefined);

/**
 * The object of a key, its version at the event that enqueued the last reconcile, and the difference between
 * them.
 */
export function ObjectThenAndNow(props: {
  resource: ResourceName;
  object: string;
  version: string | undefined;
  /** The object is read again whenever this value changes. */
  changed: number | undefined;
}) {
  const { resource, object, version, changed } = props;
  const [chosen, choose] = useState<Tab>('diff');
  // Without an earlier version, a comparison would show the whole object as new.
  const tab = version === undefined ? 'now' : chosen;
  const now = useRead(() => readYaml(resource, object), [resourceId(resource), object, changed]);
  const before = useRead(
    async () => (version === undefined ? undefined : readYamlAt(resource, object, version)),
    [resourceId(resource), object, version],
  );
  const problem =
    tab === 'then' ? problemOf(before) : (problemOf(now) ?? (tab === 'diff' ? problemOf(before) : undefined));
  return (
    <section class="card" aria-labelledby="object">
      <header class="bar">
        <h2 id="object">
          <a href={toResource(resourceId(resource), object)}>Object</a>
        </h2>
        {version === undefined ? (
          <span class="soft">No earlier version is known.</span>
        ) : (
          <Choice label="version of the object" options={TABS} chosen={tab} onChoose={choose} />
        )}
      </header>
      {problem !== undefined && <p class="warning">{problem}</p>}
      {problem === undefined && tab === 'diff' && (
        <>
          <p class="soft">Changes since the last reconcile was enqueued, at version {version}.</p>
          <LineDiff before={textOf(before)} now={textOf(now)} label="changes of the object" />
        </>
      )}
      {problem === undefined && tab !== 'diff' && (
        <pre class="code" tabIndex={0} role="region" aria-label={`the object ${tab}`}>
          {textOf(tab === 'now' ? now : before) || 'The object does not exist.'}
        </pre>
      )}
    </section>
  );
}

function useRead(read: () => Promise<string | undefined>, on: readonly unknown[]): Side {
  const [side, show] = useState<Side>({ text: undefined });
  useEffect(() => {
    let wanted = true;
    read().then(
      (text) => wanted && show({ text }),
      (thrown: unknown) => wanted && show({ problem: describe(thrown) }),
    );
    return () => void (wanted = false);
  }, [...on]);
  return side;
}

function describe(thrown: unknown): string {
  if (thrown instanceof ResponseError && thrown.status === 410)
    return 'The server no longer keeps the history of that version.';
  return thrown instanceof Error ? thrown.message : String(thrown);
}
