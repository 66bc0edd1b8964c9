import { parseYamlFile } from '../../base/yaml/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import {
  type Field,
  type Fields,
  PlanError,
  fieldsOf,
  itemsOf,
  numberOf,
  textOf,
  textsOf,
} from '../plan/fields.ts';
import { isAnyOf } from '../plan/patterns.ts';
import { type Condition, conditionsOf, doHold, groupOf } from './conditions.ts';
import { keyOfObject } from './keys.ts';
import type { Effect, Reading } from './reading.ts';
import type { Finding, WireRule } from './rule.ts';
import { parsePath } from './value-path.ts';
import type { WireRequest, WireVersion } from './wire-history.ts';

/** A fact on which a rule is evaluated. `subject` is the value from which the paths of the rule start. */
interface Fact {
  readonly subject: unknown;
  readonly key: string;
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly seq: number;
  readonly atMs: number;
}

/** Kinds of facts on which rules can be evaluated. */
const FACTS = ['request', 'write', 'version', 'end'] as const;
type FactKind = (typeof FACTS)[number];

interface UserRule {
  readonly name: string;
  readonly says: string;
  readonly on: FactKind;
  readonly verbs: readonly string[] | undefined;
  readonly resources: readonly string[] | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly names: readonly string[] | undefined;
  readonly when: readonly Condition[];
  readonly require: readonly Condition[] | undefined;
  /** Maximum number of facts that have the same value at the path `by`. */
  readonly atMost: { readonly count: number; readonly by: string | undefined } | undefined;
}

/**
 * Parses rules in YAML or JSON:
 *
 *     rules:
 *       - name: keep-protected
 *         on: write
 *         match: { verb: delete, resource: configmaps }
 *         when: [{ path: "$.before.metadata.labels.keep", is: exists }]
 *         never: true
 *       - name: one-job-each
 *         on: end
 *         match: { resource: jobs.batch }
 *         atMost: { count: 1, by: "$.object.metadata.labels.app" }
 *
 * Throws `ERR_PLAN` with the field, its value and the accepted values.
 */
export function parseUserRules(text: string): readonly WireRule[] {
  let parsed: unknown;
  try {
    parsed = parseYamlFile(text);
  } catch (cause) {
    throw new PlanError('ERR_PLAN', `the file of rules ${messageOf(cause)}`, { cause });
  }
  const fields = fieldsOf('plan', parsed, ['rules']);
  const rules = itemsOf(fields.take('rules'), 'rules').map(ruleOf);
  fields.end();
  return rules.map((rule) => ({
    id: `user/${rule.name}`,
    says: rule.says,
    judge: (reading) => judged(rule, reading),
  }));
}

const RULE_FIELDS = ['name', 'says', 'on', 'match', 'when', 'never', 'require', 'atMost'];

function ruleOf(item: Field, i: number): UserRule {
  const fields = fieldsOf(item.path, item.value, RULE_FIELDS);
  const given = fields.take('name');
  const name = given === undefined ? `rule-${i + 1}` : textOf(given);
  const says = fields.take('says');
  const on = fields.take('on');
  const kind = FACTS.find((each) => each === (on?.value ?? 'write'));
  if (kind === undefined) throw (on ?? item).wrong(FACTS.join(', '));
  const match = matchOf(fields.take('match'), `${item.path}.match`);
  const when = conditionsOf(fields.take('when')) ?? [];
  const never = fields.take('never');
  if (never !== undefined && never.value !== true) throw never.wrong('true, or no field never');
  const require = conditionsOf(fields.take('require'));
  const atMost = atMostOf(fields.take('atMost'));
  fields.end();
  if ([never, require, atMost].filter((each) => each !== undefined).length !== 1)
    throw item.wrong('exactly one of never, require and atMost');
  return { name, says: says === undefined ? name : textOf(says), on: kind, ...match, when, require, atMost };
}

function matchOf(
  field: Field | undefined,
  path: string,
): Pick<UserRule, 'verbs' | 'resources' | 'namespaces' | 'names'> {
  const fields = fieldsOf(path, field?.value ?? {}, ['verb', 'resource', 'namespace', 'name']);
  const match = {
    verbs: taken(fields, 'verb'),
    resources: taken(fields, 'resource'),
    namespaces: taken(fields, 'namespace'),
    names: taken(fields, 'name'),
  };
  fields.end();
  return match;
}

function taken(fields: Fields, name: string): readonly string[] | undefined {
  const field = fields.take(name);
  return field === undefined ? undefined : textsOf(field);
}

function atMostOf(field: Field | undefined): UserRule['atMost'] {
  if (field === undefined) return undefined;
  const fields = fieldsOf(field.path, field.value, ['count', 'by']);
  const count = fields.take('count');
  const by = fields.take('by');
  fields.end();
  if (count === undefined) throw field.wrong('an object with count and optionally by');
  if (by !== undefined && parsePath(textOf(by)) === undefined)
    throw by.wrong('a path such as $.object.metadata.labels.app');
  return {
    count: numberOf(count, { min: 0, max: 1_000_000 }),
    by: by === undefined ? undefined : textOf(by),
  };
}

function judged(rule: UserRule, reading: Reading): { reached: number; findings: readonly Finding[] } {
  const facts = factsOf(rule.on, reading).filter(
    (fact) =>
      isAnyOf(rule.verbs, fact.verb) &&
      isAnyOf(rule.resources, fact.resource) &&
      isAnyOf(rule.namespaces, fact.namespace) &&
      isAnyOf(rule.names, fact.name) &&
      doHold(rule.when, fact.subject),
  );
  const { require, atMost } = rule;
  const broken =
    atMost === undefined
      ? facts.filter(({ subject }) => !doHold(require ?? NEVER, subject))
      : tooMany(facts, atMost);
  return { reached: facts.length, findings: broken.map((fact) => findingAbout(rule, fact)) };
}

/** Conditions that no fact meets. */
const NEVER: readonly Condition[] = [{ isMet: () => false }];

function tooMany(facts: readonly Fact[], { count, by }: NonNullable<UserRule['atMost']>): readonly Fact[] {
  const seen = new Map<string, number>();
  return facts.filter(({ subject }) => {
    const group = by === undefined ? '' : groupOf(by, subject);
    const number = (seen.get(group) ?? 0) + 1;
    seen.set(group, number);
    return number === count + 1;
  });
}

function findingAbout({ name, says }: UserRule, { key, seq, atMs, verb }: Fact): Finding {
  return {
    rule: `user/${name}`,
    key,
    seq,
    atMs,
    text: `${verb === '' ? '' : `${verb} of `}${key} breaks the rule: ${says}`,
    evidence: [seq],
  };
}

function factsOf(kind: FactKind, { requests, effects, history, final }: Reading): readonly Fact[] {
  switch (kind) {
    case 'request':
      return requests.map(factOfRequest);
    case 'write':
      return effects.map(factOfEffect);
    case 'version':
      return history.versions.map(factOfVersion);
    case 'end':
      return final.map(factOfVersion);
  }
}

function factOfRequest(request: WireRequest): Fact {
  const { resource, namespace, name, verb, seq, atMs } = request;
  return {
    subject: request,
    key: `${resource} ${namespace}/${name}`,
    verb,
    resource,
    namespace,
    name,
    seq,
    atMs,
  };
}

function factOfEffect({ request, key, before, after, belief }: Effect): Fact {
  const name = after?.object.metadata.name ?? request.name;
  const subject = { request, before: before?.object, after: after?.object, read: belief?.object };
  return { ...factOfRequest(request), subject, key, name };
}

function factOfVersion({ resource, object, deleted, seq, atMs }: WireVersion): Fact {
  const { namespace = '', name = '' } = object.metadata;
  const subject = { object, deleted };
  return { subject, key: keyOfObject(resource, object), verb: '', resource, namespace, name, seq, atMs };
}
