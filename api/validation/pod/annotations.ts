import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  mapKey,
} from '../../status/field-errors.ts';
import type { SeccompProfile } from '../../types/core-v1-container.ts';
import type { PodSpec } from '../../types/core-v1-pod.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { validateDescendingPath } from '../volume/sources.ts';

type Annotations = { readonly [key: string]: string } | undefined;
type Spec = DeepReadonly<PodSpec> | undefined;
type Profile = DeepReadonly<SeccompProfile> | undefined;

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const RUNTIME_DEFAULT = 'runtime/default';
const UNCONFINED = 'unconfined';
const LOCALHOST = 'localhost/';
/** Accepted seccomp profiles, including a former name of the default profile of the container runtime. */
const SECCOMP_WORDS = [RUNTIME_DEFAULT, 'docker/default', UNCONFINED];
const APPARMOR_WORDS = ['', RUNTIME_DEFAULT, UNCONFINED];
const MAX_INT32 = 2 ** 31 - 1;

/**
 * Returns the keys of the pod annotations that the API server reads. The key for a container ends with the
 * name of the container.
 */
export const podAnnotations = ({ key }: Vocabulary) =>
  ({
    seccompOfPod: key('seccomp.security.alpha', 'pod'),
    seccompOf: (container: string) => key('container.seccomp.security.alpha', container),
    appArmorOf: (container: string) => key('container.apparmor.security.beta', container),
    mirror: key('', 'config.mirror'),
    deletionCost: key('controller', 'pod-deletion-cost'),
  }) as const;

/** Checks the rules of `ValidatePodSpecificAnnotations` in Kubernetes 1.24. */
export function validatePodAnnotations(
  annotations: Annotations,
  spec: Spec,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  if (annotations === undefined) return [];
  const names = podAnnotations(vocabulary);
  const mirror = annotations[names.mirror];
  const cost = annotations[names.deletionCost];
  const errors: FieldError[] = [];
  if (mirror !== undefined && !spec?.nodeName) {
    const detail = 'must set spec.nodeName if mirror pod annotation is set';
    errors.push(invalidField(mapKey(path, names.mirror), mirror, detail));
  }
  if (cost !== undefined && !isInt32(cost)) {
    errors.push(invalidField(mapKey(path, names.deletionCost), cost, 'must be a 32bit integer'));
  }
  const ofPod = annotations[names.seccompOfPod];
  const containers = containerNames(spec);
  if (ofPod !== undefined) errors.push(...validateSeccompWord(ofPod, child(path, names.seccompOfPod)));
  return [
    ...errors,
    ...withPrefix(annotations, names.seccompOf('')).flatMap(({ key, value }) =>
      validateSeccompWord(value, child(path, key)),
    ),
    ...withPrefix(annotations, names.appArmorOf('')).flatMap(({ key, value, rest }) =>
      validateAppArmor(rest, value, containers(), mapKey(path, key)),
    ),
  ];
}

const withPrefix = (annotations: NonNullable<Annotations>, prefix: string) =>
  Object.entries(annotations)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, value]) => ({ key, value, rest: key.slice(prefix.length) }));

/** True if the string is a canonical 32-bit integer, without a plus sign or leading zeros. */
const isInt32 = (text: string): boolean =>
  /^(0|-\d+|[1-9]\d*)$/.test(text) && Number(text) >= -MAX_INT32 - 1 && Number(text) <= MAX_INT32;

function validateSeccompWord(word: string, field: string): FieldErrors {
  if (SECCOMP_WORDS.includes(word)) return [];
  return word.startsWith(LOCALHOST)
    ? validateDescendingPath(word.slice(LOCALHOST.length), field)
    : [invalidField(field, word, 'must be a valid seccomp profile')];
}

/** Returns a function that collects the container names on its first call. */
function containerNames(spec: Spec): () => ReadonlySet<string | undefined> {
  let names: ReadonlySet<string | undefined> | undefined;
  return () => (names ??= new Set(LISTS.flatMap((list) => (spec?.[list] ?? []).map(({ name }) => name))));
}

function validateAppArmor(
  container: string,
  profile: string,
  names: ReadonlySet<string | undefined>,
  field: string,
): FieldErrors {
  const errors: FieldError[] = [];
  if (!names.has(container)) errors.push(invalidField(field, container, 'container not found'));
  if (!APPARMOR_WORDS.includes(profile) && !profile.startsWith(LOCALHOST)) {
    const detail = `invalid AppArmor profile name: ${JSON.stringify(profile)}`;
    errors.push(invalidField(field, profile, detail));
  }
  return errors;
}

/**
 * Checks the rules of `validateSeccompAnnotationsAndFields` in Kubernetes 1.24: an annotation and the field
 * with the same meaning must be equal.
 */
export function validateSeccompAgreement(
  annotations: Annotations,
  spec: Spec,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  if (annotations === undefined) return [];
  const names = podAnnotations(vocabulary);
  return [
    ...validateAgreement(annotations[names.seccompOfPod], spec?.securityContext?.seccompProfile, path),
    ...LISTS.flatMap((list) =>
      (spec?.[list] ?? []).flatMap(({ name = '', securityContext }, at) =>
        validateAgreement(
          annotations[names.seccompOf(name)],
          securityContext?.seccompProfile,
          index(child(path, list), at),
        ),
      ),
    ),
  ];
}

function validateAgreement(word: string | undefined, profile: Profile, path: string): FieldErrors {
  if (word === undefined || profile === undefined) return [];
  const field = child(path, 'securityContext', 'seccompProfile');
  const expected = seccompWordOf(profile);
  const otherType = [forbiddenField(child(field, 'type'), 'seccomp type in annotation and field must match')];
  switch (profile.type) {
    case 'Localhost':
      if (!word.startsWith(LOCALHOST)) return otherType;
      return word === expected
        ? []
        : [
            forbiddenField(
              child(field, 'localhostProfile'),
              'seccomp profile in annotation and field must match',
            ),
          ];
    case 'RuntimeDefault':
      return word === expected || word === 'docker/default' ? [] : otherType;
    case 'Unconfined':
      return word === expected ? [] : otherType;
    default:
      return [];
  }
}

/**
 * Returns a seccomp profile in the form of an annotation; undefined if annotations cannot express the
 * profile.
 */
export function seccompWordOf(profile: NonNullable<Profile>): string | undefined {
  switch (profile.type) {
    case 'Localhost':
      return profile.localhostProfile === undefined ? undefined : `${LOCALHOST}${profile.localhostProfile}`;
    case 'RuntimeDefault':
      return RUNTIME_DEFAULT;
    case 'Unconfined':
      return UNCONFINED;
    default:
      return undefined;
  }
}

/** Returns the seccomp profile that the value of an annotation stands for. */
export function seccompProfileOf(word: string): SeccompProfile | undefined {
  if (word === UNCONFINED) return { type: 'Unconfined' };
  if (SECCOMP_WORDS.includes(word)) return { type: 'RuntimeDefault' };
  return word.startsWith(LOCALHOST) && word.length > LOCALHOST.length
    ? { type: 'Localhost', localhostProfile: word.slice(LOCALHOST.length) }
    : undefined;
}

/**
 * Checks the rules of `ValidatePodSpecificAnnotationUpdates` in Kubernetes 1.24: some annotations are
 * immutable.
 */
export function validatePodAnnotationsUpdate(
  next: Annotations,
  previous: Annotations,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  const names = podAnnotations(vocabulary);
  const settled = (key: string): string | undefined => {
    if (key.startsWith(names.appArmorOf(''))) return 'AppArmor annotations';
    return key === names.mirror ? 'mirror pod annotation' : undefined;
  };
  const refused = (keys: readonly string[], what: string): FieldErrors =>
    keys.flatMap((key) => {
      const noun = settled(key);
      return noun === undefined ? [] : [forbiddenField(mapKey(path, key), `may not ${what} ${noun}`)];
    });
  const changed = Object.keys(previous ?? {}).filter((key) => next?.[key] !== previous?.[key]);
  const added = Object.keys(next ?? {}).filter((key) => previous?.[key] === undefined);
  return [...refused(changed, 'remove or update'), ...refused(added, 'add')];
}
