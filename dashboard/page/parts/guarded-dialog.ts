import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * Time in milliseconds for which the button of a dangerous act is disabled after its dialog opens. A double tap
 * on the button that opened the dialog therefore does nothing.
 */
const GUARD_MS = 700;

/** Opens a modal dialog. `isReady` is false until a double tap can no longer reach its buttons. */
export function useGuardedDialog(): {
  readonly dialog: RefObject<HTMLDialogElement | null>;
  readonly isReady: boolean;
} {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    dialog.current?.showModal();
    const timer = setTimeout(() => setReady(true), GUARD_MS);
    return () => clearTimeout(timer);
  }, []);
  return { dialog, isReady };
}
