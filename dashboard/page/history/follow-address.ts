import { useEffect } from 'preact/hooks';
import { token } from '../access.ts';
import { playing, showMoment } from '../journal.ts';
import type { Route } from '../routes.ts';
import { useStore } from '../store.ts';
import { goTo, keepAddress, keyOf } from './address.ts';
import { momentOf } from './moment.ts';

/**
 * Shows the moment of the page's address, and keeps the address at the shown moment. `attempt` reports an error of
 * loading.
 */
export function useMomentAddress(route: Route, live: boolean, attempt: (work: Promise<void>) => void): void {
  const played = useStore(playing);
  const bearer = useStore(token);
  // The moment of a link or a reload. A token may be entered only after the page was opened.
  useEffect(() => {
    const atMs = momentOf(location.hash);
    if (live && atMs !== undefined && playing.get() === undefined) attempt(showMoment(atMs, keyOf(route)));
  }, [bearer]);
  useEffect(() => {
    const moved = (): void => {
      const atMs = momentOf(location.hash);
      if (live && atMs !== undefined && atMs !== playing.get()?.replay.momentMs) attempt(goTo(atMs, route));
      else if (playing.get() !== undefined) keepAddress();
    };
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  });
  const shownMs = played?.replay.momentMs;
  useEffect(() => {
    if (played !== undefined) keepAddress();
  }, [shownMs]);
  const wanted = keyOf(route);
  const { moment } = played ?? {};
  useEffect(() => {
    if (moment === undefined || wanted === undefined) return;
    if (moment.key?.name === wanted.name && moment.key.key === wanted.key) return;
    attempt(showMoment(played?.replay.momentMs, wanted));
  }, [wanted?.name, wanted?.key, moment]);
}

/** Returns to the present. */
export function goLive(): void {
  playing.set(undefined);
  keepAddress();
}
