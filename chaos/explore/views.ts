import { keyOf } from '../../api/kinds/scheme.ts';
import type { Any } from './api-request.ts';
import { createMemo } from './memo.ts';

/** What one informer of one process holds, and what has not reached it yet. */
export interface View {
  readonly objects: { readonly [key: string]: Any };
  /** Events on their way, oldest first. */
  readonly pending: readonly ViewEvent[];
  /** Its watch is broken or silent: nothing comes until it lists again. */
  readonly stalled?: true;
}

export interface ViewEvent {
  readonly type: 'apply' | 'delete';
  readonly object: Any;
}

/** Such as `secrets a at secrets.a~1@01`. */
export function describeEvent(plural: string, { type, object }: ViewEvent): string {
  const { name = '', resourceVersion = '' } = object.metadata ?? {};
  return type === 'delete' ? `that ${plural} ${name} is gone` : `${plural} ${name} at ${resourceVersion}`;
}

/** What handlers hear of, after the view has changed. */
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

/** As the informers' store takes an event: `runtime/informer/object-store.ts`. */
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

/** The oldest event arrives. The same object for the same view. */
export const deliver = (view: View): Changed =>
  delivered(view, null, () => {
    const [event, ...pending] = view.pending;
    if (!event) return { view, heard: [] };
    const { objects, heard } = take(view.objects, event);
    return { view: { ...view, objects, pending }, heard };
  });

const applied = createMemo<View, View>();
const deleted = createMemo<View, View>();

/** An event sets out. The same object for the same view and the same object. */
export const send = (view: View, event: ViewEvent): View =>
  (event.type === 'apply' ? applied : deleted)(view, event.object, () => ({
    ...view,
    pending: [...view.pending, event],
  }));

const silenced = createMemo<View, View>();

/** Its watch says nothing any more, what was on its way included. */
export const silence = (view: View): View =>
  silenced(view, null, () => ({ objects: view.objects, pending: [], stalled: true }));

const left = createMemo<View, View>();

/** What a process that has died leaves of it. */
export const leave = (view: View): View => left(view, null, () => ({ objects: view.objects, pending: [] }));

/** A new list takes the place of what was there, deletions first. */
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
