import type { DeepReadonly } from '../../../api/kinds/index.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  goQuote,
  invalidField,
} from '../../../api/status/index.ts';
import type { Capabilities } from '../../../api/types/core-v1-container.ts';
import type { PodSecurityPolicySpec } from '../../../api/types/policy-v1beta1.ts';
import { NOTHING, inGo, invalidGo } from './go-values.ts';

type Spec = DeepReadonly<PodSecurityPolicySpec>;
type Given = DeepReadonly<Capabilities> | undefined;

const ALL = '*';

/**
 * Returns the container's capabilities with the policy's defaults added. Defaults that the container drops
 * are not added. Returns undefined if nothing changes.
 */
export function defaultCapabilities(spec: Spec, given: Given): Capabilities | undefined {
  const dropped = new Set(given?.drop);
  const added = new Set(given?.add);
  const add = new Set([
    ...(spec.defaultAddCapabilities ?? []).filter((name) => !dropped.has(name)),
    ...added,
  ]);
  const drop = new Set([...(spec.requiredDropCapabilities ?? []), ...dropped]);
  if (add.size === added.size && drop.size === dropped.size) return undefined;
  return {
    ...(add.size > 0 && { add: [...add].sort() }),
    ...(drop.size > 0 && { drop: [...drop].sort() }),
  };
}

/** Validates the capabilities of a container; `path` is their field path. */
export function validateCapabilities(spec: Spec, path: string, given: Given): FieldErrors {
  const { defaultAddCapabilities = [], requiredDropCapabilities = [], allowedCapabilities = [] } = spec;
  if (given === undefined) {
    if (defaultAddCapabilities.length === 0 && requiredDropCapabilities.length === 0) return [];
    return [invalidField(path, NOTHING, 'required capabilities are not set on the securityContext')];
  }
  if (allowedCapabilities.includes(ALL)) return [];
  const allowed = new Set([...defaultAddCapabilities, ...allowedCapabilities]);
  const { add = [], drop = [] } = given;
  const errors: FieldError[] = add
    .filter((name) => !allowed.has(name))
    .map((name) => invalidField(child(path, 'add'), name, 'capability may not be added'));
  for (const name of requiredDropCapabilities)
    if (!drop.includes(name))
      errors.push(
        invalidGo(
          child(path, 'drop'),
          inGo('core.Capability', drop.map(goQuote)),
          `${name} is required to be dropped but was not found`,
        ),
      );
  return errors;
}
