import type { Arrival, StoryLine } from './story-line.ts';

/** A change that an informer of a process received. */
export interface Notification extends Arrival {
  /** Version as `uid@resourceVersion`; for a deletion the last one that the informer knew. */
  readonly version: string;
  readonly isDeletion: boolean;
}

/** Returns the first arrival of a store change in each process; nothing if it arrived nowhere. */
export function arrivalsOf(
  { object, revision, atMs }: StoryLine,
  notifications: readonly Notification[],
): Pick<StoryLine, 'arrivals'> {
  if (object === undefined) return {};
  const first = new Map<string | undefined, Arrival>();
  for (const { version, isDeletion, ...arrival } of notifications) {
    const isSame =
      revision === undefined
        ? isDeletion && version.startsWith(`${object.uid}@`) && arrival.atMs >= atMs
        : !isDeletion && version === `${object.uid}@${revision}`;
    if (isSame && !first.has(arrival.process)) first.set(arrival.process, arrival);
  }
  return first.size === 0 ? {} : { arrivals: [...first.values()] };
}
