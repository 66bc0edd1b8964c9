import {
  type FieldError,
  type FieldErrors,
  child,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../api/status/index.ts';
import { isDns1123Subdomain } from '../../api/validation/index.ts';
import { AUDIT_STAGES } from './event.ts';
import type { GroupResources, Policy, PolicyRule } from './policy-types.ts';
import { AUDIT_LEVELS } from './trail.ts';

/** Validates a policy. Returns upstream's messages with the path of each invalid field. */
export const validatePolicy = ({ rules, omitStages = [] }: Policy): FieldErrors => [
  ...rules.flatMap((rule, at) => ruleErrors(rule, index('rules', at))),
  ...stageErrors(omitStages, 'omitStages'),
];

function ruleErrors(rule: PolicyRule, path: string): FieldError[] {
  const { nonResourceURLs = [], resources = [], namespaces = [], omitStages = [] } = rule;
  const urls = child(path, 'nonResourceURLs');
  const mixed = nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0);
  return [
    ...levelErrors(rule.level, child(path, 'level')),
    ...nonResourceURLs.flatMap((url, at) => urlErrors(url, index(urls, at))),
    ...resources.flatMap((each) => resourceErrors(each, child(path, 'resources'))),
    ...stageErrors(omitStages, child(path, 'omitStages')),
    ...(mixed
      ? [
          invalidField(
            urls,
            nonResourceURLs,
            'rules cannot apply to both regular resources and non-resource URLs',
          ),
        ]
      : []),
  ];
}

function levelErrors(level: string, path: string): FieldError[] {
  if (level === '') return [requiredField(path)];
  return AUDIT_LEVELS.some((each) => each === level) ? [] : [notSupportedField(path, level, AUDIT_LEVELS)];
}

function urlErrors(url: string, path: string): FieldError[] {
  if (url === '*') return [];
  const errors: FieldError[] = [];
  if (!url.startsWith('/'))
    errors.push(invalidField(path, url, "non-resource URL rules must begin with a '/' character"));
  if (url.slice(0, -1).includes('*'))
    errors.push(
      invalidField(path, url, "non-resource URL wildcards '*' must be the final character of the rule"),
    );
  return errors;
}

function resourceErrors({ group = '', resources = [], resourceNames = [] }: GroupResources, path: string) {
  const errors: FieldError[] = [];
  const complaints = group === '' ? [] : isDns1123Subdomain(group);
  if (complaints.length > 0) errors.push(invalidField(child(path, 'group'), group, complaints.join(',')));
  if (resourceNames.length > 0 && resources.length === 0)
    errors.push(
      invalidField(
        child(path, 'resourceNames'),
        resourceNames,
        'using resourceNames requires at least one resource',
      ),
    );
  return errors;
}

const stageErrors = (stages: readonly string[], path: string): FieldError[] =>
  stages.flatMap((stage, at) =>
    AUDIT_STAGES.some((each) => each === stage)
      ? []
      : [invalidField(index(path, at), stage, `allowed stages are ${AUDIT_STAGES.join(',')}`)],
  );
