import { spend } from '../../base/budget/index.ts';
import type { CharacterTest } from './pattern-characters.ts';
import { type PatternNode, parsePattern, tooLarge } from './pattern-syntax.ts';

export { PatternError } from './pattern-syntax.ts';

/**
 * A client's regular expression in RE2 syntax. It is matched in time linear in the length of the string, by
 * following all alternatives at once (Thompson 1968, https://swtch.com/~rsc/regexp/regexp1.html).
 * JavaScript's backtracking could take exponential time.
 */
export interface Pattern {
  /** True if the pattern matches anywhere in the string. */
  test(text: string): boolean;
}

/** An instruction: its condition on the string, and the index of the next instruction. */
type Instruction =
  | { readonly op: 'one'; readonly fits: CharacterTest; next: number }
  | { readonly op: 'at'; readonly holds: (before: number, after: number) => boolean; next: number }
  | { readonly op: 'split'; next: number; other: number }
  | { readonly op: 'done' };

/** Work units for a compiled character, and for one step of a program. */
const COMPILE_WORK = 1;
const STEP_WORK = 0.2;

/** Maximum number of instructions of a program. RE2 rejects patterns that expand to more. */
const MAX_PROGRAM = 10_000;
/** Maximum number of steps of one test. A string that needs more steps does not match. */
const MAX_STEPS = 50_000_000;

const compiled = new Map<string, Pattern>();
/** Maximum number of instructions and characters of all cached patterns together, about 20 MB. */
const MAX_COMPILED = 200_000;
let compiledSize = 0;

/**
 * Compiles a pattern and caches the result. Throws `PatternError`, in Go's words, for a pattern that RE2
 * rejects.
 */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source);
  if (known) return known;
  const program = build(source);
  const pattern: Pattern = { test: (text) => run(program, text) };
  compiledSize += program.length + source.length;
  if (compiledSize > MAX_COMPILED) {
    compiled.clear();
    compiledSize = program.length + source.length;
  }
  compiled.set(source, pattern);
  return pattern;
}

function build(source: string): readonly Instruction[] {
  spend(source.length * COMPILE_WORK);
  const program: Instruction[] = [];
  emit(parsePattern(source), program, source);
  program.push({ op: 'done' });
  return program;
}

function push(program: Instruction[], instruction: Instruction, source: string): number {
  if (program.length >= MAX_PROGRAM) throw tooLarge(source);
  return program.push(instruction) - 1;
}

/**
 * Appends the program of a node. After the node, execution continues at the instruction that follows the
 * appended program.
 */
function emit(node: PatternNode, program: Instruction[], source: string): void {
  switch (node.type) {
    case 'one':
      push(program, { op: 'one', fits: node.fits, next: program.length + 1 }, source);
      return;
    case 'at':
      push(program, { op: 'at', holds: node.holds, next: program.length + 1 }, source);
      return;
    case 'sequence':
      for (const part of node.parts) emit(part, program, source);
      return;
    case 'choice':
      emitChoice(node.parts, program, source);
      return;
    case 'repeat':
      emitRepeat(node, program, source);
  }
}

function emitChoice(parts: readonly PatternNode[], program: Instruction[], source: string): void {
  const ends: Extract<Instruction, { op: 'split' }>[] = [];
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) {
      emit(part, program, source);
      break;
    }
    const split = { op: 'split' as const, next: program.length + 1, other: 0 };
    push(program, split, source);
    emit(part, program, source);
    const end = { op: 'split' as const, next: 0, other: 0 };
    push(program, end, source);
    ends.push(end);
    split.other = program.length;
  }
  for (const end of ends) end.next = end.other = program.length;
}

function emitRepeat(
  { part, least, most }: Extract<PatternNode, { type: 'repeat' }>,
  program: Instruction[],
  source: string,
): void {
  for (let times = 0; times < least; times += 1) emit(part, program, source);
  if (most === Infinity) {
    const split = { op: 'split' as const, next: program.length + 1, other: 0 };
    const at = push(program, split, source);
    emit(part, program, source);
    push(program, { op: 'split', next: at, other: at }, source);
    split.other = program.length;
    return;
  }
  const splits: Extract<Instruction, { op: 'split' }>[] = [];
  for (let times = least; times < most; times += 1) {
    const split = { op: 'split' as const, next: program.length + 1, other: 0 };
    push(program, split, source);
    splits.push(split);
    emit(part, program, source);
  }
  for (const split of splits) split.other = program.length;
}

/** Character code that stands for the beginning or the end of the string. */
const NOTHING = -1;

function run(program: readonly Instruction[], text: string): boolean {
  if (program.length * text.length > MAX_STEPS) return false;
  const marks = new Uint32Array(program.length);
  const pending: number[] = [];
  let round = 0;
  const current: number[] = [];
  const reached: number[] = [];
  let before = NOTHING;
  for (let at = 0; ;) {
    const after = at < text.length ? (text.codePointAt(at) ?? NOTHING) : NOTHING;
    round += 1;
    reached.length = 0;
    const visit = { program, before, after, marks, round, reached, pending };
    for (const state of current) if (follow(visit, state)) return true;
    // A match may begin at any position.
    if (follow(visit, 0)) return true;
    spend((2 + reached.length) * STEP_WORK);
    if (after === NOTHING) return false;
    current.length = 0;
    for (const state of reached) {
      const instruction = program[state];
      if (instruction?.op === 'one' && instruction.fits(after)) current.push(instruction.next);
    }
    before = after;
    at += after > 0xffff ? 2 : 1;
  }
}

/** One position in the string: the characters before and after it, and the instructions reached there. */
interface Visit {
  readonly program: readonly Instruction[];
  readonly before: number;
  readonly after: number;
  readonly marks: Uint32Array;
  readonly round: number;
  readonly reached: number[];
  /** Stack of the traversal. It is empty between calls of `follow`. */
  readonly pending: number[];
}

/**
 * Adds all instructions that are reachable without consuming a character. Returns true if the pattern has
 * matched.
 */
function follow({ program, before, after, marks, round, reached, pending }: Visit, from: number): boolean {
  pending.push(from);
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    if (marks[state] === round) continue;
    marks[state] = round;
    const instruction = program[state];
    if (instruction === undefined) continue;
    if (instruction.op === 'done') return true;
    if (instruction.op === 'one') reached.push(state);
    else if (instruction.op === 'split') pending.push(instruction.other, instruction.next);
    else if (instruction.holds(before, after)) pending.push(instruction.next);
  }
  return false;
}
