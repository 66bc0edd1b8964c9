import { type FieldErrors, invalidField } from '../status/field-errors.ts';

/** How the names of targets and initiators are written (release 1.24). */
const FORMS: readonly (readonly [start: string, fits: (name: string) => boolean])[] = [
  ['iqn', isQualified],
  ['eui', (name) => /^eui.[A-Za-z0-9]{16}$/.test(name)],
  ['naa', (name) => /^naa.[A-Za-z0-9]{32}$/.test(name)],
];

/** Validates a name in a storage network; `wrongStart` is said of one of no known form. */
export function validateStorageIdentity(name: string, field: string, wrongStart: string): FieldErrors {
  const known = FORMS.find(([start]) => name.startsWith(start));
  if (known === undefined) return [invalidField(field, name, wrongStart)];
  return known[1](name) ? [] : [invalidField(field, name, 'must be valid format')];
}

/** Longest rest of a text of characters that may follow the colon. */
const REST_END = /[,;*&$|\s]/;
/** The domain before the colon, as far as it decides: one character at least follows the month. */
const DOMAIN = /iqn\.\d{4}-\d{2}\.[A-Za-z0-9\-.]/;

/**
 * True if `iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$` matches anywhere. Upstream's matcher takes linear time
 * for it; JavaScript's would try each `iqn` with each colon.
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

/** The last characters of a text that are all of a domain. */
function domainBefore(text: string): string {
  let from = text.length;
  while (from > 0 && /[A-Za-z0-9\-.]/.test(text.charAt(from - 1))) from -= 1;
  return text.slice(from);
}
