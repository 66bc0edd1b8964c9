import { type Subject, containersOf, quoted, settersText, sorted } from './check.ts';

interface Context {
  readonly seccompProfile?: { readonly type?: string };
}

const isAllowed = (type: string | undefined): boolean => type === 'RuntimeDefault' || type === 'Localhost';

const forbiddenType = (context: Context | undefined): string | undefined => {
  const profile = context?.seccompProfile;
  return profile === undefined || isAllowed(profile.type) ? undefined : (profile.type ?? '');
};

/** True if the security context of the pod sets an allowed profile. */
export const isPodConfined = ({ spec }: Subject): boolean =>
  isAllowed(spec.securityContext?.seccompProfile?.type);

/**
 * Returns the violation of a pod and containers that set a forbidden profile. Returns undefined if none does.
 */
export function seccompSetters(subject: Subject): string | undefined {
  const ofPod = forbiddenType(subject.spec.securityContext);
  const bad = containersOf(subject).flatMap(({ name, securityContext }) => {
    const type = forbiddenType(securityContext);
    return type === undefined ? [] : [{ name, type }];
  });
  const setters = settersText(
    ofPod !== undefined,
    bad.map(({ name }) => name),
  );
  if (setters === undefined) return undefined;
  const types = sorted([...(ofPod === undefined ? [] : [ofPod]), ...bad.map(({ type }) => type)]);
  return `${setters} must not set securityContext.seccompProfile.type to ${quoted(types)}`;
}
