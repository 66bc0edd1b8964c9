import { expect } from 'vitest';
import type { KubectlFixture } from '../kubectl.ts';
import { words } from '../kubectl.ts';

/**
 * What a stream must hold. A text is the whole of it, where runs of blanks are one blank and what differs from run to
 * run (ages, times, uids, versions) is written `<age>`, `<time>`, `<uid>`, `<rv>`; a pattern is looked for; of a list,
 * every element holds.
 */
export type Expected = string | RegExp | readonly (string | RegExp)[] | ((minor: number) => Expected);

/** One command of a session with what must come of it. */
export interface Step {
  /** Arguments of kubectl; what stands in single quotes is one word. `$NAME` is what a step before has kept. */
  readonly run: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit code; 0 unless said otherwise. */
  readonly code?: number;
  readonly says?: Expected;
  /** Standard error. */
  readonly warns?: Expected;
  /** Asked again until the answer is the expected one, for what controllers do in their own time. */
  readonly eventually?: true;
  /** Keeps standard output, or the first group of a pattern in it, under a name of capitals. */
  readonly keep?: string | { readonly name: string; readonly of: RegExp };
  /** The clients it is for: from minor version `since` on, up to and without `before`. */
  readonly since?: number;
  readonly before?: number;
  /** The command goes on, from its first output on, while these run; then it must have written `says`, and is ended. */
  readonly meanwhile?: readonly Step[];
  /** What of a command with `meanwhile` is waited for before they run. */
  readonly begins?: RegExp;
}

/** A chapter of the session. */
export interface Chapter {
  readonly title: string;
  readonly steps: readonly Step[];
}

export const appliesTo = ({ since = 0, before = Infinity }: Step, minor: number): boolean =>
  since <= minor && minor < before;

/** What earlier clients say, and what those from a minor version on. */
export const byMinor =
  (earlier: Expected, since: number, later: Expected): Expected =>
  (minor) =>
    minor < since ? earlier : later;

/** From 1.33 on a deletion is told with the namespace. */
export const inNamespace = (text: (of: string) => string): Expected =>
  byMinor(text(''), 33, text(' from default namespace'));

const UID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const TIMES =
  /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} [+-]\d{4}/g;

/** A text without what differs from run to run. */
export const settled = (text: string): string =>
  text
    .replaceAll(UID, '<uid>')
    .replaceAll(TIMES, '<time>')
    .replaceAll(/(?<=resourceVersion"?: *")\d+/g, '<rv>')
    .replaceAll(/(?<![\w-])\d+(?:y(?:\d+d)?|d(?:\d+h)?|h(?:\d+m)?|m(?:\d+s)?|s)(?![\w-])|<invalid>/g, '<age>')
    .replaceAll(/(?<=\S)[ \t]{2,}(?=\S)|(?<=\S)\t(?=\S)/g, ' ')
    .replaceAll(/[ \t]+$/gm, '')
    .trim();

/** Plays one step; rejects with the difference. `kept` grows. */
export async function play(
  step: Step,
  k: KubectlFixture,
  minor: number,
  kept: Map<string, string>,
): Promise<void> {
  const insert = (text: string): string =>
    text.replaceAll(/\$([A-Z]+)\b/g, (whole, name: string) => kept.get(name) ?? whole);
  const argv = words(step.run).map(insert);
  if (step.meanwhile) return await playMeanwhile(step, argv, k, minor, kept);
  const options = {
    ...(step.stdin === undefined ? {} : { stdin: insert(step.stdin) }),
    ...(step.env === undefined ? {} : { env: step.env }),
  };
  const once = async (): Promise<void> => {
    const { code, stdout, stderr } = await k.attempt(argv, options);
    const told = `kubectl ${argv.join(' ')}\n${stdout}${stderr}`;
    expect(code, told).toBe(step.code ?? 0);
    holds(stdout, step.says, minor, told);
    holds(stderr, step.warns, minor, told);
    keep(stdout, step.keep, kept);
  };
  await (step.eventually ? eventually(once) : once());
}

/** Tries until it works, at most so long; rejects with the last failure. */
async function eventually(attempt: () => unknown, limitMs = 60_000): Promise<void> {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (failure) {
      if (performance.now() > end) throw failure;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function playMeanwhile(
  step: Step,
  argv: readonly string[],
  k: KubectlFixture,
  minor: number,
  kept: Map<string, string>,
): Promise<void> {
  const program = k.begin(argv, step.env);
  await program.output(step.begins ?? /\S/);
  keep(program.stdout, step.keep, kept);
  for (const during of step.meanwhile ?? []) if (appliesTo(during, minor)) await play(during, k, minor, kept);
  await eventually(() => holds(program.stdout, step.says, minor, program.stdout + program.stderr));
  await program.end('SIGTERM');
}

function keep(stdout: string, how: Step['keep'], kept: Map<string, string>): void {
  if (how === undefined) return;
  if (typeof how === 'string') return void kept.set(how, stdout.trim());
  kept.set(how.name, how.of.exec(stdout)?.[1] ?? '');
}

function holds(text: string, expected: Expected | undefined, minor: number, told: string): void {
  if (expected === undefined) return;
  if (typeof expected === 'function') return holds(text, expected(minor), minor, told);
  if (typeof expected === 'string') return void expect(settled(text), told).toBe(settled(expected));
  if (expected instanceof RegExp) return void expect(settled(text), told).toMatch(expected);
  for (const each of expected) {
    if (each instanceof RegExp) expect(settled(text), told).toMatch(each);
    else expect(settled(text), told).toContain(settled(each));
  }
}
