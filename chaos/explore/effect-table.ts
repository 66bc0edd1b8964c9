import { messageOf } from '../../base/errors/index.ts';
import { turnOfLoop } from '../../base/clock/index.ts';
import type { ApiAnswer, ApiRequest } from './api-request.ts';
import type { ControllerModel, Read, Session } from './controller-model.ts';
import { HiddenMemoryError } from './hidden-memory.ts';
import { createMemo } from './memo.ts';
import type { Executions } from './reexecution.ts';
import { createNumbers } from './text.ts';

/** Part of an effect's execution from one wait to the next. */
export interface Segment {
  /** Results of all reads in order, with `null` for undefined. The memory counts as one read. */
  readonly reads: readonly unknown[];
  /** Response that started the segment; undefined for the first segment. */
  readonly answer?: { readonly to: number; readonly answer: ApiAnswer };
}

/** A running effect as plain JSON. Replaying the log restores it. */
export interface EffectRun {
  readonly effect: string;
  readonly input: unknown;
  readonly log: readonly Segment[];
}

export interface SegmentEnd {
  /** Requests that the segment sent. */
  readonly asked: readonly ApiRequest[];
  readonly reads: readonly unknown[];
  /** Memory of the controller after the segment; undefined if the segment did not access it. */
  readonly memory?: unknown;
  readonly enqueued: readonly (readonly [key: string, afterMs: number])[];
  /** Result of the effect; undefined if the effect has not ended. */
  readonly end?: { readonly output: unknown } | { readonly error: string };
}

/**
 * Thrown if a look-up needs a segment that has not run yet. `run` executes that segment. The class does not
 * extend Error, because capturing stacks is slow.
 */
export class Unknown {
  readonly run: () => Promise<void>;
  constructor(run: () => Promise<void>) {
    this.run = run;
  }
}

/** Evaluates all computations. Throws one `Unknown` for all missing segments, so that one retry is enough. */
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

/** A read by an effect segment. The first access reads the whole memory. */
export type Query = Read | { readonly of: 'memory' };

/** Returns the result of a segment's read, except a read of the memory. */
export type Reader = (query: Query) => unknown;

/**
 * Outcomes of effect segments. The controller's code runs once for each history and combination of read
 * values; later look-ups return the recorded outcome.
 */
export interface EffectTable {
  /**
   * Returns the outcome of the segment that `answer` starts, or of the first segment. Throws `Unknown` if the
   * segment has not run yet.
   */
  next(run: EffectRun, answer: Segment['answer'], memory: unknown, read: Reader): SegmentEnd;
  /** Number of different segments that ran. */
  readonly size: number;
}

type Node = { query: Query; next: Map<number, Node> } | { leaf: SegmentEnd };

/** Creates the table of one controller. `executions` receives each segment that ran. */
export function createEffectTable(model: ControllerModel, executions?: Executions): EffectTable {
  const numbers = createNumbers();
  const runs = createMemo<EffectRun, number>();
  /** Returns a number for the run's history. Most components of the history already have numbers. */
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
        // Another computation may have run the same segment in the meantime.
        if (known()) return;
        const ran = await runSegment(model, run, { answer }, memory, read);
        size += 1;
        remember(key, ran.queries, ran.end);
        executions?.note({
          what: () => whatOf(run),
          result: ran,
          again: (other) =>
            runSegment(other, run, { answer, reads: ran.end.reads }, undefined, () => undefined),
        });
      });
    },
  };
}

const plain = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

const whatOf = ({ effect, input }: EffectRun): string => `effect ${effect} of ${JSON.stringify(input)}`;

/** The segment to run after the log was replayed. */
interface Last {
  readonly answer: Segment['answer'];
  /**
   * Recorded results of the segment's reads, if the segment is repeated. Undefined if the reader returns
   * them.
   */
  readonly reads?: readonly unknown[];
}

async function runSegment(
  model: ControllerModel,
  run: EffectRun,
  { answer, reads }: Last,
  memory: unknown,
  live: Reader,
): Promise<{ end: SegmentEnd; queries: readonly Query[] }> {
  const { effect: name, input, log } = run;
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
  let hasDiverged = false;
  /**
   * Returns the next recorded result. Without hidden memory, a repetition reads exactly as often as the first
   * run.
   */
  const replay = (from: unknown[]): unknown => {
    hasDiverged ||= from.length === 0;
    return from.shift();
  };
  const session: Session = {
    read(query) {
      const value = replayed ? replay(replayed) : live(query);
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
      const remembered = replayed ? replay(replayed) : memory;
      queries.push({ of: 'memory' });
      results.push(remembered);
      if (!hasDiverged) model.memory.restore(remembered);
    },
  };
  const segments = [...log, { reads, ...(answer === undefined ? {} : { answer }) }] as const;
  const leave = model.enter(session);
  try {
    for (const segment of segments) {
      asked = [];
      enqueued = [];
      queries = [];
      results = [];
      replayed = segment.reads && [...segment.reads];
      isTouched = false;
      if (segment.answer) {
        const resume = waiting[segment.answer.to];
        hasDiverged ||= resume === undefined;
        resume?.(segment.answer.answer);
      } else
        effect(input as never, new AbortController().signal).then(
          (output) => (end = { output: plain(output) }),
          (thrown: unknown) => (end = { error: messageOf(thrown) }),
        );
      await turnOfLoop();
      hasDiverged ||= replayed !== undefined && replayed.length > 0;
      if (hasDiverged)
        throw new HiddenMemoryError(`${whatOf(run)} read or asked something else when it was repeated`);
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
