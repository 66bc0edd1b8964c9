import { useEffect, useMemo, useState } from 'preact/hooks';
import { diffLines } from '../../model/diff.ts';
import type { ResourceName } from '../../model/view.ts';
import { ResponseError } from '../access.ts';
import { readYaml, readYamlAt, resourceId } from '../api.ts';
import { toResource } from '../routes.ts';
import { Choice } from './bits.tsx';

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
  /** A change of this value re-reads the object. */
  changed: number | undefined;
}) {
  const { resource, object, version, changed } = props;
  const [tab, setTab] = useState<Tab>('diff');
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
        <Choice label="version of the object" options={TABS} chosen={tab} onChoose={setTab} />
      </header>
      {problem !== undefined && <p class="warning">{problem}</p>}
      {problem === undefined && tab === 'diff' && (
        <Changes before={textOf(before)} now={textOf(now)} version={version} />
      )}
      {problem === undefined && tab !== 'diff' && (
        <pre class="code" tabIndex={0} role="region" aria-label={`the object ${tab}`}>
          {textOf(tab === 'now' ? now : before) || 'The object does not exist.'}
        </pre>
      )}
    </section>
  );
}

const CLASSES = { ' ': 'same', '-': 'removed', '+': 'added' } as const;

function Changes({ before, now, version }: { before: string; now: string; version: string | undefined }) {
  const lines = useMemo(() => diffLines(before, now), [before, now]);
  return (
    <>
      <p class="soft">
        Changes since the last reconcile was enqueued
        {version !== undefined && `, at version ${version}`}.
      </p>
      <pre class="code" tabIndex={0} role="region" aria-label="changes of the object">
        {lines.map(({ sign, text }, at) => (
          <span key={at} class={CLASSES[sign]}>{`${sign} ${text}\n`}</span>
        ))}
      </pre>
    </>
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
