/**
 * Each part of a world (its store, one process' queue, …) is kept once however many worlds have it, and is named by a
 * number. A world is then a row of numbers, equal rows are equal worlds, and a step that changes two parts pays for two.
 *
 * Versions are names: what matters is which are the same and, of one object, which is the newer one. So they are
 * renumbered from 0 in each world, and worlds that differ only in how often an object was written before are one.
 */
export interface Parts {
  /** The row of a world's parts. */
  row(parts: readonly unknown[]): number[];
  value(id: number): unknown;
  readonly size: number;
  /** Characters of all parts together: what they take, in bytes or twice that. */
  readonly characters: number;
}

interface Part {
  readonly value: unknown;
  readonly text: string;
  /** Versions that are named in it: `uid`, then those numbers, ascending. */
  readonly versions: ReadonlyMap<string, readonly number[]>;
}

const VERSION = /([\w.:-]+~\d+)@(\d+)/g;

export function createParts(): Parts {
  const byText = new Map<string, number>();
  const byValue = new WeakMap<object, number>();
  const parts: Part[] = [];
  let characters = 0;

  const internText = (text: string): number => {
    const known = byText.get(text);
    if (known !== undefined) return known;
    const id = parts.length;
    const value: unknown = JSON.parse(text);
    parts.push({ value, text, versions: versionsIn(text) });
    byText.set(text, id);
    if (typeof value === 'object' && value !== null) byValue.set(value, id);
    characters += text.length;
    return id;
  };
  const intern = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return internText(JSON.stringify(value ?? null));
    const known = byValue.get(value);
    if (known !== undefined) return known;
    const id = internText(JSON.stringify(value));
    byValue.set(value, id);
    return id;
  };
  const renumbered = new Map<string, number>();
  const rename = (id: number, renaming: ReadonlyMap<string, string>, name: string): number => {
    const key = `${id} ${name}`;
    const known = renumbered.get(key);
    if (known !== undefined) return known;
    const text = (parts[id]?.text ?? '').replace(VERSION, (whole) => renaming.get(whole) ?? whole);
    const renamed = internText(text);
    renumbered.set(key, renamed);
    return renamed;
  };

  return {
    row(values) {
      const row = values.map(intern);
      const renaming = renamingOf(row.map((id) => parts[id]?.versions ?? new Map()));
      if (!renaming) return row;
      const concerns = (id: number): string => {
        let name = '';
        for (const [uid, numbers] of parts[id]?.versions ?? [])
          for (const number of numbers) {
            const version = `${uid}@${number}`;
            const to = renaming.get(version);
            if (to !== undefined) name += `${version}>${to};`;
          }
        return name;
      };
      return row.map((id) => {
        const name = concerns(id);
        return name === '' ? id : rename(id, renaming, name);
      });
    },
    value: (id) => parts[id]?.value,
    get size() {
      return parts.length;
    },
    get characters() {
      return characters;
    },
  };
}

function versionsIn(text: string): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, Set<number>>();
  for (const [, uid = '', number = ''] of text.matchAll(VERSION)) {
    let numbers = found.get(uid);
    if (!numbers) found.set(uid, (numbers = new Set()));
    numbers.add(Number(number));
  }
  return new Map([...found].map(([uid, numbers]) => [uid, [...numbers].sort((a, b) => a - b)]));
}

/** What each version is called from now on; undefined when all keep their names. */
function renamingOf(
  all: readonly ReadonlyMap<string, readonly number[]>[],
): ReadonlyMap<string, string> | undefined {
  const numbers = new Map<string, Set<number>>();
  for (const versions of all)
    for (const [uid, found] of versions) {
      let known = numbers.get(uid);
      if (!known) numbers.set(uid, (known = new Set()));
      for (const number of found) known.add(number);
    }
  let renaming: Map<string, string> | undefined;
  for (const [uid, found] of numbers) {
    let highest = -1;
    for (const number of found) if (number > highest) highest = number;
    if (highest === found.size - 1) continue;
    const ascending = [...found].sort((a, b) => a - b);
    for (const [rank, number] of ascending.entries())
      if (rank !== number) (renaming ??= new Map()).set(`${uid}@${number}`, `${uid}@${rank}`);
  }
  return renaming;
}
