import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { AUTHENTICATED } from '../auth/groups.ts';

/** Policy from one line of a policy file. An empty string matches nothing, `*` matches every value. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

/** Error whose message contains the file, the line and the reason. */
class PolicyFileError extends CodedError<'ERR_POLICY_FILE'> {}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses a policy file (https://kubernetes.io/docs/reference/access-authn-authz/abac/). Each line is one JSON
 * object; empty lines and lines that start with `#` are skipped. An object without `apiVersion` and `kind`
 * has the unversioned format, in which missing fields match every value. `unversionedLines` is the number of
 * such objects. Throws `PolicyFileError`.
 */
export function parseAbacPolicies(
  text: string,
  path: string,
  vocabulary: Vocabulary,
): { readonly policies: readonly AbacPolicy[]; readonly unversionedLines: number } {
  const apiVersion = vocabulary.key('abac.authorization', 'v1beta1');
  const policies: AbacPolicy[] = [];
  let unversionedLines = 0;
  text.split('\n').forEach((raw, at) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return;
    try {
      const fields = parseObject(line);
      const unversioned = fields['apiVersion'] === undefined && fields['kind'] === undefined;
      if (unversioned) unversionedLines++;
      policies.push(unversioned ? parseOldest(fields) : parseVersioned(fields, apiVersion));
    } catch (thrown) {
      throw new PolicyFileError(
        'ERR_POLICY_FILE',
        `error reading policy file ${path}, line ${at + 1}: ${line}: ${messageOf(thrown)}`,
        { cause: thrown },
      );
    }
  });
  return { policies, unversionedLines };
}

function parseObject(line: string): Fields {
  const parsed: unknown = JSON.parse(line);
  if (!isFields(parsed)) throw new Error('expected one JSON object');
  return parsed;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textOf(fields: Fields, name: string): string {
  const value = fields[name] ?? '';
  if (typeof value !== 'string') throw new Error(`${name} must be a string`);
  return value;
}

function flagOf(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean') throw new Error(`${name} must be true or false`);
  return value;
}

/**
 * Returns the user and group of a policy. `*` stands for all authenticated users; it never matches anonymous
 * users.
 */
function subjectOf(fields: Fields): Pick<AbacPolicy, 'user' | 'group'> {
  const user = textOf(fields, 'user');
  const group = textOf(fields, 'group');
  return user === '*' || group === '*' ? { user: '', group: AUTHENTICATED } : { user, group };
}

function parseVersioned(fields: Fields, apiVersion: string): AbacPolicy {
  if (fields['apiVersion'] !== apiVersion || fields['kind'] !== 'Policy')
    throw new Error(`unrecognized object: expected kind Policy of ${apiVersion}`);
  const spec = fields['spec'] ?? {};
  if (!isFields(spec)) throw new Error('spec must be an object');
  return {
    ...subjectOf(spec),
    readonly: flagOf(spec, 'readonly'),
    apiGroup: textOf(spec, 'apiGroup'),
    resource: textOf(spec, 'resource'),
    namespace: textOf(spec, 'namespace'),
    nonResourcePath: textOf(spec, 'nonResourcePath'),
  };
}

function parseOldest(fields: Fields): AbacPolicy {
  const { user, group } = subjectOf(fields);
  const resource = textOf(fields, 'resource');
  const namespace = textOf(fields, 'namespace');
  return {
    user,
    group: user === '' && group === '' ? AUTHENTICATED : group,
    readonly: flagOf(fields, 'readonly'),
    apiGroup: '*',
    resource: resource === '' ? '*' : resource,
    namespace: namespace === '' ? '*' : namespace,
    nonResourcePath: resource === '' && namespace === '' ? '*' : '',
  };
}
