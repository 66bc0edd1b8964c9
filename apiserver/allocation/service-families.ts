import { HEADLESS, isHeadless } from '../../api/groups/core/index.ts';
import { type FieldError, type FieldErrors, invalidField } from '../../api/status/index.ts';
import type { ServiceSpec } from '../../api/types/core-v1-service.ts';
import { type Family, familyOf } from '../../api/validation/index.ts';
import type { AddressRange } from './ranges.ts';

const other = (family: Family): Family => (family === 'IPv4' ? 'IPv6' : 'IPv4');

/** Sets the address families that a Service does not state, in place (release 1.24, `initIPFamilyFields`). */
export function initFamilies(spec: ServiceSpec, ranges: readonly AddressRange[]): FieldErrors {
  const primary = ranges[0]?.family ?? 'IPv4';
  if (isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0) return withoutPods(spec, primary);
  const families = inferred(spec);
  const addresses = (spec.clusterIPs ?? []).filter((address) => address !== HEADLESS);
  if (spec.ipFamilyPolicy === undefined) {
    spec.ipFamilyPolicy =
      addresses.length === 2 || families.length === 2 ? 'RequireDualStack' : 'SingleStack';
  }
  if (families.length === 0) families.push(primary);
  if (spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1 && ranges.length > 1) {
    families.push(other(families[0] ?? primary));
  }
  const errors = familyErrors(spec, families, ranges);
  spec.ipFamilies = spec.ipFamilyPolicy === 'SingleStack' ? families.slice(0, 1) : families;
  return errors;
}

/**
 * Sets the families of a headless Service without a selector. Its endpoints are unknown, so both families are
 * allowed whatever ranges the cluster has.
 */
function withoutPods(spec: ServiceSpec, primary: Family): FieldErrors {
  spec.ipFamilyPolicy ??= 'RequireDualStack';
  const families = (spec.ipFamilies ??= []);
  if (families.length === 0) families.push(primary);
  if (families.length === 1 && spec.ipFamilyPolicy !== 'SingleStack')
    families.push(other(families[0] ?? primary));
  return [];
}

/** Returns the requested families, followed by the families of the requested addresses. */
function inferred(spec: ServiceSpec): Family[] {
  const families = [...(spec.ipFamilies ?? [])];
  (spec.clusterIPs ?? []).forEach((address, at) => {
    if (address !== HEADLESS && address !== '' && families.length <= at) families.push(familyOf(address));
  });
  return families;
}

function familyErrors(
  spec: ServiceSpec,
  families: readonly Family[],
  ranges: readonly AddressRange[],
): FieldErrors {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === 'RequireDualStack' && ranges.length < 2) {
    const detail = 'this cluster is not configured for dual-stack services';
    errors.push(invalidField('spec.ipFamilyPolicy', spec.ipFamilyPolicy, detail));
  }
  if (spec.ipFamilyPolicy === 'SingleStack' && families.length === 2) {
    const detail = "may be 'SingleStack' only when a single IP family is requested";
    errors.push(invalidField('spec.ipFamilyPolicy', spec.ipFamilyPolicy, detail));
  }
  families.forEach((family, at) => {
    if (ranges.some((range) => range.family === family)) return;
    errors.push(invalidField(`spec.ipFamilies[${at}]`, family, 'not configured on this cluster'));
  });
  return errors;
}
