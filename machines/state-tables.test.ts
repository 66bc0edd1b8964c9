import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { specimens } from './specimens.fixture.ts';

/** Directories of machines that share a README. */
const DIRECTORIES: { readonly [id: string]: string } = {
  tokencleaner: 'expiry',
  csrcleaner: 'expiry',
  ttlafterfinished: 'expiry',
  'pvc-protection': 'protection',
  'pv-protection': 'protection',
};

/** Returns the first cells of the table whose first column is `state`. */
function statesIn(markdown: string): readonly string[] {
  const [, table = ''] = /^\| state .*\n\|[ |-]*\n((?:\|.*\n)+)/m.exec(markdown) ?? [];
  return table
    .trim()
    .split('\n')
    .map((row) => row.split('|')[1]?.trim() ?? '');
}

describe('state tables', () => {
  it.each(specimens.map(({ machine }) => [machine.id, machine] as const))(
    'in the README of %s list every state with an effect and no other state',
    (id, machine) => {
      const readme = new URL(`./${DIRECTORIES[id] ?? id}/README.md`, import.meta.url);
      const states = Object.values(machine.states)
        .filter((node) => node.invoke.length > 0)
        .map((node) => node.key);
      const written = statesIn(readFileSync(readme, 'utf8'));
      expect(written.filter((state) => machine.states[state] === undefined)).toEqual([]);
      expect(states.filter((state) => !written.includes(state))).toEqual([]);
    },
  );
});
