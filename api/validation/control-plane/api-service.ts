import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { APIService, APIServiceSpec } from '../../types/apiregistration-v1.ts';
import type { ObjectMeta } from '../../types/meta-v1.ts';
import { isDns1035Label, isDns1123Subdomain, portMessages } from '../names.ts';

const GROUP_PRIORITY_LIMIT = 20_000;
const VERSION_PRIORITY_LIMIT = 1_000;

/**
 * Checks the rules of `ValidateAPIService` in Kubernetes 1.24. `spec.group` is the served group, which has
 * the vocabulary's suffix.
 */
export function validateApiService({ metadata, spec = {} as never }: DeepReadonly<APIService>): FieldErrors {
  return [
    ...validateName(metadata ?? {}, spec),
    ...validateGroupVersion(spec),
    ...validatePriorities(spec),
    ...(spec.service === undefined ? validateLocal(spec) : validateRemote(spec)),
  ];
}

function validateName(
  metadata: DeepReadonly<ObjectMeta>,
  { group = '', version = '' }: DeepReadonly<APIServiceSpec>,
): FieldErrors {
  const expected = `${version}.${group}`;
  const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expected)}`;
  return (['generateName', 'name'] as const).flatMap((field) => {
    const text = metadata[field] ?? '';
    return text === '' || text === expected ? [] : [invalidField(`metadata.${field}`, text, detail)];
  });
}

function validateGroupVersion({ group = '', version = '' }: DeepReadonly<APIServiceSpec>): FieldErrors {
  const legacy = 'only v1 may have an empty group and it better be legacy kube';
  const groupErrors: readonly FieldError[] =
    group === ''
      ? version === 'v1'
        ? []
        : [requiredField('spec.group', legacy)]
      : isDns1123Subdomain(group).map((message) => invalidField('spec.group', group, message));
  return [
    ...groupErrors,
    ...isDns1035Label(version).map((message) => invalidField('spec.version', version, message)),
  ];
}

function validatePriorities(spec: DeepReadonly<APIServiceSpec>): FieldErrors {
  const check = (field: 'groupPriorityMinimum' | 'versionPriority', limit: number): FieldErrors => {
    const given = spec[field] ?? 0;
    if (given > 0 && given <= limit) return [];
    return [invalidField(`spec.${field}`, given, `must be positive and less than ${limit}`)];
  };
  return [
    ...check('groupPriorityMinimum', GROUP_PRIORITY_LIMIT),
    ...check('versionPriority', VERSION_PRIORITY_LIMIT),
  ];
}

function validateLocal({ caBundle = '', insecureSkipTLSVerify }: DeepReadonly<APIServiceSpec>): FieldErrors {
  const errors: FieldError[] = [];
  if (caBundle !== '') {
    const size = `${Buffer.from(caBundle, 'base64').length} bytes`;
    errors.push(invalidField('spec.caBundle', size, 'local APIServices may not have a caBundle'));
  }
  if (insecureSkipTLSVerify === true)
    errors.push(
      invalidField(
        'spec.insecureSkipTLSVerify',
        true,
        'local APIServices may not have insecureSkipTLSVerify',
      ),
    );
  return errors;
}

function validateRemote({
  service,
  caBundle = '',
  insecureSkipTLSVerify,
}: DeepReadonly<APIServiceSpec>): FieldErrors {
  const errors: FieldError[] = [];
  if ((service?.namespace ?? '') === '') errors.push(requiredField('spec.service.namespace'));
  if ((service?.name ?? '') === '') errors.push(requiredField('spec.service.name'));
  const complaints = portMessages(service?.port ?? 0);
  if (complaints.length > 0) {
    const detail = `port is not valid: ${complaints.join(', ')}`;
    errors.push(invalidField('spec.service.port', service?.port ?? 0, detail));
  }
  if (insecureSkipTLSVerify === true && caBundle !== '')
    errors.push(invalidField('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'));
  return errors;
}

const STATUSES = ['True', 'False', 'Unknown'];

/** Checks the rules of `ValidateAPIServiceStatus` in Kubernetes 1.24. */
export const validateApiServiceStatus = ({ status }: DeepReadonly<APIService>): FieldErrors =>
  (status?.conditions ?? []).flatMap(({ status: given }, at) =>
    STATUSES.includes(given)
      ? []
      : [notSupportedField(`${index('status.conditions', at)}.status`, given, STATUSES)],
  );
