import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type {
  MutatingWebhook,
  RuleWithOperations,
  ValidatingWebhook,
} from '../../types/admissionregistration-v1.ts';
import { goStrings, invalidLiteral } from '../go-text/values.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { isDns1035Label, isDns1123Subdomain } from '../names.ts';
import { validateClientConfig } from './webhook-client.ts';
import { repeats } from '../repeats.ts';

type Webhook = DeepReadonly<ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>>;

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];
const MAX_TIMEOUT_SECONDS = 30;

/** Validation rules that differ between the versions of webhook configurations. */
export interface WebhookRules {
  /** Accepted values of `sideEffects`. */
  readonly sideEffects: readonly string[];
  /** True if two webhooks of one configuration may have the same name. */
  readonly repeatsNames: boolean;
}

const STRICT: WebhookRules = { sideEffects: ['None', 'NoneOnDryRun'], repeatsNames: false };

/** Rules of v1beta1. It accepts webhooks whose side effects prevent a dry run. */
export const FIRST_VERSION: WebhookRules = {
  sideEffects: ['None', 'NoneOnDryRun', 'Some', 'Unknown'],
  repeatsNames: true,
};

/**
 * Checks the rules of `ValidateMutatingWebhookConfiguration` and `ValidateValidatingWebhookConfiguration` in
 * Kubernetes 1.24.
 */
export function validateWebhooks(webhooks: readonly Webhook[], rules = STRICT): FieldErrors {
  const names = new Set<string>();
  return webhooks.flatMap((hook, at) => {
    const each = index('webhooks', at);
    const name = hook.name ?? '';
    const errors: FieldError[] = [
      ...validateWebhook(hook, each, rules.sideEffects),
      ...validateReviewVersions(hook.admissionReviewVersions ?? [], child(each, 'admissionReviewVersions')),
    ];
    if (!rules.repeatsNames && name !== '' && names.has(name))
      errors.push(duplicateField(child(each, 'name'), name));
    names.add(name);
    return errors;
  });
}

const supported = (field: string, received: string | undefined, accepted: readonly string[]): FieldErrors =>
  received === undefined || accepted.includes(received) ? [] : [notSupportedField(field, received, accepted)];

function validateWebhook(hook: Webhook, path: string, allowedEffects: readonly string[]): FieldErrors {
  const { timeoutSeconds: seconds, sideEffects } = hook;
  const effects = child(path, 'sideEffects');
  return [
    ...validateFullName(hook.name ?? '', child(path, 'name')),
    ...(hook.rules ?? []).flatMap((rule, at) => validateRule(rule, index(child(path, 'rules'), at))),
    ...supported(child(path, 'failurePolicy'), hook.failurePolicy, ['Fail', 'Ignore']),
    ...supported(child(path, 'matchPolicy'), hook.matchPolicy, ['Equivalent', 'Exact']),
    ...(sideEffects
      ? supported(effects, sideEffects, allowedEffects)
      : [requiredField(effects, `must specify one of ${allowedEffects.join(', ')}`)]),
    ...(seconds !== undefined && (seconds > MAX_TIMEOUT_SECONDS || seconds < 1)
      ? [
          invalidField(
            child(path, 'timeoutSeconds'),
            seconds,
            `the timeout value must be between 1 and ${MAX_TIMEOUT_SECONDS} seconds`,
          ),
        ]
      : []),
    ...validateLabelSelector(hook.namespaceSelector, child(path, 'namespaceSelector')),
    ...validateLabelSelector(hook.objectSelector, child(path, 'objectSelector')),
    ...supported(child(path, 'reinvocationPolicy'), hook.reinvocationPolicy, ['IfNeeded', 'Never']),
    ...validateClientConfig(hook.clientConfig ?? {}, child(path, 'clientConfig')),
  ];
}

/** Checks the rules of `IsFullyQualifiedName` in Kubernetes 1.24. */
function validateFullName(name: string, field: string): FieldErrors {
  if (name === '') return [requiredField(field)];
  const complaints = isDns1123Subdomain(name);
  if (complaints.length > 0) return [invalidField(field, name, complaints.join(','))];
  return name.split('.').length < 3
    ? [invalidField(field, name, 'should be a domain with at least three segments separated by dots')]
    : [];
}

function validateReviewVersions(versions: readonly string[], path: string): FieldErrors {
  const known = REVIEW_VERSIONS.join(', ');
  if (versions.length === 0) return [requiredField(path, `must specify one of ${known}`)];
  const repeated = repeats(versions);
  const errors: FieldError[] = versions.flatMap((version, at) =>
    repeated.has(at)
      ? [invalidField(index(path, at), version, 'duplicate version')]
      : isDns1035Label(version).map((message) => invalidField(index(path, at), version, message)),
  );
  return versions.some((version) => REVIEW_VERSIONS.includes(version))
    ? errors
    : [...errors, invalidLiteral(path, goStrings(versions), `must include at least one of ${known}`)];
}

/**
 * Validates that a list is not empty. If it contains `*`, it may have no other item. `type` is the Go type of
 * the items.
 */
function validateList(list: readonly string[], field: string, others: string, type?: string): FieldErrors {
  if (list.length === 0) return [requiredField(field)];
  return list.length > 1 && list.includes('*')
    ? [invalidLiteral(field, goStrings(list, type), `if '*' is present, must not specify other ${others}`)]
    : [];
}

function validateRule(rule: DeepReadonly<RuleWithOperations>, path: string): FieldErrors {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const [of, versions] = [child(path, 'operations'), child(path, 'apiVersions')];
  return [
    ...validateList(operations, of, 'operations', 'admissionregistration.OperationType'),
    ...operations.flatMap((operation, at) => supported(index(of, at), operation, OPERATIONS)),
    ...validateList(apiGroups, child(path, 'apiGroups'), 'API groups'),
    ...validateList(apiVersions, versions, 'API versions'),
    ...apiVersions.flatMap((version, at) => (version === '' ? [requiredField(index(versions, at))] : [])),
    ...validateResources(resources, child(path, 'resources')),
    ...supported(child(path, 'scope'), scope, SCOPES),
  ];
}

/** Validates resources and subresources. No item may repeat what a wildcard in the list already includes. */
function validateResources(resources: readonly string[], path: string): FieldErrors {
  if (resources.length === 0) return [requiredField(path)];
  const [wholes, everywhere] = [new Set<string>(), new Set<string>()];
  const errors: FieldError[] = resources.flatMap((each, at): FieldErrors => {
    if (each === '') return [requiredField(index(path, at))];
    const slash = each.indexOf('/');
    if (slash < 0) return [];
    const [resource, sub] = [each.slice(0, slash), each.slice(slash + 1)];
    const present = [
      ...(wholes.has(resource) ? [`${resource}/*`] : []),
      ...(everywhere.has(sub) ? [`*/${sub}`] : []),
    ];
    if (sub === '*') wholes.add(resource);
    if (resource === '*') everywhere.add(sub);
    return present.map((by) =>
      invalidField(index(path, at), each, `if '${by}' is present, must not specify ${each}`),
    );
  });
  const refused = (detail: string): FieldError => invalidLiteral(path, goStrings(resources), detail);
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(refused("if '*/*' is present, must not specify other resources"));
  }
  if (
    resources.includes('*') &&
    resources.some((each) => each !== '' && each !== '*' && !each.includes('/'))
  ) {
    errors.push(refused("if '*' is present, must not specify other resources without subresources"));
  }
  return errors;
}
