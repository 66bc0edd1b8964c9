import type { DeepReadonly } from '../../kinds/kind.ts';
import { sameValue } from '../../kinds/carry-over.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../types/flowcontrol-v1beta2-flow-schema.ts';
import { invalidTyped, notSupportedTyped } from '../go-text/dump.ts';
import { checked } from '../metadata.ts';
import { isDns1123Label, isDns1123Subdomain } from '../names.ts';

const EXEMPT = 'exempt';
const MAX_PRECEDENCE = 10_000;
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];
const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

/**
 * Checks the rules of `ValidateFlowSchema` in Kubernetes 1.24. `fixed` is the mandatory spec of a FlowSchema
 * with this name; undefined if the name has none.
 */
export function validateFlowSchema(
  { metadata, spec }: DeepReadonly<FlowSchema>,
  fixed: DeepReadonly<FlowSchemaSpec> | undefined,
): FieldErrors {
  const name = metadata?.name ?? '';
  const { distinguisherMethod, rules = [] } = spec ?? {};
  const errors: FieldError[] = [...validatePrecedence(name, spec?.matchingPrecedence ?? 0)];
  if (distinguisherMethod && !DISTINGUISHERS.includes(distinguisherMethod.type ?? '')) {
    const [field, type] = ['spec.distinguisherMethod.type', 'flowcontrol.FlowDistinguisherMethod'];
    errors.push(notSupportedTyped(field, type, distinguisherMethod, DISTINGUISHERS));
  }
  const level = spec?.priorityLevelConfiguration?.name ?? '';
  const field = 'spec.priorityLevelConfiguration.name';
  if (level === '') errors.push(requiredField(field, 'must reference a priority level'));
  else errors.push(...checked(field, level, isDns1123Subdomain));
  errors.push(...rules.flatMap((rule, at) => validateRules(rule, index('spec.rules', at))));
  if (fixed !== undefined && !sameValue(spec, fixed)) {
    const detail = `spec of '${name}' must equal the fixed value`;
    errors.push(invalidTyped('spec', 'flowcontrol.FlowSchemaSpec', spec ?? {}, detail));
  }
  return errors;
}

function validatePrecedence(name: string, precedence: number): FieldErrors {
  const field = 'spec.matchingPrecedence';
  const complaints: string[] = [];
  if (precedence <= 0) complaints.push('must be a positive value');
  if (precedence > MAX_PRECEDENCE) complaints.push(`must not be greater than ${MAX_PRECEDENCE}`);
  if (precedence === 1 && name !== EXEMPT) {
    complaints.push(`only the schema named '${EXEMPT}' may have matchingPrecedence 1`);
  }
  return complaints.map((detail) => invalidField(field, precedence, detail));
}

function validateRules(rule: DeepReadonly<PolicyRulesWithSubjects>, path: string): FieldErrors {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  const field = child(path, 'subjects');
  const errors: FieldError[] =
    subjects.length === 0
      ? [requiredField(field, 'subjects must contain at least one value')]
      : subjects.flatMap((subject, at) => validateSubject(subject, index(field, at)));
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    const detail = 'at least one of resourceRules and nonResourceRules has to be non-empty';
    errors.push(requiredField(path, detail));
  }
  return [
    ...errors,
    ...resourceRules.flatMap((each, at) =>
      validateResourceRule(each, index(child(path, 'resourceRules'), at)),
    ),
    ...nonResourceRules.flatMap((each, at) =>
      validateNonResourceRule(each, index(child(path, 'nonResourceRules'), at)),
    ),
  ];
}

const PARTS = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;

function validateSubject(subject: DeepReadonly<Subject>, path: string): FieldErrors {
  const kind: string = subject.kind ?? '';
  if (!SUBJECT_KINDS.includes(kind)) return [notSupportedField(child(path, 'kind'), kind, SUBJECT_KINDS)];
  return Object.entries(PARTS).flatMap(([of, part]) => {
    const field = child(path, part);
    if (of === kind) {
      return subject[part] === undefined
        ? [requiredField(field, `${part} is required when subject kind is '${kind}'`)]
        : validateSubjectName(subject, kind, field);
    }
    return subject[part] === undefined
      ? []
      : [forbiddenField(field, `${part} is forbidden when subject kind is not '${of}'`)];
  });
}

function validateSubjectName(
  { serviceAccount, user, group }: DeepReadonly<Subject>,
  kind: string,
  path: string,
): FieldErrors {
  const name = (kind === 'User' ? user : kind === 'Group' ? group : serviceAccount)?.name ?? '';
  const field = child(path, 'name');
  const errors: FieldError[] = name === '' ? [requiredField(field)] : [];
  if (kind !== 'ServiceAccount') return errors;
  if (name !== '' && name !== '*') errors.push(...checked(field, name, isDns1123Subdomain));
  const namespace = serviceAccount?.namespace ?? '';
  const place = child(path, 'namespace');
  return [
    ...errors,
    ...(namespace === ''
      ? [requiredField(place, 'must specify namespace for service account')]
      : checked(place, namespace, isDns1123Label)),
  ];
}

/** Validates that a list is not empty. If it contains `*`, it may have no other item. */
function validateList(list: readonly string[], field: string, missing: string, others: string): FieldErrors {
  if (list.length === 0) return [requiredField(field, missing)];
  return list.length > 1 && list.includes('*')
    ? [invalidTyped(field, '[]string', list, `if '*' is present, must not specify other ${others}`)]
    : [];
}

function validateVerbs(verbs: readonly string[], path: string): FieldErrors {
  const field = child(path, 'verbs');
  const errors = validateList(verbs, field, 'verbs must contain at least one value', 'verbs');
  if (errors.length > 0 || verbs.includes('*') || verbs.every((verb) => VERBS.includes(verb))) return errors;
  return [notSupportedTyped(field, '[]string', verbs, VERBS)];
}

function validateResourceRule(rule: DeepReadonly<ResourcePolicyRule>, path: string): FieldErrors {
  const supply = (what: string): string => `resource rules must supply at least one ${what}`;
  return [
    ...validateVerbs(rule.verbs ?? [], path),
    ...validateList(rule.apiGroups ?? [], child(path, 'apiGroups'), supply('api group'), 'api groups'),
    ...validateList(rule.resources ?? [], child(path, 'resources'), supply('resource'), 'resources'),
    ...validateNamespaces(rule, child(path, 'namespaces')),
  ];
}

const NAMESPACES = "each member of this list must be '*' or a DNS-1123 label; ";

function validateNamespaces(rule: DeepReadonly<ResourcePolicyRule>, field: string): FieldErrors {
  const namespaces = rule.namespaces ?? [];
  if (namespaces.length === 0 && rule.clusterScope === true) return [];
  const missing = 'resource rules that are not cluster scoped must supply at least one namespace';
  const errors = validateList(namespaces, field, missing, 'namespaces');
  if (errors.length > 0 || namespaces.includes('*')) return errors;
  return namespaces.flatMap((each, at) =>
    isDns1123Label(each).map((message) => invalidField(index(field, at), each, `${NAMESPACES}${message}`)),
  );
}

function validateNonResourceRule(rule: DeepReadonly<NonResourcePolicyRule>, path: string): FieldErrors {
  const urls = rule.nonResourceURLs ?? [];
  const field = child(path, 'nonResourceURLs');
  const missing = 'nonResourceURLs must contain at least one value';
  const errors: FieldError[] = [
    ...validateVerbs(rule.verbs ?? [], path),
    ...validateList(urls, field, missing, 'non-resource URLs'),
  ];
  if (urls.includes('*')) return errors;
  return [...errors, ...urls.flatMap((url, at) => validateUrl(url, index(field, at)))];
}

function validateUrl(url: string, field: string): FieldErrors {
  const refused = (detail: string): FieldErrors => [invalidField(field, url, detail)];
  if (url === '') return refused('must not be empty');
  if (url === '/') return [];
  if (!url.startsWith('/')) return refused('must start with slash');
  if (url.includes(' ')) return refused('must not contain white-space');
  if (url.includes('//')) return refused('must not contain double slash');
  const at = url.indexOf('*');
  return at < 0 || (at === url.length - 1 && url.endsWith('/*'))
    ? []
    : refused('wildcard can only do suffix matching');
}
