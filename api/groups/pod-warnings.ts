import type { ApiObject, DeepReadonly, Strategy } from '../kinds/kind.ts';
import { parseQuantity, quantityMilliValue } from '../quantity/quantity.ts';
import { child, index, mapKey } from '../status/field-errors.ts';
import { goQuote } from '../status/go-quote.ts';
import type { Container } from '../types/core-v1-container.ts';
import type { PodSpec, PodTemplateSpec } from '../types/core-v1-pod.ts';
import type { Volume } from '../types/core-v1-volume.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { Int64 } from '../schema/exact-json.ts';

type Template = DeepReadonly<PodTemplateSpec>;
type Spec = DeepReadonly<PodSpec>;

/**
 * Renamed node labels: prefix and name of the old label, release that deprecated it, and prefix of the new
 * label.
 */
const RENAMED_LABELS = [
  ['beta', 'arch', 'v1.14', ''],
  ['beta', 'os', 'v1.14', ''],
  ['failure-domain.beta', 'region', 'v1.17', 'topology'],
  ['failure-domain.beta', 'zone', 'v1.17', 'topology'],
  ['beta', 'instance-type', 'v1.17', 'node'],
] as const;

const OLD_ANNOTATIONS = [
  ['scheduler.alpha', 'critical-pod', 'v1.16', 'priorityClassName'],
  ['security.alpha', 'sysctls', 'v1.11', 'sysctls'],
  ['security.alpha', 'unsafe-sysctls', 'v1.11', 'sysctls'],
] as const;

/** Deprecated volume sources: the field, its name in the path of the warning, and the warning. */
const OLD_VOLUMES: readonly (readonly [field: keyof Volume, shown: string, text: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, support removal is planned in v1.26'],
  ['storageos', 'storageOS', 'deprecated in v1.22, support removal is planned in v1.26'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, support removal is planned in v1.26'],
];

const BYTES = ['memory', 'ephemeral-storage'] as const;

/**
 * Returns the warnings of release 1.24 about deprecated or ineffective parts of a pod, or of a template at
 * `path`.
 */
export function podWarnings(
  { metadata, spec = { containers: [] } }: Template,
  vocabulary: Vocabulary,
  path = '',
): readonly string[] {
  const at = child(path, 'spec');
  const { overhead, hostAliases = [], imagePullSecrets = [], volumes = [] } = spec;
  const secrets = child(at, 'imagePullSecrets');
  return [
    ...labelWarnings(spec, vocabulary, at),
    ...annotationWarnings(metadata?.annotations, spec, vocabulary, child(path, 'metadata', 'annotations')),
    ...volumes.flatMap((volume, i) => volumeWarnings(volume, index(child(at, 'volumes'), i))),
    ...repeated(hostAliases, 'ip', child(at, 'hostAliases')),
    ...repeated(imagePullSecrets, 'name', secrets),
    ...imagePullSecrets.flatMap(({ name }, i) =>
      name ? [] : [`${child(index(secrets, i), 'name')}: invalid empty name ""`],
    ),
    ...repeated(volumes, 'name', child(at, 'volumes')),
    ...BYTES.flatMap((resource) => fraction(overhead, resource, () => child(at, 'overhead'))),
    ...containersOf(spec).flatMap(([field, containers]) =>
      containers.flatMap((each, i) => containerWarnings(each, index(child(at, field), i))),
    ),
  ];
}

/**
 * Returns the `warnings` hook of a kind with a pod template at `path`. The hook returns warnings for new
 * objects and for changed specs.
 */
export const templateWarnings =
  <T extends ApiObject>(
    path: string,
    templateOf: (object: DeepReadonly<T>) => Template | undefined,
  ): NonNullable<Strategy<T>['warnings']> =>
  (next, previous, { vocabulary }) => {
    const isSame = previous !== undefined && generationOf(previous) === generationOf(next);
    const template = isSame ? undefined : templateOf(next);
    return template === undefined ? [] : podWarnings(template, vocabulary, path);
  };

const generationOf = ({ metadata }: DeepReadonly<ApiObject>): Int64 => metadata?.generation ?? 0;

type Containers = readonly (readonly [field: string, containers: readonly DeepReadonly<Container>[]])[];

const containersOf = ({ initContainers = [], containers, ephemeralContainers = [] }: Spec): Containers => [
  ['initContainers', initContainers],
  ['containers', containers ?? []],
  ['ephemeralContainers', ephemeralContainers],
];

function labelWarnings(spec: Spec, vocabulary: Vocabulary, at: string): readonly string[] {
  const { nodeSelector, affinity, topologySpreadConstraints = [] } = spec;
  const warnings: string[] = [];
  for (const key in nodeSelector) {
    const text = renamed(key, vocabulary);
    if (text !== undefined) warnings.push(`${mapKey(child(at, 'nodeSelector'), key)}: ${text}`);
  }
  const check = (key: string, path: string): void => {
    const text = renamed(key, vocabulary);
    if (text !== undefined) warnings.push(`${path}: ${key} is ${text}`);
  };
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity?.nodeAffinity ?? {};
  const nodes = child(at, 'affinity', 'nodeAffinity');
  const terms = [
    ...(required?.nodeSelectorTerms ?? []).map((term, i) => ({
      term,
      path: index(child(nodes, 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'), i),
    })),
    ...preferred.map(({ preference }, i) => ({
      term: preference,
      path: child(index(child(nodes, 'preferredDuringSchedulingIgnoredDuringExecution'), i), 'preference'),
    })),
  ];
  for (const { term, path } of terms)
    for (const [i, { key }] of (term?.matchExpressions ?? []).entries())
      check(key, child(index(child(path, 'matchExpressions'), i), 'key'));
  for (const [i, { topologyKey }] of topologySpreadConstraints.entries())
    check(topologyKey, child(index(child(at, 'topologySpreadConstraints'), i), 'topologyKey'));
  return warnings;
}

function renamed(label: string, vocabulary: Vocabulary): string | undefined {
  for (const [prefix, name, since, now] of RENAMED_LABELS)
    if (label === vocabulary.key(prefix, name))
      return `deprecated since ${since}; use "${vocabulary.key(now, name)}" instead`;
  return undefined;
}

function annotationWarnings(
  annotations: DeepReadonly<Record<string, string>> | undefined,
  spec: Spec,
  vocabulary: Vocabulary,
  at: string,
): readonly string[] {
  if (annotations === undefined) return [];
  const warnings: string[] = [];
  const check = (key: string, text: string): void => {
    if (Object.hasOwn(annotations, key)) warnings.push(`${mapKey(at, key)}: ${text}`);
  };
  for (const [prefix, name, since, field] of OLD_ANNOTATIONS)
    check(vocabulary.key(prefix, name), `non-functional in ${since}+; use the "${field}" field instead`);
  const seccomp = 'deprecated since v1.19, non-functional in v1.25+; use the "seccompProfile" field instead';
  if (spec.securityContext?.seccompProfile === undefined)
    check(vocabulary.key('seccomp.security.alpha', 'pod'), seccomp);
  const ofContainers = vocabulary.key('container.seccomp.security.alpha', '');
  if (!Object.keys(annotations).some((key) => key.startsWith(ofContainers))) return warnings;
  for (const [, containers] of containersOf(spec))
    for (const { name, securityContext } of containers)
      if (securityContext?.seccompProfile === undefined) check(`${ofContainers}${name}`, seccomp);
  return warnings;
}

function volumeWarnings(volume: DeepReadonly<Volume>, at: string): readonly string[] {
  const given = new Set<string>(Object.keys(volume));
  return OLD_VOLUMES.flatMap(([field, shown, text]) =>
    given.has(field) ? [`${child(at, shown)}: ${text}`] : [],
  );
}

function containerWarnings({ resources, env = [] }: DeepReadonly<Container>, at: string): readonly string[] {
  const { limits, requests } = resources ?? {};
  return [
    ...BYTES.flatMap((resource) => [
      ...fraction(limits, resource, () => child(at, 'resources', 'limits')),
      ...fraction(requests, resource, () => child(at, 'resources', 'requests')),
    ]),
    ...repeated(env, 'name', child(at, 'env')),
  ];
}

/** Matches an integer amount. Nearly all amounts are integers. */
const WHOLE = /^\d+(?:[KMGTPE]i|[kMGTPE])?$/;

/**
 * Returns a warning about a fractional amount. `at` returns the path and is called only for a warning,
 * because templates may have many containers.
 */
function fraction(
  amounts: DeepReadonly<Record<string, string>> | undefined,
  resource: (typeof BYTES)[number],
  at: () => string,
): readonly string[] {
  const amount = amounts?.[resource];
  if (amount === undefined || WHOLE.test(amount)) return [];
  if (quantityMilliValue(parseQuantity(amount)) % 1000n === 0n) return [];
  return [
    `${mapKey(at(), resource)}: fractional byte value ${goQuote(amount)} is invalid, must be an integer`,
  ];
}

/** Returns a warning for each item whose `field` repeats the value of an earlier item. */
function repeated<F extends string>(
  items: readonly { readonly [K in F]?: string }[],
  field: F,
  at: string,
): readonly string[] {
  if (items.length < 2) return [];
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const value = item[field] ?? '';
    if (seen.has(value)) return [`${child(index(at, i), field)}: duplicate ${field} ${goQuote(value)}`];
    seen.add(value);
    return [];
  });
}
