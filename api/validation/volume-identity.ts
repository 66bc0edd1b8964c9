import { type FieldErrors, invalidField } from '../status/field-errors.ts';

/** How the names of targets and initiators are written (release 1.24): the first form is looked for anywhere in the text. */
const FORMS: readonly (readonly [start: string, form: RegExp])[] = [
  ['iqn', /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/],
  ['eui', /^eui.[A-Za-z0-9]{16}$/],
  ['naa', /^naa.[A-Za-z0-9]{32}$/],
];

/** A name in a storage network; `wrongStart` is said of one of no known form. */
export function validateStorageIdentity(name: string, field: string, wrongStart: string): FieldErrors {
  const known = FORMS.find(([start]) => name.startsWith(start));
  if (known === undefined) return [invalidField(field, name, wrongStart)];
  return known[1].test(name) ? [] : [invalidField(field, name, 'must be valid format')];
}
