import { expect } from 'vitest';
import type { KubectlFixture } from '../kubectl.ts';
import { words } from '../kubectl.ts';

/**
 * Expected content of a stream.
 *
 * A string is the whole content, in which one blank stands for a run of blanks, and `<age>`, `<time>`,
 * `<uid>` and `<rv>` stand for varying parts. A pattern must match. All elements of a list must hold.
 */
export type Expected = string | RegExp | readonly (string | RegExp)[] | ((minor: number) => Expected);

/** A command of a session, and its expected outcome. */
export interface Step {
  /**
   * Arguments of kubectl. Text in single quotes is one word. `$NAME` stands for a value that an earlier step
   * stored.
   */
  readonly run: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit code; default 0. */
  readonly code?: number;
  readonly says?: Expected;
  /** Expected standard error. */
  readonly warns?: Expected;
  /** True to retry until the outcome is as expected, for asynchronous work of controllers. */
  readonly eventually?: true;
  /** Name in upper case under which standard output, or the first group of a pattern in it, is stored. */
  readonly keep?: string | { readonly name: string; readonly of: RegExp };
  /** Minor versions of the clients that run the step: from `since` on, and below `before`. */
  readonly since?: number;
  readonly before?: number;
  /**
   * Steps to run while the command is running, after its first output. Then the command must have written
   * `says`, and is ended.
   */
  readonly meanwhile?: readonly Step[];
  /** Pattern of the output after which the steps in `meanwhile` run. */
  readonly begins?: RegExp;
}

/** Chapter of the session. */
export interface Chapter {
  readonly title: string;
  readonly steps: readonly Step[];
}

export const appliesTo = ({ since = 0, before = Infinity }: Step, minor: number): boolean =>
  since <= minor && minor < before;

/** Returns different expectations for clients below a minor version and for later clients. */
export const byMinor =
  (earlier: Expected, since: number, later: Expected): Expected =>
  (minor) =>
    minor < since ? earlier : later;

/** Returns an expectation with the namespace in the message of a deletion for clients from 1.33 on. */
export const inNamespace = (text: (of: string) => string): Expected =>
  byMinor(text(''), 33, text(' from default namespace'));

const UID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const TIMES =
  /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} [+-]\d{4}/g;

/** Returns the text with placeholders for its varying parts. */
export const settled = (text: string): string =>
  text
    .replaceAll(UID, '<uid>')
    .replaceAll(TIMES, '<time>')
    .replaceAll(/(?<=resourceVersion"?: *")\d+/g, '<rv>')
    .replaceAll(/(?<![\w-])\d+(?:y(?:\d+d)?|d(?:\d+h)?|h(?:\d+m)?|m(?:\d+s)?|s)(?![\w-])|<invalid>/g, '<age>')
    .replaceAll(/(?<=\S)[ \t]{2,}(?=\S)|(?<=\S)\t(?=\S)/g, ' ')
    .replaceAll(/[ \t]+$/gm, '')
    .trim();

/**
 * Runs one step and adds the values that it stores to `kept`. Rejects with the difference if the outcome is
 * not as expected.
 */
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

/** Retries until success or a timeout. Rejects with the last failure. */
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
