import { showMoment, playing } from '../journal.ts';
import type { Route } from '../routes.ts';
import { withMoment } from './moment.ts';

/** Puts the time of the shown moment into the address, without an entry in the browser's history. */
export function keepAddress(): void {
  const played = playing.get();
  if (played?.file !== undefined) return;
  const wanted = withMoment(location.hash, played?.replay.momentMs);
  if (wanted !== location.hash) history.replaceState(history.state, '', wanted === '' ? '#/' : wanted);
}

/** Time before and after a loaded moment in which no other moment must be loaded. */
const LOADED_MS = 300_000;

/** Shows another moment. Loads it from the server if the loaded moment is too far away. */
export async function goTo(atMs: number, route: Route): Promise<void> {
  const played = playing.get();
  const moment = played?.moment;
  const isLoaded =
    moment === undefined || (Math.abs(atMs - moment.atMs) < LOADED_MS && atMs <= moment.loadedMs);
  if (played !== undefined && isLoaded) {
    played.replay.seekTime(atMs);
    playing.set({ ...played });
  } else await showMoment(atMs, keyOf(route));
}

/** Returns the key that a route shows, whose whole history is loaded with a moment. */
export const keyOf = (route: Route): { readonly name: string; readonly key: string } | undefined =>
  route.view === 'key' ? { name: route.name, key: route.key } : undefined;
