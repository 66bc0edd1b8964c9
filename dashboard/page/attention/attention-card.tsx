import { useState } from 'preact/hooks';
import type { AttentionDocument } from '../../model/attention.ts';
import { useDocument } from '../journal.ts';
import { chosenNamespace } from '../namespace.ts';
import { Ago, Pill, many } from '../parts/bits.tsx';
import { NamespaceChoice } from '../parts/namespace-choice.tsx';
import { toController, toKey } from '../routes.ts';
import { useStore } from '../store.ts';
import { LinkedSentence } from './linked-sentence.tsx';

const FILTERS = [
  ['controller', 'controllers'],
  ['kind', 'kinds'],
] as const;
type Filter = (typeof FILTERS)[number][0];

/**
 * List of what needs attention, with its filters. Shows nothing for a replayed journal, which has no objects,
 * and for a server without the list.
 */
export function AttentionCard() {
  const [chosen, choose] = useState<Readonly<Partial<Record<Filter, string>>>>({});
  const namespace = useStore(chosenNamespace);
  const filters = Object.entries({ ...chosen, namespace });
  const query = new URLSearchParams(filters.filter(([, value]) => value !== ''));
  const { document } = useDocument<AttentionDocument>(`attention?${query}`);
  if (document?.kind !== 'Attention') return null;
  const { items, total, atMs } = document;
  return (
    <section class={`card attention ${total > 0 ? 'ill' : ''}`} aria-labelledby="attention">
      <header class="bar">
        <h2 id="attention">Needs attention{total > 0 && <> ({many(total)})</>}</h2>
        <div class="filters">
          <NamespaceChoice label="filter by namespace" />
          {FILTERS.map(([name, values]) => (
            <label key={name}>
              <span class="soft">{name}</span>{' '}
              <select
                aria-label={`filter by ${name}`}
                onChange={({ currentTarget }) => choose({ ...chosen, [name]: currentTarget.value })}
              >
                <option value="">all</option>
                {document[values].map((value) => (
                  <option key={value} value={value} selected={chosen[name] === value}>
                    {value}
                  </option>
                ))}
              </select>
            </label>
          ))}
        </div>
      </header>
      {total === 0 && <p class="soft">Nothing needs attention.</p>}
      <ul class="plain" aria-label="what needs attention">
        {items.map((item) => (
          <li key={`${item.reason} ${item.sentence}`}>
            <span class="age">
              <Ago ms={atMs - item.sinceMs} />
            </span>
            <span class="said">
              <LinkedSentence item={item} />
            </span>
            <a
              class="soft"
              href={item.key === undefined ? toController(item.controller) : toKey(item.controller, item.key)}
            >
              {item.key === undefined ? item.controller : `${item.controller}: timeline`}
            </a>
            <Pill tone="failed">{item.reason}</Pill>
          </li>
        ))}
      </ul>
      {items.length < total && (
        <p class="soft">{many(total - items.length)} more: use the filters to see them.</p>
      )}
    </section>
  );
}
