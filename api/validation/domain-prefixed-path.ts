import { type FieldErrors, invalidField, requiredField } from '../status/field-errors.ts';
import { checked } from './metadata.ts';
import { isDns1123Subdomain } from './names.ts';

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const path = new RegExp(`^${PATH}$`);

/** Validates a name such as `acme.io/foo` (`IsDomainPrefixedPath` in Kubernetes 1.24). */
export function validateDomainPrefixedPath(text: string, field: string): FieldErrors {
  if (text === '') return [requiredField(field)];
  const slash = text.indexOf('/');
  const [host, rest] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (host === '' || rest === '')
    return [invalidField(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [
    ...checked(field, host, isDns1123Subdomain),
    ...(path.test(rest)
      ? []
      : [invalidField(field, rest, `Invalid path (regex used for validation is '${PATH}')`)]),
  ];
}
