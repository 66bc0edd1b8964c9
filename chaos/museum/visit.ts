import { orchVocabulary } from '../../api/vocabulary/index.ts';
import { describeLines, lengthOf } from '../explore/trace.ts';
import { subjectOf } from '../explore/scenarios/index.ts';
import { mutantsOf } from '../mutants/catalogue.ts';
import type { Mutant } from '../mutants/mutant.ts';
import type { Hunt, Hunter } from '../mutants/hunt.ts';
import { type Exhibit, exhibits } from './catalogue.ts';

export interface Visit {
  readonly exhibit: Exhibit;
  readonly mutant: Mutant;
  readonly hunt: Hunt;
}

/** Returns the exhibits of an issue, which is named in full or by its number; '' returns all. */
export const exhibitsOf = (issue: string): readonly Exhibit[] =>
  issue === ''
    ? exhibits
    : exhibits.filter(
        ({ issue: each }) => each === issue || each.endsWith(`#${issue}`) || each.endsWith(` ${issue}`),
      );

/** Returns the mutant of an exhibit; throws if the catalogue has no such mutant. */
export function mutantOf({ mutant: name }: Pick<Exhibit, 'mutant'>): Mutant {
  const controller = name.slice(0, name.indexOf('/'));
  const subject = subjectOf(controller, orchVocabulary, 1);
  const found = subject && mutantsOf(subject.definition).find((each) => each.name === name);
  if (!found) throw new Error(`there is no mutant ${name}`);
  return found;
}

/** Runs the hunter on the mutant of an exhibit. */
export async function visit(exhibit: Exhibit, hunter: Hunter): Promise<Visit> {
  const mutant = mutantOf(exhibit);
  return { exhibit, mutant, hunt: await hunter.hunt(mutant) };
}

const failureIn = ({ hunt }: Visit) => {
  const last = hunt.findings.at(-1)?.exploration;
  return last?.verdict === 'fail' ? last : undefined;
};

/** Formats one line of the museum's table. */
export function describeVisit(seen: Visit): string {
  const { exhibit, mutant, hunt } = seen;
  const failure = failureIn(seen);
  const found = failure
    ? `found by ${failure.violation.invariant} in ${lengthOf(failure.trace)} steps, ${(hunt.ms / 1000).toFixed(2)} s`
    : 'NOT FOUND';
  return `${exhibit.issue.padEnd(28)} ${mutant.name.padEnd(52)} ${found}: ${exhibit.there}\n`;
}

/** Formats the trace that leads to the bug; '' if no bug was found. */
export const describeWay = (seen: Visit): string =>
  describeLines(failureIn(seen)?.trace ?? [])
    .map((line) => `${line}\n`)
    .join('');

/** True if the hunter found a counterexample. */
export const isFound = (seen: Visit): boolean => failureIn(seen) !== undefined;
