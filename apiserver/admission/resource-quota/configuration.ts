import type { Requirement } from '../../../api/quota/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { closedRecordOf, listOf, textOf } from '../configuration-value.ts';

/** Resource that may be used only if a quota limits it. */
export interface LimitedResource {
  /** API group with its domain suffix; '' for the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  /** Substrings of quota resource names. Names that contain one of them are limited. */
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly Requirement[];
}

const FORMER = ['v1alpha1', 'v1beta1'];
const FIELDS = ['apiVersion', 'kind', 'limitedResources'];
const LIMITED_FIELDS = ['apiGroup', 'resource', 'matchContains', 'matchScopes'];
const SCOPES = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
];
const OPERATORS = ['DoesNotExist', 'Exists', 'In', 'NotIn'];

/**
 * Parses a ResourceQuotaConfiguration. Without a configuration, no resource requires a quota. Throws an error
 * if the configuration is invalid.
 */
export function parseQuotaConfiguration(
  configuration: unknown,
  vocabulary: Vocabulary,
): readonly LimitedResource[] {
  if (configuration === undefined) return [];
  const fields = closedRecordOf(configuration, 'the configuration', FIELDS);
  const { kind, apiVersion } = fields;
  const current = vocabulary.apiVersion('apiserver.config', 'v1');
  const isCurrent = kind === 'ResourceQuotaConfiguration' && apiVersion === current;
  const former = `resourcequota.admission.${vocabulary.groupSuffix}`;
  const isFormer =
    kind === 'Configuration' && FORMER.some((version) => apiVersion === `${former}/${version}`);
  if (!isCurrent && !isFormer)
    throw new Error(
      `received ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}: expected ResourceQuotaConfiguration of ${current}`,
    );
  return listOf(fields['limitedResources'], 'limitedResources').map((each, at) =>
    limitedResource(each, `limitedResources[${at}]`),
  );
}

function limitedResource(given: unknown, path: string): LimitedResource {
  const fields = closedRecordOf(given, path, LIMITED_FIELDS);
  const resource = textOf(fields['resource'], `${path}.resource`);
  if (resource === '') throw new Error(`${path}.resource: Required value`);
  return {
    apiGroup: textOf(fields['apiGroup'], `${path}.apiGroup`),
    resource,
    matchContains: listOf(fields['matchContains'], `${path}.matchContains`).map((each, at) =>
      textOf(each, `${path}.matchContains[${at}]`),
    ),
    matchScopes: listOf(fields['matchScopes'], `${path}.matchScopes`).map((each, at) =>
      requirement(each, `${path}.matchScopes[${at}]`),
    ),
  };
}

function requirement(given: unknown, path: string): Requirement {
  const fields = closedRecordOf(given, path, ['scopeName', 'operator', 'values']);
  const values = listOf(fields['values'], `${path}.values`).map((each, at) =>
    textOf(each, `${path}.values[${at}]`),
  );
  return {
    scopeName: oneOf(fields['scopeName'], `${path}.scopeName`, SCOPES) as Requirement['scopeName'],
    operator: oneOf(fields['operator'], `${path}.operator`, OPERATORS) as Requirement['operator'],
    ...(values.length > 0 && { values }),
  };
}

function oneOf(given: unknown, path: string, allowed: readonly string[]): string {
  const text = textOf(given, path);
  if (!allowed.includes(text))
    throw new Error(`${path} is ${JSON.stringify(text)}: expected one of ${allowed.join(', ')}`);
  return text;
}
