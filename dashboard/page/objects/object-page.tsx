import { useEffect, useState } from 'preact/hooks';
import type { ActedObject } from '../../model/acts/act.ts';
import { ActCard } from '../acts/act-card.tsx';
import { type ServedResource, readObject } from '../api.ts';
import { AttentionSentences } from '../attention/object-attention.tsx';
import { useAttention } from '../attention/use-attention.ts';
import { ObjectEditor } from '../parts/object-editor.tsx';
import { useControllerKeys } from '../parts/worked-on-by.tsx';
import type { PageSettings } from '../settings.ts';
import { ObjectEvents } from './events.tsx';
import { ObjectGraph } from './object-graph.tsx';

/** One object: what it waits for, what the user may do, its text, Events and relations. */
export function ObjectPage(props: { resource: ServedResource; name: string; settings: PageSettings }) {
  const { resource, name, settings } = props;
  const attention = useAttention(resource.plural, name);
  const keys = useControllerKeys(resource, name);
  const [object, show] = useState<ActedObject | undefined>(undefined);
  const [reads, setReads] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    readObject(resource, name).then(
      (read) => isCurrent && show(read),
      () => {},
    );
    return () => void (isCurrent = false);
  }, [reads]);
  return (
    <>
      <AttentionSentences items={attention} />
      <ActCard subject={{ resource, name, object, keys }} settings={settings} />
      <ObjectEditor
        resource={resource}
        object={name}
        settings={settings}
        keys={keys}
        onRead={() => setReads((before) => before + 1)}
      />
      <ObjectEvents kind={resource.kind} object={name} />
      {object !== undefined && (
        <ObjectGraph object={object} watches={[]} metaGroup={settings.groups.meta} attention={attention} />
      )}
    </>
  );
}
