import { useMemo } from 'preact/hooks';
import type { AttentionItem } from '../../../runtime/journal/index.ts';
import { activeLeaves } from '../../chart/chart.ts';
import type { ActedObject } from '../../model/acts/act.ts';
import type { KeyDocument } from '../../model/documents.ts';
import type { NamedObject } from '../../model/key-object.ts';
import { clockTime } from '../../model/moments.ts';
import type { ResourceName } from '../../model/view.ts';
import { ActCard } from '../acts/act-card.tsx';
import { usePicture } from '../journal.ts';
import { ObjectGraph } from '../objects/object-graph.tsx';
import { Chart } from '../parts/chart.tsx';
import { NextRunsCard } from '../parts/next-runs.tsx';
import { toController } from '../routes.ts';
import type { PageSettings } from '../settings.ts';

/** Resource of a key that names no object. No act applies to it but a reconcile of the key. */
const NO_RESOURCE: ResourceName = { group: '', version: '', plural: '', namespaced: false };

/** Acts on a key, its state in the machine, and the relations of its object. */
export function KeySide(props: {
  name: string;
  keyName: string;
  settings: PageSettings;
  document: KeyDocument;
  named: NamedObject | undefined;
  /** The object of the key; undefined if it does not exist or cannot be read. */
  object: ActedObject | undefined;
  attention: readonly AttentionItem[];
}) {
  const { name, keyName, settings, document, named, object, attention } = props;
  const { state, watches, atMs } = document;
  return (
    <div class="side">
      {settings.mode === 'live' && state !== undefined && (
        <ActCard
          subject={{
            resource: named?.resource ?? NO_RESOURCE,
            name: named?.object ?? '',
            object,
            keys: [{ controller: name, key: keyName }],
          }}
          settings={settings}
        />
      )}
      <Place name={name} state={state?.state ?? ''} keyName={keyName} />
      {object !== undefined && (
        <NextRunsCard object={object} dialectAnnotation={settings.dialectAnnotation} nowMs={atMs} />
      )}
      {object !== undefined && (
        <ObjectGraph
          object={object}
          watches={watches}
          metaGroup={settings.groups.meta}
          attention={attention}
        />
      )}
      <p class="soft">At {clockTime(atMs)}.</p>
    </div>
  );
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
        focused={[...marked][0]}
        label={`the state of ${keyName} in its machine`}
        onChoose={() => (location.hash = toController(name))}
      />
    </section>
  );
}
