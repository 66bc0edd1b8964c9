import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chartDigest, describeMachine } from '../../dashboard/index.ts';
import { printedMachines } from './known-machines.ts';
import { createPrinter } from './machines.ts';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'machines');
const kept = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('pictures in docs/machines, drawn by `npm run machines`,', () => {
  const machines = printedMachines();

  it('exist for exactly the printed machines', () => {
    const named = machines.map((machine) => [`${machine.id}.svg`, chartDigest(describeMachine(machine))]);
    const files = readdirSync(folder).filter((name) => name.endsWith('.svg'));
    expect(files.map((name) => [name, /data-machine="(\w+)"/.exec(kept(name))?.[1]]).sort()).toEqual(
      named.sort(),
    );
  });

  it('equal newly drawn pictures', async () => {
    const print = createPrinter();
    for (const machine of machines.filter(({ id }) =>
      ['serviceaccount', 'namespace', 'lifecycle-namespace'].includes(id),
    ))
      expect(await print(machine, 'svg')).toBe(kept(`${machine.id}.svg`));
  });
});
