import { JsonPathSyntax, evaluateTemplate, parseJsonPathTemplate } from '../../api/json-path/index.ts';
import { ApiError, isNotFound, notFound } from '../../api/status/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { type FlagValues, UsageError, duration, oneOf, text } from '../flags/flags.ts';
import { titleOf } from './resources.ts';
import { type Target, targetFlags, targetsOf } from './targets.ts';
import { type Terminal, describeRefusal } from './terminal.ts';
import { WaitTimeout, waitUntil } from './until.ts';

export const waitFlags = {
  ...targetFlags,
  for: text(
    '',
    "what to wait for: delete, create, condition=NAME[=VALUE], or jsonpath='{.path}'[=VALUE]; VALUE of a condition is true by default",
  ),
  timeout: duration('30s', 'time limit of each object; 0s checks once, a negative value waits a week'),
  output: oneOf(['', 'name'], '', 'output format: name (-o)'),
};

type Flags = FlagValues<typeof waitFlags>;

/** Requirement of `--for` on an object, which is undefined while it does not exist. */
interface Goal {
  readonly isMet: (object: unknown) => boolean;
  /** True if the object may be missing at the start. */
  readonly mayBeMissing: boolean;
  readonly met: string;
}

const WEEK_MS = 7 * 86_400_000;

/** Runs `wait TYPE NAME… --for GOAL`, also with selectors and files. */
export async function wait(terminal: Terminal, words: readonly string[], flags: Flags): Promise<number> {
  const goal = goalOf(flags.for);
  const targets = await targetsOf(terminal, words, flags);
  if (targets.length === 0) {
    if (goal.met === 'deleted') return 0;
    throw new UsageError('no matching resources found');
  }
  let code = 0;
  for (const target of targets) {
    const title = titleOf(target.resource, target.name);
    try {
      // Like kubectl, prints nothing about an object that did not exist before its deletion was awaited.
      if (!(await reach(terminal, target, goal, flags.timeout)) && goal.met === 'deleted') continue;
      terminal.print(`${title}${flags.output === 'name' ? '' : ` ${goal.met}`}\n`);
    } catch (thrown) {
      if (thrown instanceof ApiError && isNotFound(thrown)) terminal.notice(describeRefusal(thrown));
      else if (thrown instanceof WaitTimeout)
        terminal.notice(
          `error: timed out waiting for the condition on ${target.resource.plural}/${target.name}`,
        );
      else throw thrown;
      code = 1;
    }
  }
  return code;
}

/**
 * Waits until an object meets the goal. Returns true if the object existed at the start. Throws `ApiError` if it
 * does not exist but must, and `WaitTimeout` after the time limit.
 */
async function reach(terminal: Terminal, target: Target, goal: Goal, timeoutMs: number): Promise<boolean> {
  const { resource, name } = target;
  let existed: boolean | undefined;
  const accepts = (object: unknown): boolean => {
    const isFirst = existed === undefined;
    existed ??= object !== undefined;
    if (goal.isMet(object)) return true;
    if (object === undefined && !goal.mayBeMissing) {
      if (isFirst) throw notFound({ group: resource.group, resource: resource.plural }, name);
      throw new UsageError(`${titleOf(resource, name)} was deleted while waiting`);
    }
    if (timeoutMs === 0) throw new WaitTimeout();
    return false;
  };
  await waitUntil(terminal, target, accepts, timeoutMs > 0 ? timeoutMs : WEEK_MS);
  return existed === true;
}

/** Parses `--for`. Throws `UsageError` with the accepted forms. */
function goalOf(given: string): Goal {
  if (given === 'delete')
    return { isMet: (object) => object === undefined, mayBeMissing: true, met: 'deleted' };
  if (given === 'create')
    return { isMet: (object) => object !== undefined, mayBeMissing: true, met: 'created' };
  const [, condition, wanted = 'true'] = /^condition=([^=]+)(?:=(.+))?$/.exec(given) ?? [];
  if (condition !== undefined)
    return {
      isMet: (object) => hasCondition(object, condition, wanted),
      mayBeMissing: false,
      met: 'condition met',
    };
  const path = /^jsonpath=(.+)$/s.exec(given)?.[1];
  if (path !== undefined) return pathGoal(path);
  throw new UsageError(
    `invalid --for ${JSON.stringify(given)}: expected delete, create, condition=NAME, condition=NAME=VALUE, jsonpath='{.path}' or jsonpath='{.path}'=VALUE`,
  );
}

function hasCondition(object: unknown, type: string, wanted: string): boolean {
  const { metadata, status } = isRecord(object) ? object : {};
  const conditions =
    isRecord(status) && Array.isArray(status['conditions']) ? (status['conditions'] as unknown[]) : [];
  const found = conditions.find(
    (each) => isRecord(each) && String(each['type']).toLowerCase() === type.toLowerCase(),
  );
  if (!isRecord(found)) return false;
  const observed =
    found['observedGeneration'] ?? (isRecord(status) ? status['observedGeneration'] : undefined);
  const generation = isRecord(metadata) ? metadata['generation'] : undefined;
  // A condition about an earlier generation says nothing about the current one.
  if (typeof observed === 'number' && typeof generation === 'number' && observed < generation) return false;
  return String(found['status']).toLowerCase() === wanted.toLowerCase();
}

function pathGoal(given: string): Goal {
  const [, template = '', wanted] = /^['"]?(\{[^]*\}|[^='"]+)['"]?(?:=([^]+))?$/.exec(given) ?? [];
  if (template === '') throw new UsageError(`invalid path in --for: ${JSON.stringify(given)}`);
  try {
    const parsed = parseJsonPathTemplate(
      template.startsWith('{') ? template : `{.${template.replace(/^\./, '')}}`,
    );
    return {
      mayBeMissing: false,
      met: 'condition met',
      isMet(object) {
        const values = object === undefined ? [] : evaluateTemplate(parsed, object).flat();
        if (values.length !== 1 || typeof values[0] === 'object') return false;
        return wanted === undefined || String(values[0]) === wanted.replace(/^(['"])(.*)\1$/s, '$2');
      },
    };
  } catch (thrown) {
    if (thrown instanceof JsonPathSyntax)
      throw new UsageError(`error parsing jsonpath ${template}, ${thrown.message}`);
    throw thrown;
  }
}
