import type { Footprint } from './footprint.ts';
import { createMemo } from './memo.ts';
import { textOf } from './text.ts';
import type { Lesson } from './scenario.ts';

type Entry = readonly [key: string, value: unknown];

/** Returns the entries of a Map in the saved memory of a controller (`memory.ts`). */
const entriesOf = (memory: unknown, container: number): readonly Entry[] =>
  (memory as readonly (readonly Entry[])[])[container] ?? [];

const taught = createMemo<object, unknown>();

/**
 * Returns the memory after the reconcile of another group added the entry of a lesson. Undefined if the
 * memory already has the entry. Throws if the controller learned another value, because the lesson is then
 * declared wrongly.
 */
export function afterLesson(memory: unknown, lesson: Lesson): unknown {
  const { container, key, value } = lesson;
  const known = entriesOf(memory, container).find(([each]) => each === key);
  if (known && textOf(known[1]) !== textOf(value))
    throw new Error(`${key} was learned as ${textOf(known[1])}, expected ${textOf(value)}`);
  if (known || typeof memory !== 'object' || memory === null) return undefined;
  return taught(memory, lesson, () =>
    (memory as readonly (readonly Entry[])[]).map((entries, at) =>
      at === container
        ? [...entries, [key, value] as const].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
        : entries,
    ),
  );
}

/** Returns the memory entries of a group that are in no lesson. */
export const rememberedOf = (
  { remembered }: Footprint,
  lessons: readonly Lesson[],
): ReadonlySet<string | undefined> => {
  const shared = new Set(lessons.map(({ container, key }) => `${container} ${JSON.stringify(key)}`));
  return new Set([...remembered].filter((each) => each === undefined || !shared.has(each)));
};
