import { sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
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
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from '../../types/apiextensions-v1.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { validateApproval } from './approval.ts';
import {
  type Version,
  validateColumns,
  validateDeprecationWarning,
  validateSchema,
  validateSubresources,
} from './version.ts';
import { goPointer, goString, goStrings, goStruct, invalidLiteral } from '../go-text/values.ts';
import { IMMUTABLE } from '../metadata.ts';
import { type NameCheck, isDns1035Label, isDns1123Subdomain } from '../names.ts';
import { validateClientConfig } from '../control-plane/webhook-client.ts';
import { repeats } from '../repeats.ts';

type Definition = DeepReadonly<CustomResourceDefinition>;

/** Checks the rules of `ValidateCustomResourceDefinition` in Kubernetes 1.24, except those of the name. */
export function validateDefinition(crd: Definition, vocabulary: Vocabulary): FieldErrors {
  return [...validateSpec(crd, vocabulary), ...validateDefinitionStatus(crd), ...validateStoredVersions(crd)];
}

/** Checks the rules of `ValidateCustomResourceDefinitionStatus` in Kubernetes 1.24. */
export const validateDefinitionStatus = ({ status }: Definition): FieldErrors =>
  status?.acceptedNames ? validateNames(status.acceptedNames, 'status.acceptedNames') : [];

/** Reports changes of immutable fields, and checks the rules that apply only to changed parts. */
export function validateDefinitionUpdate(
  next: Definition,
  previous: Definition,
  vocabulary: Vocabulary,
): FieldErrors {
  const same = (field: string, now: string, before: string): FieldErrors =>
    now === before ? [] : [invalidField(field, now, IMMUTABLE)];
  const { spec } = next;
  const established = previous.status?.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  return [
    ...(established
      ? [
          ...same('spec.scope', spec.scope, previous.spec.scope),
          ...same('spec.names.kind', spec.names.kind, previous.spec.names.kind),
        ]
      : []),
    ...same('spec.group', spec.group, previous.spec.group),
    ...same('spec.names.plural', spec.names.plural, previous.spec.names.plural),
    ...validateApproval(next, previous, vocabulary),
    ...validatePreserve(next, previous),
  ];
}

/** Checks the rules that apply only to new CustomResourceDefinitions. */
export const validateNewDefinition = (crd: Definition, vocabulary: Vocabulary): FieldErrors => [
  ...validateName(crd),
  ...validateApproval(crd, undefined, vocabulary),
  ...validatePreserve(crd, undefined),
];

/** Validates the name. A missing plural or group causes an error elsewhere and is not reported again. */
function validateName({ spec, metadata = {} }: Definition): FieldErrors {
  const wanted = `${spec.names.plural}.${spec.group || 'core'}`;
  return (['generateName', 'name'] as const).flatMap((field) => {
    const text = metadata[field] ?? '';
    if (text === '' || text === wanted) return [];
    return [invalidField(`metadata.${field}`, text, 'must be spec.names.plural+"."+spec.group')];
  });
}

const labelled = (
  field: string,
  text: string,
  check: NameCheck = isDns1035Label,
  prefix = '',
): FieldErrors => {
  const complaints = check(text);
  return complaints.length === 0 ? [] : [invalidField(field, text, `${prefix}${complaints.join(',')}`)];
};

const oneOf = (field: string, received: string, accepted: readonly string[]): FieldErrors => {
  if (received === '') return [requiredField(field)];
  return accepted.includes(received) ? [] : [notSupportedField(field, received, accepted)];
};

/**
 * Parts of a version, each true if it is equal in all versions. Upstream moves such parts from the versions
 * to the spec before validation, so error paths name them in the spec.
 */
interface Shared {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly columns: boolean;
}

function sharedOf(versions: readonly Version[]): Shared {
  const [first, ...others] = versions;
  const same = (field: 'schema' | 'subresources' | 'additionalPrinterColumns'): boolean =>
    first !== undefined && others.every((each) => sameValue(each[field], first[field]));
  return {
    schema: same('schema'),
    subresources: same('subresources'),
    columns: same('additionalPrinterColumns'),
  };
}

function validateSpec({ spec }: Definition, vocabulary: Vocabulary): FieldErrors {
  const versions = spec.versions ?? [];
  const shared = sharedOf(versions);
  const [first] = versions;
  const names = spec.names;
  const missing = (['plural', 'singular', 'kind', 'listKind'] as const).filter((name) => !names[name]);
  return [
    ...validateGroup(spec.group),
    ...oneOf('spec.scope', spec.scope, ['Cluster', 'Namespaced']),
    ...validateSchemasPresent(spec, shared),
    ...versions.flatMap((version, at) =>
      validateVersion(version, index('spec.versions', at), shared, vocabulary),
    ),
    ...validateVersions(versions, shared),
    ...(first ? labelled('spec.version', first.name) : []),
    ...missing.map((name) => requiredField(child('spec.names', name))),
    ...validateNames(names, 'spec.names'),
    ...(first && shared.schema
      ? validateSchema(first.schema?.openAPIV3Schema, 'spec.validation', first, vocabulary)
      : []),
    ...(first && shared.subresources ? validateSubresources(first.subresources, 'spec.subresources') : []),
    ...(first && shared.columns
      ? validateColumns(first.additionalPrinterColumns, 'spec.additionalPrinterColumns')
      : []),
    ...(spec.preserveUnknownFields && spec.conversion && spec.conversion.strategy !== 'None'
      ? [
          invalidField(
            'spec.conversion.strategy',
            spec.conversion.strategy,
            'must be None if spec.preserveUnknownFields is true',
          ),
        ]
      : []),
    ...(spec.conversion ? validateConversion(spec.conversion) : []),
  ];
}

function validateGroup(group: string): FieldErrors {
  if (group === '') return [requiredField('spec.group')];
  const errors = labelled('spec.group', group, isDns1123Subdomain);
  if (errors.length > 0 || group.includes('.')) return errors;
  return [invalidField('spec.group', group, 'should be a domain with at least one dot')];
}

function validateSchemasPresent({ versions }: Definition['spec'], { schema }: Shared): FieldErrors {
  const list = versions ?? [];
  if (schema && list[0]?.schema?.openAPIV3Schema !== undefined) return [];
  return list.flatMap((version, at) =>
    version.schema?.openAPIV3Schema === undefined
      ? [
          requiredField(
            child(index('spec.versions', at), 'schema', 'openAPIV3Schema'),
            'schemas are required',
          ),
        ]
      : [],
  );
}

function validateVersion(
  version: Version,
  path: string,
  shared: Shared,
  vocabulary: Vocabulary,
): FieldErrors {
  return [
    ...labelled(child(path, 'name'), version.name),
    ...validateDeprecationWarning(version, child(path, 'deprecationWarning')),
    ...(shared.schema
      ? []
      : validateSchema(version.schema?.openAPIV3Schema, child(path, 'schema'), version, vocabulary)),
    ...(shared.subresources ? [] : validateSubresources(version.subresources, child(path, 'subresources'))),
    ...(shared.columns
      ? []
      : validateColumns(version.additionalPrinterColumns, child(path, 'additionalPrinterColumns'))),
  ];
}

function validateVersions(versions: readonly Version[], shared: Shared): FieldErrors {
  const errors: FieldError[] = [];
  const refuse = (detail: string): void =>
    void errors.push(invalidLiteral('spec.versions', goVersions(versions, shared), detail));
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    refuse('must contain unique version names');
  if (versions.filter(({ storage }) => storage).length !== 1)
    refuse('must have exactly one version marked as storage version');
  return errors;
}

const GO = 'apiextensions';

/** Formats the versions as Go prints them. */
function goVersions(versions: readonly Version[], shared: Shared): string {
  if (versions.length === 0) return `[]${GO}.CustomResourceDefinitionVersion{}`;
  const columns = `[]${GO}.CustomResourceColumnDefinition`;
  const each = versions.map((version) => {
    const shown = shared.columns ? [] : (version.additionalPrinterColumns ?? []);
    return goStruct(`${GO}.CustomResourceDefinitionVersion`, {
      Name: goString(version.name),
      Served: String(version.served),
      Storage: String(version.storage),
      Deprecated: String(version.deprecated ?? false),
      DeprecationWarning: goPointer('string', version.deprecationWarning),
      Schema: goPointer(`${GO}.CustomResourceValidation`, shared.schema ? undefined : version.schema),
      Subresources: goPointer(
        `${GO}.CustomResourceSubresources`,
        shared.subresources ? undefined : version.subresources,
      ),
      AdditionalPrinterColumns:
        shown.length === 0 ? `${columns}(nil)` : `${columns}{${shown.map(goColumn).join(', ')}}`,
    });
  });
  return `[]${GO}.CustomResourceDefinitionVersion{${each.join(', ')}}`;
}

const goColumn = (column: DeepReadonly<CustomResourceColumnDefinition>): string =>
  goStruct(`${GO}.CustomResourceColumnDefinition`, {
    Name: goString(column.name),
    Type: goString(column.type),
    Format: goString(column.format),
    Description: goString(column.description),
    Priority: String(column.priority ?? 0),
    JSONPath: goString(column.jsonPath),
  });

function validateNames(names: DeepReadonly<CustomResourceDefinitionNames>, path: string): FieldErrors {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames, categories } = names;
  const mixed = 'may have mixed case, but should otherwise match: ';
  const kindOf = (field: string, text: string): FieldErrors => {
    if (text === '') return [];
    return labelled(child(path, field), text, (each) => isDns1035Label(each.toLowerCase()), mixed);
  };
  return [
    ...(plural === '' ? [] : labelled(child(path, 'plural'), plural)),
    ...(singular === '' ? [] : labelled(child(path, 'singular'), singular)),
    ...kindOf('kind', kind),
    ...kindOf('listKind', listKind),
    ...(shortNames ?? []).flatMap((each, at) => labelled(index(child(path, 'shortNames'), at), each)),
    ...(kind !== '' && kind === listKind
      ? [invalidField(child(path, 'listKind'), listKind, 'kind and listKind may not be the same')]
      : []),
    ...(categories ?? []).flatMap((each, at) => labelled(index(child(path, 'categories'), at), each)),
  ];
}

const REVIEW_VERSIONS = ['v1', 'v1beta1'];

function validateConversion({ strategy, webhook }: DeepReadonly<CustomResourceConversion>): FieldErrors {
  const path = 'spec.conversion';
  const errors = oneOf(child(path, 'strategy'), strategy, ['None', 'Webhook']);
  const config = child(path, 'webhookClientConfig');
  const reviews = child(path, 'conversionReviewVersions');
  if (strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook';
    return [
      ...errors,
      ...(webhook?.clientConfig ? [forbiddenField(config, detail)] : []),
      ...((webhook?.conversionReviewVersions ?? []).length > 0 ? [forbiddenField(reviews, detail)] : []),
    ];
  }
  return [
    ...errors,
    ...(webhook?.clientConfig
      ? validateClientConfig(webhook.clientConfig, config)
      : [requiredField(config, 'required when strategy is set to Webhook')]),
    ...validateReviews(webhook?.conversionReviewVersions ?? [], reviews),
  ];
}

function validateReviews(versions: readonly string[], path: string): FieldErrors {
  if (versions.length === 0) return [requiredField(path)];
  const repeated = repeats(versions);
  const errors = versions.flatMap((version, at): FieldErrors => {
    if (repeated.has(at)) return [invalidField(index(path, at), version, 'duplicate version')];
    return isDns1035Label(version).map((message) => invalidField(index(path, at), version, message));
  });
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  const detail = `must include at least one of ${REVIEW_VERSIONS.join(', ')}`;
  return [...errors, invalidLiteral(path, goStrings(versions), detail)];
}

function validateStoredVersions({ spec, status }: Definition): FieldErrors {
  const path = 'status.storedVersions';
  const stored = status?.storedVersions ?? [];
  const versions = spec.versions ?? [];
  if (stored.length === 0)
    return [invalidLiteral(path, goStrings(undefined), 'must have at least one stored version')];
  const names = new Set(versions.map(({ name }) => name));
  const storedNames = new Set(stored);
  return [
    ...versions
      .filter(({ name, storage }) => storage && !storedNames.has(name))
      .map(({ name }) => invalidLiteral(path, goStrings(stored), `must have the storage version ${name}`)),
    ...stored.flatMap((name, at) =>
      names.has(name)
        ? []
        : [
            invalidField(
              index(path, at),
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
            ),
          ],
    ),
  ];
}

function validatePreserve({ spec }: Definition, previous: Definition | undefined): FieldErrors {
  if (previous?.spec.preserveUnknownFields || !spec.preserveUnknownFields) return [];
  return [
    invalidField(
      'spec.preserveUnknownFields',
      true,
      'cannot set to true, set x-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ),
  ];
}
