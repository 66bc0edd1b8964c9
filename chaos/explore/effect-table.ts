import { messageOf } from '../../base/errors/coded.ts';
import { turnOfLoop } from '../../base/clock/simulated.ts';
import type { ApiAnswer, ApiRequest } from './api-request.ts';
import type { ControllerModel, Read, Session } from './controller-model.ts';
import { createMemo } from './memo.ts';
import { createNumbers } from './text.ts';

/** A stretch of an effect between two waits: what it found, as recorded. */
export interface Segment {
  /** The results of everything it read, in order; `null` for nothing. What the controller remembered is one of them. */
  readonly reads: readonly unknown[];
  /** What began it; none for the first. */
  readonly answer?: { readonly to: number; readonly answer: ApiAnswer };
}

/** An effect under way, as plain JSON: it is brought back by running it again with what it was told so far. */
export interface EffectRun {
  readonly effect: string;
  readonly input: unknown;
  readonly log: readonly Segment[];
}

export interface SegmentEnd {
  /** Requests it has sent in this stretch. */
  readonly asked: readonly ApiRequest[];
  readonly reads: readonly unknown[];
  /** What the controller remembers afterwards; none where it has not looked into its memory. */
  readonly memory?: unknown;
  readonly enqueued: readonly (readonly [key: string, afterMs: number])[];
  /** Set when the effect is over. */
  readonly end?: { readonly output: unknown } | { readonly error: string };
}

/** Thrown by a look-up of what was never run yet; `run` makes it known. No error: nobody asks for its stack, which takes time. */
export class Unknown {
  readonly run: () => Promise<void>;
  constructor(run: () => Promise<void>) {
    this.run = run;
  }
}

/** Does each thing; what is unknown in any of them is to be run before any of it is done again. */
export function allOf<T>(works: readonly (() => T)[]): T[] {
  const unknown: Unknown[] = [];
  const results: T[] = [];
  for (const work of works)
    try {
      results.push(work());
    } catch (thrown) {
      if (!(thrown instanceof Unknown)) throw thrown;
      unknown.push(thrown);
    }
  if (unknown.length > 0)
    throw new Unknown(async () => {
      for (const each of unknown) await each.run();
    });
  return results;
}

/** What a stretch of an effect asks of its process: its memory as a whole, once, when it first looks into it. */
export type Query = Read | { readonly of: 'memory' };

/** Where a stretch of an effect reads from; what it remembers it is handed. */
export type Reader = (query: Query) => unknown;

/**
 * What effects do next, as a table: real code is run once for each distinct past and each distinct set of things it
 * reads, and looked up ever after.
 */
export interface EffectTable {
  /**
   * The stretch that `answer` (none: the start) begins. Throws `Unknown` when it has to be run first.
   */
  next(run: EffectRun, answer: Segment['answer'], memory: unknown, read: Reader): SegmentEnd;
  /** How many distinct stretches were run. */
  readonly size: number;
}

type Node = { query: Query; next: Map<number, Node> } | { leaf: SegmentEnd };

export function createEffectTable(model: ControllerModel): EffectTable {
  const numbers = createNumbers();
  const runs = createMemo<EffectRun, number>();
  /** Known by what it is made of, most of which has a number. */
  const numberOf = (run: EffectRun): number =>
    runs(run, null, () =>
      numbers([
        run.effect,
        run.input,
        ...run.log.flatMap(({ reads, answer }) => [answer ? [answer.to, answer.answer] : [], reads]),
      ]),
    );
  const roots = new Map<string, Node>();
  let size = 0;
  const remember = (key: string, queries: readonly Query[], leaf: SegmentEnd): void => {
    const made = (at: number): Node => {
      const query = queries[at];
      if (!query) return { leaf };
      return { query, next: new Map([[numbers(leaf.reads[at]), made(at + 1)]]) };
    };
    let node = roots.get(key);
    if (!node) {
      roots.set(key, made(0));
      return;
    }
    for (let at = 0; !('leaf' in node); at++) {
      const found = numbers(leaf.reads[at]);
      const known: Node | undefined = node.next.get(found);
      if (!known) {
        node.next.set(found, made(at + 1));
        return;
      }
      node = known;
    }
  };
  return {
    get size() {
      return size;
    },
    next(run, answer, memory, read) {
      const told = answer ? `${answer.to} ${numbers(answer.answer)}` : '';
      const key = `${numberOf(run)} ${told}`;
      const found = (query: Query): unknown => {
        const value = read(query);
        return query.of === 'memory' ? memory : value;
      };
      const known = (): SegmentEnd | undefined => {
        let node = roots.get(key);
        while (node && !('leaf' in node)) node = node.next.get(numbers(found(node.query) ?? null));
        return node?.leaf;
      };
      const leaf = known();
      if (leaf) return leaf;
      throw new Unknown(async () => {
        // Several may have wanted the same.
        if (known()) return;
        const { end, queries } = await runSegment(model, run, answer, memory, read);
        size += 1;
        remember(key, queries, end);
      });
    },
  };
}

const plain = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

async function runSegment(
  model: ControllerModel,
  { effect: name, input, log }: EffectRun,
  answer: Segment['answer'],
  memory: unknown,
  live: Reader,
): Promise<{ end: SegmentEnd; queries: readonly Query[] }> {
  const effect = model.effects[name];
  if (!effect) throw new Error(`controller ${model.name} has no effect ${name}`);
  const waiting: ((answer: ApiAnswer) => void)[] = [];
  let asked: ApiRequest[] = [];
  let enqueued: [string, number][] = [];
  let queries: Query[] = [];
  let results: unknown[] = [];
  let replayed: unknown[] | undefined;
  let end: SegmentEnd['end'];
  let isTouched = false;
  const session: Session = {
    read(query) {
      const value = replayed ? replayed.shift() : live(query);
      queries.push(query);
      results.push(value ?? null);
      return value ?? undefined;
    },
    ask: (request) => {
      asked.push(plain(request) as ApiRequest);
      return new Promise((resolve) => waiting.push(resolve));
    },
    enqueue: (key, afterMs) => void enqueued.push([key, afterMs]),
    touch() {
      if (isTouched) return;
      isTouched = true;
      const remembered = replayed ? replayed.shift() : memory;
      queries.push({ of: 'memory' });
      results.push(remembered);
      model.memory.restore(remembered);
    },
  };
  const segments = [...log, { reads: undefined, ...(answer === undefined ? {} : { answer }) }] as const;
  const leave = model.enter(session);
  try {
    for (const segment of segments) {
      asked = [];
      enqueued = [];
      queries = [];
      results = [];
      replayed = segment.reads && [...segment.reads];
      isTouched = false;
      if (segment.answer) waiting[segment.answer.to]?.(segment.answer.answer);
      else
        effect(input as never, new AbortController().signal).then(
          (output) => (end = { output: plain(output) }),
          (thrown: unknown) => (end = { error: messageOf(thrown) }),
        );
      await turnOfLoop();
    }
    return {
      end: {
        asked,
        reads: results,
        ...(isTouched ? { memory: model.memory.save() } : {}),
        enqueued,
        ...(end ? { end } : {}),
      },
      queries,
    };
  } finally {
    leave();
  }
}
