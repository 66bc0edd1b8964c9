import type { AnyKind, ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { compareQuantities, quantityOf } from '../../../api/quantity/index.ts';
import {
  type QuotaEvaluator,
  type Requirement,
  type ResourceList,
  addLists,
  exceeding,
  growth,
  isAbout,
  listText,
  maskList,
  namesBelowZero,
  namesText,
  requirementsOf,
  withoutZeros,
} from '../../../api/quota/index.ts';
import type { ApiError } from '../../../api/status/index.ts';
import type { ResourceQuota } from '../../../api/types/core-v1-quota.ts';
import { part } from '../../../base/budget/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { AdmissionRequest } from '../../request.ts';
import { plainError, rejection } from '../rejection.ts';
import type { LimitedResource } from './configuration.ts';

/** Quota with its usage, which includes the requests charged so far. */
export interface RunningQuota {
  readonly quota: DeepReadonly<ResourceQuota>;
  readonly hard: ResourceList;
  readonly used: ResourceList;
}

/** Request to charge, its evaluator, and the resources that require a quota. */
export interface ChargeInput {
  readonly request: DeepReadonly<AdmissionRequest>;
  readonly evaluator: QuotaEvaluator;
  readonly limited: readonly LimitedResource[];
  readonly vocabulary: Vocabulary;
  readonly nowMs: number;
}

type Frozen = DeepReadonly<ApiObject>;

const nameOf = ({ quota }: RunningQuota): string => quota.metadata?.name ?? '';

/**
 * Adds the usage of a request to the quotas. Returns the same array if the request uses nothing that is
 * limited. A large request is interrupted between two quotas (see `part`). Throws status 403 with upstream's
 * message if the request exceeds a quota
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go,
 * `CheckRequest`).
 */
export function charge(quotas: readonly RunningQuota[], input: ChargeInput): readonly RunningQuota[] {
  const { request, evaluator, vocabulary, nowMs } = input;
  const object = request.object as Frozen;
  const interesting = quotas.filter((each) => part(() => isInteresting(each, input)));
  const needed = part(() => evaluator.usage(object, nowMs));
  const negative = namesBelowZero(needed);
  if (negative.length > 0)
    throw rejection(request, vocabulary, `quota usage is negative for resource(s): ${namesText(negative)}`);

  // The delta of a new object is the same list for every quota.
  const used = part(() => withoutZeros(needed));
  const deltas = new Map<RunningQuota, ResourceList>();
  for (const each of interesting) {
    const delta = part(() => {
      const raw = deltaOf(each, needed, input);
      return raw === needed ? used : withoutZeros(raw);
    });
    if (delta.size > 0) deltas.set(each, delta);
  }
  if (interesting.length === 0) {
    if (withoutZeros(deltaOf(undefined, needed, input)).size === 0) return quotas;
  } else if (deltas.size === 0) return quotas;
  checkCoverage(quotas, interesting, input);
  if (deltas.size === 0) return quotas;
  return quotas.map((each) => {
    const delta = deltas.get(each);
    return delta === undefined ? each : part(() => charged(each, delta, input));
  });
}

/**
 * True if a quota limits the object. Throws if the object lacks a value that the quota requires, or if the
 * quota has no status yet.
 */
function isInteresting(running: RunningQuota, { request, evaluator, vocabulary }: ChargeInput): boolean {
  const object = request.object as Frozen;
  const names = [...running.hard.keys()];
  if (!isAbout(evaluator, running.quota, names, object)) return false;
  const restricted = evaluator.matchingResources(names);
  const missing = evaluator.missing(restricted, object);
  if (missing !== undefined)
    throw rejection(request, vocabulary, `failed quota: ${nameOf(running)}: ${missing}`);
  if (!restricted.every((name) => running.used.has(name)))
    throw rejection(
      request,
      vocabulary,
      `status unknown for quota: ${nameOf(running)}, resources: ${namesText(restricted)}`,
    );
  return true;
}

/** Returns the usage of a new object, or the increase in usage by an update. */
function deltaOf(
  running: RunningQuota | undefined,
  needed: ResourceList,
  { request, evaluator, nowMs }: ChargeInput,
): ResourceList {
  const previous = request.previous as Frozen | undefined;
  if (previous === undefined) return needed;
  if (running !== undefined && !isAbout(evaluator, running.quota, running.hard.keys(), previous))
    return needed;
  return growth(needed, evaluator.usage(previous, nowMs));
}

function charged(running: RunningQuota, delta: ResourceList, input: ChargeInput): RunningQuota {
  const { request, vocabulary } = input;
  const { hard } = running;
  const requested = maskList(delta, hard.keys());
  const used = addLists(running.used, requested);
  const exceeded = exceeding(maskList(used, requested.keys()), hard);
  if (exceeded.length === 0) return { ...running, used };
  const only = (list: ResourceList): string => listText(maskList(list, exceeded));
  throw rejection(
    request,
    vocabulary,
    `exceeded quota: ${nameOf(running)}, requested: ${only(requested)}, used: ${only(running.used)}, limited: ${only(hard)}`,
  );
}

/** Throws if the configuration requires a quota for a resource that no quota limits. */
function checkCoverage(
  quotas: readonly RunningQuota[],
  interesting: readonly RunningQuota[],
  input: ChargeInput,
): void {
  if (input.limited.length === 0) return;
  const { request, evaluator, vocabulary } = input;
  const object = request.object as Frozen;
  const restricted = new Set(
    interesting.flatMap(({ hard }) => evaluator.matchingResources([...hard.keys()])),
  );
  const uncovered = limitedNames(input).filter((name) => !restricted.has(name));
  if (uncovered.length > 0)
    throw rejection(
      request,
      vocabulary,
      `insufficient quota to consume: ${namesText([...new Set(uncovered)])}`,
    );
  if (!evaluator.hasScopes) return;
  const matching = (requirements: readonly Requirement[]): readonly Requirement[] =>
    requirements.filter((each) => evaluator.matchesScope(each, object));
  const covered = new Set(
    matching(quotas.flatMap(({ quota }) => requirementsOf(quota))).map(({ scopeName }) => scopeName),
  );
  const open = matching(input.limited.flatMap(({ matchScopes }) => matchScopes)).filter(
    ({ scopeName }) => !covered.has(scopeName),
  );
  if (open.length > 0) throw insufficientScopes(open);
}

function limitedNames({ request, evaluator, limited, vocabulary, nowMs }: ChargeInput): readonly string[] {
  const { group, plural } = request.kind as AnyKind;
  const ofKind = limited.filter(
    ({ apiGroup, resource }) => apiGroup === vocabulary.group(group) && resource === plural,
  );
  if (ofKind.length === 0) return [];
  const zero = quantityOf(0);
  const used = [...evaluator.usage(request.object as Frozen, nowMs)]
    .filter(([, amount]) => compareQuantities(amount, zero) > 0)
    .map(([name]) => name);
  return ofKind.flatMap(({ matchContains }) =>
    used.filter((name) => matchContains.some((part) => name.includes(part))),
  );
}

const insufficientScopes = (scopes: readonly Requirement[]): ApiError => {
  const texts = scopes.map(
    ({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(' ')}]}`,
  );
  return plainError(`insufficient quota to match these scopes: [${texts.join(' ')}]`);
};
