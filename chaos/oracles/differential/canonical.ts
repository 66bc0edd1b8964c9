import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { Commit } from '../../invariants/invariant.ts';

type Any = DeepReadonly<ApiObject>;

/** Canonical names and states of objects, which are equal in two equal runs. */
export interface Canon {
  /** Returns the name of an object in both runs. A generated name becomes its prefix and `*`. */
  nameOf(commit: Commit): string;
  /**
   * Returns the state of an object as a string, without times, ids, versions, and secret or generated values.
   */
  stateOf(object: Any): string;
}

/** Metadata that differs between equal runs. */
const IGNORED: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'managedFields',
  'generation',
  'creationTimestamp',
  'observedGeneration',
  'generateName',
]);
/** Fields whose values are secret, generated or signed; only their names are compared. */
const HIDDEN: ReadonlySet<string> = new Set(['data', 'stringData', 'certificate', 'request']);
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
/**
 * Random suffix of a name, in the alphabet of Kubernetes
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apimachinery/pkg/util/rand/rand.go).
 */
const SUFFIX = /-[bcdfghjklmnpqrstvwxz2456789]{5}$/;
const withoutSuffix = (name: string): string => name.replace(SUFFIX, '-*');
/** Maximum length of a compared string. Longer strings are messages and encoded values. */
const LONGEST_TEXT = 64;

/** Creates the canonical names of the objects in a history. */
export function createCanon(commits: readonly Commit[]): Canon {
  const names = new Map<string, string>();
  const byUid = new Map<string, string>();
  const generated = new Map<string, string>();
  for (const commit of commits) {
    if (byUid.has(commit.uid)) continue;
    const { generateName = '' } = (commit.after ?? commit.before)?.metadata ?? {};
    const isNamed = generateName !== '' && commit.name.startsWith(generateName);
    const own = isNamed ? `${generateName}*` : withoutSuffix(commit.name);
    const name = `${commit.resource} ${commit.namespace}/${own}`;
    byUid.set(commit.uid, name);
    names.set(placeOf(commit), name);
    if (isNamed) generated.set(commit.name, own);
  }
  const states = new WeakMap<Any, string>();
  const textOf = (value: string): string => {
    if (UID.test(value)) return byUid.get(value) ?? 'uid';
    if (TIME.test(value)) return 'time';
    return value.length > LONGEST_TEXT ? 'text' : (generated.get(value) ?? withoutSuffix(value));
  };
  const canonical = (value: unknown, field: string): unknown => {
    if (typeof value === 'string') return textOf(value);
    if (Array.isArray(value)) return value.map((each) => canonical(each, '')).sort(byText);
    if (typeof value !== 'object' || value === null) return value;
    const hides = HIDDEN.has(field);
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name, each]) => each !== undefined && !IGNORED.has(name))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, each]) => [name, hides ? '' : canonical(each, name)]),
    );
  };
  return {
    nameOf: (commit) => names.get(placeOf(commit)) ?? `${commit.resource} ${commit.namespace}/${commit.name}`,
    stateOf(object) {
      const known = states.get(object) ?? JSON.stringify(canonical(object, ''));
      states.set(object, known);
      return known;
    },
  };
}

const placeOf = ({ resource, namespace, name }: Commit): string => `${resource} ${namespace}/${name}`;

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
