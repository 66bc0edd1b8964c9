import { useEffect, useState } from 'preact/hooks';
import type { KeysDocument } from '../../model/documents.ts';
import { useDocument } from '../journal.ts';
import { chosenNamespace } from '../namespace.ts';
import { toKey } from '../routes.ts';
import { useStore } from '../store.ts';
import { Ago, Loading, Pill, Problem, many, toneOf } from './bits.tsx';
import { NamespaceChoice } from './namespace-choice.tsx';
import { Rows } from './rows.tsx';

const PAGE = 200;

/**
 * List of the keys in a state or with an outcome, or of all without one. The keys that entered their state first are
 * first.
 */
export function KeyList(props: {
  controller: string;
  state?: string | undefined;
  /** Outcome of the last reconcile. */
  outcome?: 'failed';
}) {
  const { controller, state, outcome } = props;
  const [search, setSearch] = useState('');
  const [offset, setOffset] = useState(0);
  const namespace = useStore(chosenNamespace);
  useEffect(() => setOffset(0), [namespace]);
  const query = new URLSearchParams({ offset: String(offset), limit: String(PAGE), search, namespace });
  if (state !== undefined) query.set('state', state);
  if (outcome !== undefined) query.set('outcome', outcome);
  const { document: keys, problem } = useDocument<KeysDocument>(
    `controllers/${encodeURIComponent(controller)}/keys?${query}`,
  );
  if (problem !== undefined) return <Problem problem={problem} />;
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    setSearch(currentTarget.value);
    setOffset(0);
  };
  return (
    <div class="key-list">
      <div class="key-filters">
        <input
          type="search"
          placeholder="Search keys"
          aria-label="search keys"
          value={search}
          onInput={onInput}
        />
        <NamespaceChoice />
      </div>
      {keys === undefined ? (
        <Loading />
      ) : (
        <Keys keys={keys} controller={controller} showsState={state === undefined} onOffset={setOffset} />
      )}
    </div>
  );
}

/** One page of keys. `onOffset` requests the page that contains the visible rows. */
function Keys(props: {
  keys: KeysDocument;
  controller: string;
  showsState: boolean;
  onOffset: (offset: number) => void;
}) {
  const { keys, controller, showsState, onOffset } = props;
  const onVisible = (first: number, last: number): void => {
    if (first < keys.offset || last > keys.offset + PAGE) onOffset(Math.max(0, Math.floor(first - PAGE / 3)));
  };
  const render = (at: number) => {
    const item = keys.items[at - keys.offset];
    if (item === undefined) return <span class="soft">…</span>;
    return (
      <a href={toKey(controller, item.key)} title={item.error ?? item.reason ?? item.key}>
        <span class="key-name">{item.key}</span>
        {showsState && <Pill tone={toneOf(item)}>{item.state}</Pill>}
        <Ago ms={keys.atMs - item.sinceMs} />
      </a>
    );
  };
  return (
    <>
      <p class="soft">{keys.total === 1 ? '1 key' : `${many(keys.total)} keys`}</p>
      <Rows total={keys.total} rowHeight={34} label="keys" onVisible={onVisible} render={render} />
    </>
  );
}
