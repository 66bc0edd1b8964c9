import { useCallback, useState } from 'preact/hooks';
import type { PageSettings } from '../settings.ts';
import { Palette } from './palette.tsx';
import { ShortcutList, type ShortcutTarget, useShortcuts } from './shortcuts.tsx';

/** Button that opens the search, with the dialogs and shortcuts of the page. */
export function Search({ settings }: { settings: PageSettings }) {
  const [shown, show] = useState<'search' | 'shortcuts' | undefined>(undefined);
  const close = (): void => show(undefined);
  const open = useCallback((target: ShortcutTarget): void => {
    if (typeof target === 'string') show(target);
    else if (settings.mode === 'live' || target.href === '#/') location.hash = target.href;
  }, []);
  useShortcuts(open);
  return (
    <>
      <button type="button" class="search-button" aria-keyshortcuts="/" onClick={() => show('search')}>
        <span class="search-word">search</span> <kbd aria-hidden="true">/</kbd>
      </button>
      {shown === 'search' && <Palette settings={settings} onClose={close} />}
      {shown === 'shortcuts' && <ShortcutList onClose={close} />}
    </>
  );
}
