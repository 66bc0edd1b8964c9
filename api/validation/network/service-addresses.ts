import { isIP } from 'node:net';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  duplicateField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { ServiceSpec } from '../../types/core-v1-service.ts';
import { familyOf } from './addresses.ts';
import { goStrings, invalidLiteral } from '../go-text/values.ts';

type Spec = DeepReadonly<ServiceSpec> | undefined;

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const addressesField = 'spec.clusterIPs';
const familiesField = 'spec.ipFamilies';

const refusedAddresses = (spec: Spec, field: string, detail: string): FieldError =>
  invalidLiteral(field, goStrings(spec?.clusterIPs), detail);

/** Checks the rules of `ValidateServiceClusterIPsRelatedFields` in Kubernetes 1.24. */
export function validateClusterIps(spec: Spec): FieldErrors {
  // An ExternalName service has no addresses. Other rules check that it has none.
  if (spec?.type === 'ExternalName') return [];
  return [...validateFamilies(spec), ...validateAddresses(spec)];
}

function validateFamilies(spec: Spec): FieldErrors {
  const errors: FieldError[] = [];
  const families = spec?.ipFamilies ?? [];
  const policy = spec?.ipFamilyPolicy;
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(notSupportedField('spec.ipFamilyPolicy', policy, POLICIES));
  }
  if (families.length > 2) {
    errors.push(invalidLiteral(familiesField, printedFamilies(families), 'may only hold up to 2 values'));
  }
  const seen = new Set<string>();
  families.forEach((family, at) => {
    if (!FAMILIES.includes(family))
      errors.push(notSupportedField(index(familiesField, at), family, FAMILIES));
    if (seen.has(family)) {
      errors.push(duplicateField(index(familiesField, at), family));
    }
    seen.add(family);
  });
  return errors;
}

const printedFamilies = (families: readonly string[]): string => goStrings(families, 'core.IPFamily');

function validateAddresses(spec: Spec): FieldErrors {
  const addresses = spec?.clusterIPs ?? [];
  const first = spec?.clusterIP ?? '';
  const errors: FieldError[] = [];
  if (first !== '' && addresses.length === 0) {
    errors.push(requiredField(addressesField));
  } else if (addresses.length > 0 && addresses[0] !== first) {
    const detail =
      first === '' ? 'must be empty when `clusterIP` is not specified' : 'first value must match `clusterIP`';
    errors.push(refusedAddresses(spec, addressesField, detail));
  }
  if (addresses.length > 2) {
    errors.push(refusedAddresses(spec, addressesField, 'may only hold up to 2 values'));
  }
  addresses.forEach((address, at) => {
    if (at === 0 && address === 'None') {
      if (addresses.length > 1) {
        errors.push(refusedAddresses(spec, addressesField, `'None' must be the first and only value`));
      }
      return;
    }
    if (isIP(address) === 0) {
      const words = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
      errors.push(invalidField(index(addressesField, at), address, words));
    }
  });
  // The check of the families is skipped for invalid addresses, because their family is unknown.
  const readable = isHeadless(spec) || addresses.every((address) => isIP(address) !== 0);
  return readable ? [...errors, ...validateFamiliesOf(addresses, spec)] : errors;
}

function validateFamiliesOf(addresses: readonly string[], spec: Spec): FieldErrors {
  const errors: FieldError[] = [];
  const families = addresses.map(familyOf);
  if (addresses.length > 1 && new Set(families).size === 1) {
    const detail = 'may specify no more than one IP for each IP family, i.e. one IPv4 and one IPv6';
    errors.push(refusedAddresses(spec, addressesField, detail));
  }
  if (isHeadless(spec)) return errors;
  addresses.forEach((address, at) => {
    const expected = spec?.ipFamilies?.[at] ?? '';
    if (!FAMILIES.includes(expected) || families[at] === expected) return;
    const detail = `expected an ${expected} value as indicated by \`ipFamilies[${at}]\``;
    errors.push(invalidField(index(addressesField, at), address, detail));
  });
  return errors;
}

const isHeadless = (spec: Spec): boolean => spec?.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None';

/**
 * Checks the rules of `validateUpgradeDowngradeClusterIPs` and `validateUpgradeDowngradeIPFamilies` in
 * Kubernetes 1.24.
 */
export function validateClusterIpsUpdate(next: Spec, previous: Spec): FieldErrors {
  if (next?.type === 'ExternalName' || previous?.type === 'ExternalName') return [];
  // A headless service has no allocated addresses, so the families may change.
  const free = isHeadless(next) || isHeadless(previous);
  return [...addressesUpdate(next, previous), ...(free ? [] : familiesUpdate(next, previous))];
}

function addressesUpdate(next: Spec, previous: Spec): FieldErrors {
  const [now, before] = [next?.clusterIPs ?? [], previous?.clusterIPs ?? []];
  const changed = (at: number): FieldError =>
    refusedAddresses(next, index(addressesField, at), 'may not change once set');
  if (now.length === before.length) {
    return before.flatMap((address, at) => (address === now[at] ? [] : [changed(at)]));
  }
  if (before.length === 0) return [];
  if (now.length === 0) {
    return [refusedAddresses(next, index(addressesField, 0), 'primary clusterIP can not be unset')];
  }
  const errors: FieldError[] = now[0] === before[0] ? [] : [changed(0)];
  if (now.length < before.length && next?.ipFamilyPolicy !== 'SingleStack') {
    const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP";
    errors.push(invalidField('spec.ipFamilyPolicy', next?.ipFamilyPolicy, detail));
  }
  return errors;
}

function familiesUpdate(next: Spec, previous: Spec): FieldErrors {
  const [now, before] = [next?.ipFamilies ?? [], previous?.ipFamilies ?? []];
  const refused = (at: number, detail: string): FieldError =>
    invalidLiteral(index(familiesField, at), printedFamilies(now), detail);
  if (before.length === 0) return [];
  if (now.length === 0) return [refused(0, 'primary ipFamily can not be unset')];
  const both = Math.min(now.length, before.length);
  return before
    .slice(0, both)
    .flatMap((family, at) => (family === now[at] ? [] : [refused(at, 'may not change once set')]));
}
