import { useEffect, useMemo, useState } from 'preact/hooks';
import { activeLeaves } from '../../chart/chart.ts';
import { type ExplainedObject, explain } from '../../model/explain.ts';
import type { KeyDocument } from '../../model/documents.ts';
import { type Pass, passesOf } from '../../model/passes.ts';
import { type PlainObject, readObject } from '../api.ts';
import { useDocument, usePicture } from '../journal.ts';
import { Chart } from '../parts/chart.tsx';
import { Loading, Pill, Problem, clockTime } from '../parts/bits.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { ObjectThenAndNow } from '../parts/object-then.tsx';
import { Related } from '../parts/related.tsx';
import { toController } from '../routes.ts';

export function KeyView({ name, keyName }: { name: string; keyName: string }) {
  const query = new URLSearchParams({ controller: name, key: keyName });
  const { document, problem } = useDocument<KeyDocument>(`key?${query}`);
  const { passes, waiting } = useMemo(() => passesOf(document?.entries ?? []), [document]);
  const object = useObject(document, keyName);
  if (document === undefined) return problem === undefined ? <Loading /> : <Problem problem={problem} />;
  const { state, watches, keyed, atMs } = document;
  const [resource] = keyed ? watches : [];
  return (
    <>
      <p class="crumbs">
        <a href={toController(name)}>{name}</a>
      </p>
      <h1 class="with-pill">
        {keyName} {state !== undefined && <Pill tone={state.outcome}>{state.state}</Pill>}
      </h1>
      <p class="explain" role="status" aria-label="explanation">
        {explain({ key: keyName, state, passes, object, nowMs: atMs })}
      </p>
      <div class="split">
        <div class="main-column">
          <section class="card" aria-labelledby="timeline">
            <h2 id="timeline">Timeline</h2>
            <Timeline passes={passes} waiting={waiting} state={state} nowMs={atMs} />
          </section>
          {resource !== undefined && (
            <ObjectThenAndNow
              resource={resource}
              object={keyName}
              version={versionSeen(passes, keyName)}
              changed={document.entries.at(-1)?.seq}
            />
          )}
        </div>
        <div class="side">
          <Place name={name} state={state?.state ?? ''} keyName={keyName} />
          {object !== undefined && <Related object={object} watches={watches} />}
          <p class="soft">At {clockTime(atMs)}.</p>
        </div>
      </div>
    </>
  );
}

/** The state of the object that the last pass was brought up by. */
function versionSeen(passes: readonly Pass[], keyName: string): string | undefined {
  for (const { causes } of passes.toReversed())
    for (const { cause } of causes.toReversed())
      if (cause?.object === keyName && cause.resourceVersion !== undefined) return cause.resourceVersion;
  return undefined;
}

/** The object that a key names, read again after each pass; undefined where it may not be read. */
function useObject(
  document: KeyDocument | undefined,
  keyName: string,
): (PlainObject & ExplainedObject) | undefined {
  const [object, show] = useState<PlainObject & ExplainedObject>();
  const resource = document?.keyed === true ? document.watches[0] : undefined;
  const seq = document?.entries.at(-1)?.seq;
  useEffect(() => {
    if (resource === undefined) return undefined;
    let wanted = true;
    readObject(resource, keyName).then(
      (read) => wanted && show(read),
      () => wanted && show(undefined),
    );
    return () => void (wanted = false);
  }, [resource?.plural, keyName, seq]);
  return object;
}

function Place({ name, state, keyName }: { name: string; state: string; keyName: string }) {
  const picture = usePicture(name);
  const marked = useMemo(
    () => new Set(picture === undefined ? [] : activeLeaves(picture.chart, state)),
    [picture, state],
  );
  if (picture === undefined) return null;
  return (
    <section class="card" aria-labelledby="place">
      <h2 id="place">State</h2>
      <Chart
        picture={picture}
        overlay={{ marked }}
        label={`where ${keyName} is in its machine`}
        onChoose={() => (location.hash = toController(name))}
      />
    </section>
  );
}
