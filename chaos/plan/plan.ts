import { createHash } from 'node:crypto';
import { parseYamlFile } from '../../base/yaml/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import {
  type Field,
  type Fields,
  PlanError,
  durationOf,
  fieldsOf,
  itemsOf,
  numberOf,
  stretchOf,
  textOf,
  textsOf,
} from './fields.ts';
import { type FaultDetail, type WireFault, isWireFault, usualLasts, wireFaults } from './wire-faults.ts';

export { PlanError } from './fields.ts';

/** Faults to inject between clients and an API server. */
export interface FaultPlan {
  /** Rules in order. The first rule that matches and injects a fault decides. */
  readonly rules: readonly Rule[];
  /** SHA-256 of the plan's source in hexadecimal. It identifies the plan in journals. */
  readonly digest: string;
}

export interface Rule {
  /** Name that is unique in the plan; default `rule-1`, `rule-2` and so on. */
  readonly name: string;
  readonly match: Match;
  readonly fault: PlannedFault;
}

/** Selector of requests or watch events. In patterns, `*` matches any string. */
export interface Match {
  /** Verbs: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verbs: readonly string[] | undefined;
  /** Patterns for resources by served group: `pods`, `jobs.batch`, `deployments.apps/status`. */
  readonly resources: readonly string[] | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly names: readonly string[] | undefined;
  readonly users: readonly string[] | undefined;
  readonly userAgents: readonly string[] | undefined;
  /**
   * Patterns for paths without query. Only these match non-resource requests, such as discovery and
   * `/healthz`.
   */
  readonly paths: readonly string[] | undefined;
  /** Event types; `OPEN` is the start of a watch. */
  readonly events: readonly EventType[];
  /** Number of the only selected request, from 1, among those with the same client, verb and resource. */
  readonly nth: number | undefined;
  /** Probability of the fault, from 0 to 1. */
  readonly probability: number;
  /** Start and end of the time window, in milliseconds since the start. */
  readonly afterMs: number;
  readonly beforeMs: number;
  /** Maximum number of faults of the rule. */
  readonly times: number;
  /** Name of a rule that must have injected a fault before. Undefined if there is no such condition. */
  readonly since: string | undefined;
  /** Number of selected requests or events, over all clients, that get no fault before the rule applies. */
  readonly skip: number;
  /** True to select only reads with `resourceVersion=0`, which permit a stale state. */
  readonly cached: boolean;
}

export const eventTypes = ['OPEN', 'ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const;
export type EventType = (typeof eventTypes)[number];

/** A fault with its parameters. */
export interface PlannedFault {
  readonly name: WireFault;
  /** Minimum and maximum duration in milliseconds. Undefined if the fault lasts as long as the connection. */
  readonly lasts: readonly [number, number] | undefined;
  readonly retryAfterSeconds: number;
  /** HTTP status code of the fault `server-error`. */
  readonly code: number;
  /** Limits of a stale read: number of revisions, and age in milliseconds. */
  readonly revisions: number;
  readonly ageMs: number;
  /** True if a stale read returns the oldest state within these limits, false if it returns a random one. */
  readonly oldest: boolean;
}

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const MATCH_FIELDS = [
  'verb',
  'resource',
  'namespace',
  'name',
  'user',
  'userAgent',
  'path',
  'event',
  'nth',
  'probability',
  'after',
  'before',
  'times',
  'since',
  'skip',
  'cached',
];
const DETAILS: readonly FaultDetail[] = ['lasts', 'retryAfter', 'code', 'revisions', 'age', 'oldest'];
const EVENTS_BY_DEFAULT: readonly EventType[] = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'];

/**
 * Parses a plan in YAML or JSON:
 *
 *     rules:
 *       - match: { verb: create, resource: jobs.batch, probability: 0.2 }
 *         fault: lost-response
 *       - match: { verb: watch, resource: pods, after: 10s, before: 5m, times: 3 }
 *         fault: { name: late-events, lasts: [1s, 30s] }
 *
 * Throws `ERR_PLAN` with the field, its value and the accepted values.
 */
export function parsePlan(text: string): FaultPlan {
  let parsed: unknown;
  try {
    parsed = parseYamlFile(text);
  } catch (cause) {
    throw new PlanError('ERR_PLAN', `the plan ${messageOf(cause)}`, { cause });
  }
  const fields = fieldsOf('plan', parsed, ['rules']);
  const rules = itemsOf(fields.take('rules'), 'rules').map(ruleOf);
  fields.end();
  const names = new Set<string>();
  for (const [i, { name }] of rules.entries()) {
    if (names.has(name))
      throw new PlanError(
        'ERR_PLAN',
        `rules[${i}].name: ${JSON.stringify(name)} is the name of another rule`,
      );
    names.add(name);
  }
  for (const [i, { match }] of rules.entries())
    if (match.since !== undefined && !names.has(match.since))
      throw new PlanError(
        'ERR_PLAN',
        `rules[${i}].match.since: received ${JSON.stringify(match.since)}, expected the name of a rule`,
      );
  return { rules, digest: createHash('sha256').update(text).digest('hex') };
}

function ruleOf(item: Field, i: number): Rule {
  const fields = fieldsOf(item.path, item.value, ['name', 'match', 'fault']);
  const name = fields.take('name');
  const given = fields.take('fault');
  if (given === undefined)
    throw new PlanError(
      'ERR_PLAN',
      `${item.path}.fault: missing, expected ${Object.keys(wireFaults).join(', ')}`,
    );
  const fault = faultOf(given);
  const match = matchOf(fields.take('match'), `${item.path}.match`, fault.name);
  fields.end();
  return { name: name === undefined ? `rule-${i + 1}` : textOf(name), match, fault };
}

function faultOf(field: Field): PlannedFault {
  const isName = typeof field.value === 'string';
  const fields = fieldsOf(field.path, isName ? { name: field.value } : field.value, ['name', ...DETAILS]);
  const named = fields.take('name');
  const name = named?.value;
  if (typeof name !== 'string' || !isWireFault(name))
    throw (named ?? field).wrong(Object.keys(wireFaults).join(', '));
  const { details } = wireFaults[name];
  const detail = <T>(which: FaultDetail, read: (given: Field) => T, usual: T): T => {
    const given = fields.take(which);
    if (given === undefined) return usual;
    if (!details.includes(which))
      throw given.wrong(
        `no ${which} for ${name}, which takes ${details.length === 0 ? 'nothing' : details.join(', ')}`,
      );
    return read(given);
  };
  const fault: PlannedFault = {
    name,
    lasts: detail('lasts', stretchOf, usualLasts[name]),
    retryAfterSeconds: Math.ceil(detail('retryAfter', durationOf, 1_000) / 1_000),
    code: detail('code', (given) => numberOf(given, { min: 500, max: 599 }), 500),
    revisions: detail('revisions', (given) => numberOf(given, { min: 1, max: 1_000_000 }), 64),
    ageMs: detail('age', durationOf, Number.POSITIVE_INFINITY),
    oldest: detail('oldest', isTrue, false),
  };
  fields.end();
  return fault;
}

function matchOf(field: Field | undefined, path: string, fault: WireFault): Match {
  const fields = fieldsOf(path, field?.value ?? {}, MATCH_FIELDS);
  const texts = (name: string): readonly string[] | undefined => taken(fields, name, textsOf);
  const match: Match = {
    verbs: taken(fields, 'verb', (given) => verbsOf(given, fault)),
    resources: texts('resource'),
    namespaces: texts('namespace'),
    names: texts('name'),
    users: texts('user'),
    userAgents: texts('userAgent'),
    paths: texts('path'),
    events: taken(fields, 'event', (given) => eventsOf(given, fault)) ?? EVENTS_BY_DEFAULT,
    nth: taken(fields, 'nth', (given) => numberOf(given, { min: 1, max: 1_000_000_000 })),
    probability:
      taken(fields, 'probability', (given) => numberOf(given, { min: 0, max: 1, whole: false })) ?? 1,
    afterMs: taken(fields, 'after', durationOf) ?? 0,
    beforeMs: taken(fields, 'before', durationOf) ?? Number.POSITIVE_INFINITY,
    times: taken(fields, 'times', (given) => numberOf(given, { min: 1, max: 1_000_000_000 })) ?? Infinity,
    skip: taken(fields, 'skip', (given) => numberOf(given, { min: 0, max: 1_000_000_000 })) ?? 0,
    since: taken(fields, 'since', textOf),
    cached: taken(fields, 'cached', isTrue) ?? false,
  };
  fields.end();
  if (match.afterMs >= match.beforeMs)
    throw new PlanError('ERR_PLAN', `${path}: after is not earlier than before`);
  return match;
}

const taken = <T>(fields: Fields, name: string, read: (field: Field) => T): T | undefined => {
  const field = fields.take(name);
  return field === undefined ? undefined : read(field);
};

function isTrue(field: Field): boolean {
  if (typeof field.value !== 'boolean') throw field.wrong('true or false');
  return field.value;
}

/** Reads the verbs of a rule. Throws for a verb that the fault cannot affect. */
function verbsOf(field: Field, fault: WireFault): readonly string[] {
  const possible = wireFaults[fault].verbs ?? VERBS;
  const given = textsOf(field);
  for (const verb of given)
    if (!possible.includes(verb)) throw field.wrong(`${possible.join(', ')}, which ${fault} can affect`);
  return given;
}

function eventsOf(field: Field, fault: WireFault): readonly EventType[] {
  if (!wireFaults[fault].events) throw field.wrong(`no event for ${fault}, which affects requests`);
  return textsOf(field).map((given) => {
    const type = eventTypes.find((each) => each === given);
    if (type === undefined) throw field.wrong(eventTypes.join(', '));
    if (type === 'OPEN' && fault === 'repeated-event')
      throw field.wrong('another type: the start of a watch cannot be repeated');
    return type;
  });
}
