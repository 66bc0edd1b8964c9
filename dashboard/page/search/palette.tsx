import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Found, searchIn } from '../../model/search.ts';
import type { PageSettings } from '../settings.ts';
import { useSearched } from './sources.ts';

/** Maximum number of results in the list. */
const SHOWN = 50;
const optionId = (at: number): string => `found-${at}`;

/** Dialog that searches acts, views, controllers, kinds and objects. The keyboard alone is enough. */
export function Palette({ settings, onClose }: { settings: PageSettings; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const [chosen, choose] = useState(0);
  const { all, isComplete, truncated } = useSearched(settings);
  const found = useMemo(() => searchIn(all, query, SHOWN), [all, query]);
  const at = Math.min(chosen, found.length - 1);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => document.getElementById(optionId(at))?.scrollIntoView({ block: 'nearest' }), [at]);
  const open = (result: Found | undefined): void => {
    if (result === undefined) return;
    onClose();
    if (result.href !== undefined) location.hash = result.href;
    result.run?.();
  };
  return (
    <dialog ref={dialog} class="card palette" aria-label="search" onClose={onClose}>
      <QueryInput
        query={query}
        at={at}
        count={found.length}
        onQuery={(next) => {
          setQuery(next);
          choose(0);
        }}
        onMove={choose}
        onEnter={() => open(found[at])}
      />
      <ul class="plain" id="found" role="listbox" aria-label="results">
        {found.map((result, index) => (
          <li
            key={`${result.kind} ${result.href ?? ''} ${result.text}`}
            id={optionId(index)}
            role="option"
            aria-selected={index === at}
            onClick={() => open(result)}
          >
            <span class="found-text">{result.text}</span> <span class="soft">{result.detail}</span>
            <span class="pill">{result.kind}</span>
          </li>
        ))}
      </ul>
      <SearchState query={query} count={found.length} isComplete={isComplete} truncated={truncated} />
    </dialog>
  );
}

/** Input that keeps the focus while arrow keys move through the results. */
function QueryInput(props: {
  query: string;
  at: number;
  count: number;
  onQuery: (query: string) => void;
  onMove: (at: number) => void;
  onEnter: () => void;
}) {
  const { query, at, count, onQuery, onMove, onEnter } = props;
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % Math.max(1, count),
      ArrowUp: (at + count - 1) % Math.max(1, count),
      PageDown: Math.min(count - 1, at + 10),
      PageUp: Math.max(0, at - 10),
    };
    const next = moves[event.key];
    if (event.key === 'Enter') onEnter();
    else if (next !== undefined) onMove(next);
    else return;
    event.preventDefault();
  };
  return (
    <input
      type="text"
      role="combobox"
      autoFocus
      aria-label="search acts, controllers, kinds and objects"
      aria-expanded={count > 0}
      aria-controls="found"
      aria-autocomplete="list"
      aria-activedescendant={count > 0 ? optionId(at) : undefined}
      placeholder="Search acts, controllers, kinds and objects"
      autocomplete="off"
      value={query}
      onInput={({ currentTarget }) => onQuery(currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function SearchState(props: {
  query: string;
  count: number;
  isComplete: boolean;
  truncated: readonly string[];
}) {
  const { query, count, isComplete, truncated } = props;
  return (
    <p class="soft search-state" role="status">
      {count === 0 && isComplete && `Nothing contains “${query.trim()}”. `}
      {!isComplete && 'Reading objects… '}
      {truncated.length > 0 && `Only the first objects of ${truncated.join(', ')} are searched. `}
      {isComplete && count > 0 && 'Arrow keys choose, Enter opens, Escape closes.'}
    </p>
  );
}
