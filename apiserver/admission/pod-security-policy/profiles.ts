import type { DeepReadonly } from '../../../api/kinds/index.ts';
import { type FieldErrors, forbiddenField, goQuote, mapKey } from '../../../api/status/index.ts';
import type { SeccompProfile } from '../../../api/types/core-v1-container.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { PodSecurityPolicy } from '../../../api/types/policy-v1beta1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';

type Policy = DeepReadonly<PodSecurityPolicy>;
type SeenPod = DeepReadonly<Pod>;
type Named = { readonly name: string; readonly securityContext?: { readonly seccompProfile?: SeenProfile } };
type SeenProfile = DeepReadonly<SeccompProfile>;

/** Rule for security profiles, which policies and pods name in annotations. */
export interface ProfileRule {
  /** Sets the default profile on a pod without a profile. */
  mutatePod(pod: Pod): void;
  mutateContainer(pod: Pod, container: Named): void;
  validatePod(pod: SeenPod): FieldErrors;
  validateContainer(pod: SeenPod, container: Named): FieldErrors;
}

const ANNOTATIONS = 'pod.metadata.annotations';
const ANY = '*';
const DOCKER_DEFAULT = 'docker/default';
const RUNTIME_DEFAULT = 'runtime/default';
const LOCALHOST = 'localhost/';

const annotationOf = ({ metadata }: SeenPod, key: string): string | undefined => {
  const annotations = metadata?.annotations;
  return annotations !== undefined && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
};

function annotate(pod: Pod, key: string, value: string): void {
  if (value === '' || (annotationOf(pod, key) ?? '') !== '') return;
  pod.metadata = { ...pod.metadata, annotations: { ...pod.metadata?.annotations, [key]: value } };
}

/** Returns the annotation value that is equivalent to a profile field. */
function annotatedProfile(profile: SeenProfile | undefined): string | undefined {
  switch (profile?.type) {
    case 'RuntimeDefault':
      return RUNTIME_DEFAULT;
    case 'Unconfined':
      return 'unconfined';
    case 'Localhost':
      return `${LOCALHOST}${profile.localhostProfile ?? ''}`;
    default:
      return undefined;
  }
}

/** Creates the rule for seccomp profiles, which restrict system calls. */
export function seccompRule({ metadata }: Policy, vocabulary: Vocabulary): ProfileRule {
  const key = (name: string): string => vocabulary.key('seccomp.security.alpha', name);
  const podKey = key('pod');
  const containerKey = (name: string): string =>
    `${vocabulary.key('container.seccomp.security.alpha', name)}`;
  const shown = metadata?.annotations?.[key('allowedProfileNames')];
  const chosen = metadata?.annotations?.[key('defaultProfileName')] ?? '';
  const names = shown?.split(',') ?? [];
  const allowed = new Set(names.filter((name) => name !== ANY));
  const allowsAny = names.includes(ANY);
  // `docker/default` and `runtime/default` are names of the same profile.
  if (allowed.has(DOCKER_DEFAULT) || allowed.has(RUNTIME_DEFAULT))
    allowed.add(DOCKER_DEFAULT).add(RUNTIME_DEFAULT);

  function validate(path: string, profile: string): FieldErrors {
    if (allowsAny || allowed.has(profile) || (allowed.size === 0 && profile === '')) return [];
    if (allowed.size === 0) return [forbiddenField(path, 'seccomp may not be set')];
    const detail = `${profile} is not an allowed seccomp profile. Valid values are ${shown ?? ''}`;
    return [forbiddenField(path, detail)];
  }
  const ofPod = (pod: SeenPod): string =>
    annotationOf(pod, podKey) || annotatedProfile(pod.spec?.securityContext?.seccompProfile) || '';

  return {
    mutatePod(pod) {
      annotate(pod, podKey, annotatedProfile(pod.spec?.securityContext?.seccompProfile) ?? chosen);
    },
    mutateContainer: () => {},
    validatePod: (pod) => validate(mapKey(ANNOTATIONS, podKey), ofPod(pod)),
    validateContainer(pod, { name, securityContext }) {
      const own = annotationOf(pod, containerKey(name)) ?? annotatedProfile(securityContext?.seccompProfile);
      return validate(mapKey(ANNOTATIONS, containerKey(name)), own ?? ofPod(pod));
    },
  };
}

/** Creates the rule for AppArmor profiles, which restrict the access of containers. */
export function appArmorRule({ metadata }: Policy, vocabulary: Vocabulary): ProfileRule {
  const key = (name: string): string => vocabulary.key('apparmor.security.beta', name);
  const containerKey = (name: string): string => vocabulary.key('container.apparmor.security.beta', name);
  const shown = metadata?.annotations?.[key('allowedProfileNames')];
  const chosen = metadata?.annotations?.[key('defaultProfileName')] ?? '';
  const allowed = new Set(shown?.split(','));
  return {
    mutatePod: () => {},
    mutateContainer: (pod, { name }) => annotate(pod, containerKey(name), chosen),
    validatePod: () => [],
    validateContainer(pod, { name }) {
      if (shown === undefined) return [];
      const path = mapKey(ANNOTATIONS, containerKey(name));
      const profile = annotationOf(pod, containerKey(name)) ?? '';
      if (profile === '') return [forbiddenField(path, 'AppArmor profile must be set')];
      if (allowed.has(profile)) return [];
      const detail = `${profile} is not an allowed profile. Allowed values: ${goQuote(shown)}`;
      return [forbiddenField(path, detail)];
    },
  };
}
