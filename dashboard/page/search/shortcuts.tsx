import { useEffect, useRef } from 'preact/hooks';

/** Target of a shortcut: a dialog, or the address of a view. */
export type ShortcutTarget = 'search' | 'shortcuts' | { readonly href: string };

interface Shortcut {
  /** Keys in order, as `KeyboardEvent.key`. */
  readonly keys: readonly string[];
  readonly isWithModifier?: boolean;
  readonly text: string;
  readonly target: ShortcutTarget;
}

/** All shortcuts of the page. Charts have their own keys while they have the focus. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['/'], text: 'search acts, controllers, kinds and objects', target: 'search' },
  { keys: ['k'], isWithModifier: true, text: 'the same', target: 'search' },
  { keys: ['?'], text: 'this list', target: 'shortcuts' },
  { keys: ['g', 'o'], text: 'go to the overview', target: { href: '#/' } },
  { keys: ['g', 'l'], text: 'go to the lifecycles', target: { href: '#/lifecycles' } },
  { keys: ['g', 'e'], text: 'go to the explorer', target: { href: '#/explorer' } },
];

/** Time in milliseconds within which the second key of a sequence must follow. */
const SEQUENCE_MS = 1_500;

/** True if the key belongs to an element in which the user types or chooses, or to an open dialog. */
const isTaken = ({ target, defaultPrevented }: KeyboardEvent): boolean =>
  defaultPrevented ||
  document.querySelector('dialog[open]') !== null ||
  (target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null);

/** Calls `open` for each shortcut. Keys are ignored while an input has the focus or a dialog is open. */
export function useShortcuts(open: (target: ShortcutTarget) => void): void {
  const last = useRef({ key: '', atMs: 0 });
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (isTaken(event) || event.altKey) return;
      const isWithModifier = event.ctrlKey || event.metaKey;
      const before = event.timeStamp - last.current.atMs < SEQUENCE_MS ? last.current.key : '';
      last.current = { key: isWithModifier ? '' : event.key, atMs: event.timeStamp };
      const found = SHORTCUTS.find(({ keys, isWithModifier: needsModifier = false }) => {
        const [first, second] = keys;
        if (needsModifier !== isWithModifier) return false;
        return second === undefined ? first === event.key : first === before && second === event.key;
      });
      if (found === undefined) return;
      event.preventDefault();
      open(found.target);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [open]);
}

const keyText = ({ keys, isWithModifier = false }: Shortcut): readonly string[] =>
  isWithModifier ? ['Ctrl or ⌘', ...keys.map((key) => key.toUpperCase())] : keys;

/** Dialog with all shortcuts. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="card" aria-labelledby="shortcuts-title" onClose={onClose}>
      <h2 id="shortcuts-title">Keyboard shortcuts</h2>
      <dl class="terms">
        {SHORTCUTS.map((shortcut) => (
          <div key={shortcut.keys.join()} class="shortcut">
            <dt>
              {keyText(shortcut).map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{shortcut.text}</dd>
          </div>
        ))}
      </dl>
      <p class="soft">In a chart: arrow keys, + and −, 0. Shortcuts do nothing while you type.</p>
      <div class="actions">
        <button type="button" autoFocus onClick={onClose}>
          close
        </button>
      </div>
    </dialog>
  );
}
