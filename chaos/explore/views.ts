import { keyOf } from '../../api/kinds/index.ts';
import type { Any } from './api-request.ts';
import { createMemo } from './memo.ts';

/** Cache of one informer in one process, and the events that it has not received. */
export interface View {
  readonly objects: { readonly [key: string]: Any };
  /** Events in flight in order, the oldest first. */
  readonly pending: readonly ViewEvent[];
  /** Set while the watch is broken or silent. No event arrives before the next list. */
  readonly stalled?: true;
}

export interface ViewEvent {
  readonly type: 'apply' | 'delete';
  readonly object: Any;
}

/** Formats an event for traces, such as `secrets a at secrets.a~1@01`. */
export function describeEvent(plural: string, { type, object }: ViewEvent): string {
  const { name = '', resourceVersion = '' } = object.metadata ?? {};
  return type === 'delete' ? `that ${plural} ${name} is gone` : `${plural} ${name} at ${resourceVersion}`;
}

/** Notification that handlers receive after the view has changed. */
export type Heard =
  | { readonly type: 'apply'; readonly object: Any; readonly previous: Any | undefined }
  | { readonly type: 'delete'; readonly object: Any };

export interface Changed {
  readonly view: View;
  readonly heard: readonly Heard[];
}

type Objects = View['objects'];

const put = (objects: Objects, key: string, object: Any): Objects =>
  Object.fromEntries(
    [...Object.entries(objects).filter(([each]) => each !== key), [key, object] as const].sort(([a], [b]) =>
      a < b ? -1 : 1,
    ),
  );
const drop = (objects: Objects, key: string): Objects =>
  Object.fromEntries(Object.entries(objects).filter(([each]) => each !== key));

/** Applies an event as the informer's store does (`runtime/informer/object-store.ts`). */
function take(objects: Objects, { type, object }: ViewEvent): { objects: Objects; heard: readonly Heard[] } {
  const key = keyOf(object as Parameters<typeof keyOf>[0]);
  const previous = objects[key];
  const { uid, resourceVersion } = object.metadata ?? {};
  if (type === 'delete')
    return previous === undefined || previous.metadata?.uid !== uid
      ? { objects, heard: [] }
      : { objects: drop(objects, key), heard: [{ type: 'delete', object }] };
  if (previous?.metadata?.uid === uid && previous?.metadata?.resourceVersion === resourceVersion)
    return { objects, heard: [] };
  const heard: readonly Heard[] =
    previous === undefined || previous.metadata?.uid === uid
      ? [{ type: 'apply', object, previous }]
      : [
          { type: 'delete', object: previous },
          { type: 'apply', object, previous: undefined },
        ];
  return { objects: put(objects, key, object), heard };
}

const delivered = createMemo<View, Changed>();

/** Delivers the oldest event. Equal views yield the same object. */
export const deliver = (view: View): Changed =>
  delivered(view, null, () => {
    const [event, ...pending] = view.pending;
    if (!event) return { view, heard: [] };
    const { objects, heard } = take(view.objects, event);
    return { view: { ...view, objects, pending }, heard };
  });

const applied = createMemo<View, View>();
const deleted = createMemo<View, View>();

/** Returns the view after an event. Equal arguments return the identical view. */
export const send = (view: View, event: ViewEvent): View =>
  (event.type === 'apply' ? applied : deleted)(view, event.object, () => ({
    ...view,
    pending: [...view.pending, event],
  }));

const silenced = createMemo<View, View>();

/** Silences the watch and drops its events in flight. */
export const silence = (view: View): View =>
  silenced(view, null, () => ({ objects: view.objects, pending: [], stalled: true }));

const left = createMemo<View, View>();

/** Returns the cache contents that remain after a crash. */
export const leave = (view: View): View => left(view, null, () => ({ objects: view.objects, pending: [] }));

/** Replaces the contents by a new list. Deletions are reported first. */
export function relist(view: View, listed: readonly Any[]): Changed {
  const keys = new Set(listed.map((each) => keyOf(each as Parameters<typeof keyOf>[0])));
  const heard: Heard[] = [];
  let { objects } = view;
  for (const [key, object] of Object.entries(view.objects))
    if (!keys.has(key)) {
      objects = drop(objects, key);
      heard.push({ type: 'delete', object });
    }
  for (const object of listed) {
    const taken = take(objects, { type: 'apply', object });
    objects = taken.objects;
    heard.push(...taken.heard);
  }
  return { view: { objects, pending: [] }, heard };
}
