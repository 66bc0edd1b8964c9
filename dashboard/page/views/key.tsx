import { useEffect, useMemo, useState } from 'preact/hooks';
import type { KeyDocument } from '../../model/documents.ts';
import { type Explained, explain } from '../../model/explain.ts';
import { type NamedObject, objectOfKey } from '../../model/key-object.ts';
import { type Reconcile, reconcilesOf } from '../../model/reconciles.ts';
import type { ActedObject } from '../../model/acts/act.ts';
import type { ExplainedObject } from '../../model/reasons.ts';
import { KeyHeading } from '../attention/key-heading.tsx';
import { useAttention } from '../attention/use-attention.ts';
import { readObject } from '../api.ts';
import { useDocument } from '../journal.ts';
import { ObjectEvents } from '../objects/events.tsx';
import { Loading, Problem } from '../parts/bits.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { ObjectThenAndNow } from '../parts/object-then.tsx';
import { toController } from '../routes.ts';
import type { PageSettings } from '../settings.ts';
import { KeySide } from './key-side.tsx';

export function KeyView(props: { name: string; keyName: string; settings: PageSettings }) {
  const { name, keyName, settings } = props;
  const query = new URLSearchParams({ controller: name, key: keyName });
  const { document, problem } = useDocument<KeyDocument>(`key?${query}`);
  const { reconciles, waiting } = useMemo(() => reconcilesOf(document?.entries ?? []), [document]);
  const named = document && settings.mode === 'live' ? objectOfKey(document, keyName) : undefined;
  const attention = useAttention(document?.watches[0]?.plural ?? '', keyName).filter(
    ({ key, controller }) => document?.keyed === true || (key !== undefined && controller === name),
  );
  const object = useObject(named, document?.entries.at(-1)?.seq);
  if (document === undefined) return problem === undefined ? <Loading /> : <Problem problem={problem} />;
  const { state, atMs } = document;
  return (
    <>
      <p class="crumbs">
        <a href={toController(name)}>{name}</a>
      </p>
      <KeyHeading keyName={keyName} state={state} attention={attention} />
      <Explanation
        explained={{ key: keyName, state, reconciles, object, nowMs: atMs, isStuck: attention.length > 0 }}
      />
      <div class="split">
        <div class="main-column">
          <section class="card" aria-labelledby="timeline">
            <h2 id="timeline">Timeline</h2>
            <Timeline reconciles={reconciles} waiting={waiting} state={state} nowMs={atMs} />
          </section>
          {named !== undefined && (
            <ObjectThenAndNow
              resource={named.resource}
              object={named.object}
              version={versionSeen(reconciles, named)}
              changed={document.entries.at(-1)?.seq}
            />
          )}
          {named !== undefined && <ObjectEvents kind={objectKind(object)} object={named.object} />}
        </div>
        <KeySide
          name={name}
          keyName={keyName}
          settings={settings}
          document={document}
          named={named}
          object={object === 'absent' ? undefined : object}
          attention={attention}
        />
      </div>
    </>
  );
}

const objectKind = (object: ActedObject | 'absent' | undefined): string | undefined =>
  object === undefined || object === 'absent' ? undefined : object.kind;

/**
 * The explanation of a key. Its durations change with each second, so a screen reader gets a second text that
 * changes only with the key and its object.
 */
function Explanation({ explained }: { explained: Explained }) {
  const { key, state, reconciles, object } = explained;
  const last = reconciles.at(-1);
  const announced = useMemo(
    () => explain(explained),
    [key, state?.reconcileId, state?.state, last?.reconcileId, last?.outcome, object, explained.isStuck],
  );
  return (
    <>
      <p class="explain" aria-hidden="true">
        {explain(explained)}
      </p>
      <p class="unseen" role="status" aria-label="explanation">
        {announced}
      </p>
    </>
  );
}

/** Returns the resource version in the last event of the object that enqueued a reconcile. */
function versionSeen(
  reconciles: readonly Reconcile[],
  { resource, object }: NamedObject,
): string | undefined {
  const name = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
  for (const { causes } of reconciles.toReversed())
    for (const { cause } of causes.toReversed())
      if (cause?.object === object && cause.resource === name && cause.resourceVersion !== undefined)
        return cause.resourceVersion;
  return undefined;
}

/**
 * Reads the object that a key names, first at once and then after each journal entry. Returns undefined if
 * the object cannot be read.
 */
function useObject(
  named: NamedObject | undefined,
  changed: number | undefined,
): (ActedObject & ExplainedObject) | 'absent' | undefined {
  const [object, show] = useState<(ActedObject & ExplainedObject) | 'absent'>();
  useEffect(() => {
    if (named === undefined) return undefined;
    let wanted = true;
    readObject(named.resource, named.object).then(
      (read) => wanted && show(read ?? 'absent'),
      () => wanted && show(undefined),
    );
    return () => void (wanted = false);
  }, [named?.resource.plural, named?.object, changed]);
  return object;
}
