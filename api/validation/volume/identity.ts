import { type FieldErrors, invalidField } from '../../status/field-errors.ts';

/** Forms of target and initiator names: iSCSI qualified names, EUI-64 and NAA (RFC 3720, section 3.2.6.3). */
const FORMS: readonly (readonly [start: string, fits: (name: string) => boolean])[] = [
  ['iqn', isQualified],
  ['eui', (name) => /^eui.[A-Za-z0-9]{16}$/.test(name)],
  ['naa', (name) => /^naa.[A-Za-z0-9]{32}$/.test(name)],
];

/** Validates the name of a target or initiator. `wrongStart` is the message for an unknown form. */
export function validateStorageIdentity(name: string, field: string, wrongStart: string): FieldErrors {
  const known = FORMS.find(([start]) => name.startsWith(start));
  if (known === undefined) return [invalidField(field, name, wrongStart)];
  return known[1](name) ? [] : [invalidField(field, name, 'must be valid format')];
}

/** Matches a character that ends the part after the colon. */
const REST_END = /[,;*&$|\s]/;
/**
 * Matches the part before the colon from the year to the first character of the domain. One character after
 * the month suffices.
 */
const DOMAIN = /iqn\.\d{4}-\d{2}\.[A-Za-z0-9\-.]/;

/**
 * True if `iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$` matches anywhere in the name. Go matches this
 * pattern in linear time; a JavaScript regular expression would try each `iqn` with each colon.
 */
function isQualified(name: string): boolean {
  let end = name.length - 1;
  while (end >= 0 && !REST_END.test(name.charAt(end))) end -= 1;
  let from = 0;
  for (let colon = name.indexOf(':'); colon >= 0; colon = name.indexOf(':', from)) {
    if (colon > end && colon < name.length - 1 && DOMAIN.test(domainBefore(name.slice(from, colon))))
      return true;
    from = colon + 1;
  }
  return false;
}

/** Returns the longest suffix of a string that consists of characters allowed in domains. */
function domainBefore(text: string): string {
  let from = text.length;
  while (from > 0 && /[A-Za-z0-9\-.]/.test(text.charAt(from - 1))) from -= 1;
  return text.slice(from);
}
