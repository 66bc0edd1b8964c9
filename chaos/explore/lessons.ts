import type { Footprint } from './footprint.ts';
import { createMemo } from './memo.ts';
import { textOf } from './text.ts';
import type { Lesson } from './scenario.ts';

type Entry = readonly [key: string, value: unknown];

/** Returns the entries of a Map as `memory.ts` saves it. */
const entriesOf = (memory: unknown, container: number): readonly Entry[] =>
  (memory as readonly (readonly Entry[])[])[container] ?? [];

const taught = createMemo<object, unknown>();

/**
 * Returns the memory after another group's reconcile added the lesson's entry; undefined if it is already
 * there. Throws if the controller learned another value, because the declared lesson is then wrong.
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

/** Returns the memory entries of a group that no lesson covers. */
export const rememberedOf = (
  { remembered }: Footprint,
  lessons: readonly Lesson[],
): ReadonlySet<string | undefined> => {
  const shared = new Set(lessons.map(({ container, key }) => `${container} ${JSON.stringify(key)}`));
  return new Set([...remembered].filter((each) => each === undefined || !shared.has(each)));
};
