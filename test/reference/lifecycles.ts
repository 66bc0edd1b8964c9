import { ANY, type Lifecycle, lifecycles } from '../../api/lifecycles/index.ts';
import { machineOf } from '../../machines/lifecycles/index.ts';
import { cell, page, table } from './markdown.ts';

const section = (lifecycle: Lifecycle): readonly string[] => {
  const { id, noun, kind, states, transitions } = lifecycle;
  return [
    `## ${id}`,
    `States of ${kind === undefined ? 'objects of every kind' : `a ${noun} (\`${kind.plural}\`)`}.`,
    `![States and transitions: ${noun}](../machines/${machineOf(lifecycle).id}.svg)`,
    table(
      ['state', 'meaning'],
      Object.entries<string>(states).map(([state, meaning]) => [state, cell(meaning)]),
    ),
    table(
      ['from', 'to', 'reason', 'by'],
      transitions.map(({ from, to, reason, by }) => [
        from === ANY ? 'any state' : from.join(', '),
        to,
        cell(reason),
        by.join(', '),
      ]),
    ),
  ];
};

export const lifecyclesPage = (): string =>
  page(
    'Lifecycles',
    'States of objects, and who may take an object from one to another. The API server refuses what release 1.24 forbids, from the same tables. Chaos checks every write against them, and its report counts the transitions taken. `orch machines lifecycle-NAME` prints one; `npm run machines` draws the pictures again.',
    'An object begins in `absent` and ends in `deleted`. `clock` stands for transitions that only the time takes. `user` is any authorized client that is no controller of this program, and may act for a node agent, a scheduler or a volume binder.',
    ...lifecycles.flatMap(section),
  );
