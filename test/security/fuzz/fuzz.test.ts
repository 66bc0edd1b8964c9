import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../long.ts';
import { fuzzedParsers } from './fuzz-parsers.ts';
import type { FuzzedParser } from './fuzzed-parser.ts';

// Tests that each parser returns or throws a documented error within a time limit for any input.

const TOTAL = 100_000;
const RUNS = Math.ceil(TOTAL / fuzzedParsers.length);
const LIMIT_MS = 50;
const LONGEST = 4_096;

type Edit = readonly [kind: number, at: number, length: number, times: number, piece: string];

/** True if V8 threw the error because of a bug in the parser, not because of invalid input. */
const isDefect = (thrown: unknown): boolean =>
  !(thrown instanceof Error) ||
  thrown instanceof TypeError ||
  thrown instanceof RangeError ||
  thrown instanceof ReferenceError;

/** Generates mutations of valid inputs, and arbitrary strings. */
function inputsOf({ seeds, pieces }: FuzzedParser): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
  );
  const edit = fc.tuple(fc.nat(3), fc.nat(10_000), fc.nat(20), fc.constantFrom(1, 1, 2, 100, 1_000), piece);
  const edited = fc
    .tuple(fc.constantFrom(...seeds), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([seed, edits]) => (edits as readonly Edit[]).reduce(changed, seed));
  const made = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));
  return fc.oneof({ weight: 4, arbitrary: edited }, { weight: 1, arbitrary: made });
}

function changed(text: string, [kind, where, length, times, piece]: Edit): string {
  const at = text.length === 0 ? 0 : where % text.length;
  const [before, touched, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
  const next = [
    before + piece.repeat(times) + touched + after,
    before + after,
    before + touched.repeat(times) + after,
    before + piece + after,
  ][kind];
  return (next ?? text).slice(0, LONGEST);
}

/** Returns the processor time of a call in milliseconds, which excludes the time of other programs. */
function workMs(run: () => void): number {
  const from = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}

function tryOn(parser: FuzzedParser, input: string): void {
  const attempt = (): void => {
    try {
      parser.run(input);
    } catch (thrown) {
      if (isDefect(thrown)) throw thrown;
    }
  };
  // Repeats a slow call, because garbage collection and compilation can disturb a single call.
  for (let left = 8; workMs(attempt) > LIMIT_MS; left--)
    if (left === 0) throw new Error(`took more than ${LIMIT_MS} ms for ${input.length} characters`);
}

describe(`parsers of untrusted bytes, ${RUNS} inputs each`, () => {
  it.each(fuzzedParsers.map((parser) => [parser.name, parser] as const))(
    'reject invalid %s with a documented error, in bounded time',
    (_name, parser) => {
      let taken = 0;
      for (const seed of parser.seeds) {
        tryOn(parser, seed);
        expect(() => parser.run(seed)).not.toThrow();
        taken += 1;
      }
      expect(taken).toBeGreaterThan(0);
      fc.assert(
        fc.property(inputsOf(parser), (input) => tryOn(parser, input)),
        { numRuns: RUNS, ...(LONG ? {} : { seed: 1 }) },
      );
    },
    120_000,
  );
});
