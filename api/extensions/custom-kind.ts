import { type Deprecation, type Strategy, type Subresource, defineKind } from '../kinds/kind.ts';
import { CHANGE } from '../kinds/policy.ts';
import type { AnyKind } from '../kinds/scheme.ts';
import { type StructSchema, ref, struct, value } from '../schema/schema.ts';
import { type Structural, structuralOf } from '../structural/structural.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '../types/apiextensions-v1.ts';
import { ObjectMeta } from '../types/meta-v1.ts';
import { typeMeta } from '../types/type-meta.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { CustomObject } from './custom-object.ts';
import { compareVersions } from './version-order.ts';
import { customColumns } from './custom-columns.ts';
import { customScale } from './custom-scale.ts';
import { customStatus, customStrategy } from './custom-strategy.ts';

/**
 * The kinds of a CustomResourceDefinition: one kind for each served version, and the kind in which objects
 * are stored.
 */
export interface CustomKinds {
  /** The kind at the storage version. It is also in `served` if the storage version is served. */
  readonly stored: AnyKind;
  readonly served: readonly AnyKind[];
}

/** Schema of a version without a structural schema: it preserves all fields. */
const UNKNOWN: Structural = structuralOf({ type: 'object' });
const KEEPS_ALL: Structural = { ...UNKNOWN, preserveUnknown: true };

/**
 * Returns all kinds of a CustomResourceDefinition. Versions other than the stored version are views of that
 * version. If a webhook converts the versions, they have no `storage`, and the caller converts their objects.
 * `crd` must be valid. Its requested `names` are used until names are accepted.
 */
export function customKinds(crd: CustomResourceDefinition, vocabulary: Vocabulary): CustomKinds {
  const { versions = [], conversion } = crd.spec;
  const storage = (versions ?? []).find((version) => version.storage);
  if (storage === undefined)
    throw new TypeError(
      `definition ${crd.metadata?.name ?? ''} has no stored version: one version must have storage: true`,
    );
  const stored = customKind(crd, storage, vocabulary);
  const served = (versions ?? [])
    .filter((version) => version.served)
    .map((version) => {
      if (version === storage) return stored;
      const kind = customKind(crd, version, vocabulary);
      return conversion?.strategy === 'Webhook' ? kind : asView(kind, stored, vocabulary);
    });
  return { stored, served };
}

/**
 * Returns a kind as a view of the stored kind. Objects differ only in the version in `apiVersion`, and
 * reading drops the fields that the kind does not know.
 */
function asView(kind: AnyKind, stored: AnyKind, vocabulary: Vocabulary): AnyKind {
  const at = (version: AnyKind) => (object: object) => ({
    ...structuredClone(object),
    apiVersion: vocabulary.apiVersion(version.group, version.version),
  });
  return { ...kind, storage: { kind: stored, toStorage: at(stored), fromStorage: at(kind) } };
}

/**
 * Returns the kind of one version without a conversion: the stored version, or a version that a webhook
 * converts.
 */
export function customKind(
  crd: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  vocabulary: Vocabulary,
): AnyKind {
  const { group, scope } = crd.spec;
  const accepted = crd.status?.acceptedNames;
  const names = accepted?.plural ? accepted : crd.spec.names;
  const root = rootOf(crd, version);
  const subresources = version.subresources ?? {};
  const hasStatus = subresources.status !== undefined;
  const plain = vocabulary.plainGroup(group);
  const schema = customSchema(group, version.name, names.kind, root);
  const strategy = customStrategy(schema, root, hasStatus, subresources.scale);
  const kind = defineKind<CustomObject>({
    group: plain,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind || `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? '',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    schema,
    generation: true,
    anyFinalizer: true,
    strategy,
    policy: { unconditionalUpdate: false, rechecks: CHANGE },
    subresources: subresourcesOf(version, root, strategy),
    columns: customColumns(version.additionalPrinterColumns ?? []),
    ...deprecationOf(crd.spec, version),
  });
  return kind as unknown as AnyKind;
}

function rootOf(crd: CustomResourceDefinition, version: CustomResourceDefinitionVersion): Structural {
  const schema = version.schema?.openAPIV3Schema;
  if (schema === undefined) return KEEPS_ALL;
  const root = structuralOf(schema);
  return crd.spec.preserveUnknownFields ? { ...root, preserveUnknown: true } : root;
}

/**
 * Returns the schema of a custom resource. It is named as upstream names it, such as
 * `com.example.stable.v1.CronTab`.
 */
function customSchema(group: string, version: string, kind: string, root: Structural): StructSchema {
  const fields = { ...typeMeta, metadata: value(0, ref<ObjectMeta>(ObjectMeta)) };
  const reversed = group.split('.').reverse().join('.');
  return { ...struct(`${reversed}.${version}.${kind}`, fields), root };
}

function subresourcesOf(
  { subresources }: CustomResourceDefinitionVersion,
  root: Structural,
  strategy: Strategy<CustomObject>,
): { [name: string]: Subresource<CustomObject> } {
  return {
    ...(subresources?.status ? { status: customStatus(root, subresources.scale) } : {}),
    ...(subresources?.scale ? { scale: customScale(subresources.scale, strategy) } : {}),
  };
}

/**
 * Returns the deprecation of a version. If the CustomResourceDefinition declares no warning, the warning is
 * upstream's, which names the highest version that is not deprecated.
 */
function deprecationOf(
  { group, versions, names }: CustomResourceDefinition['spec'],
  { name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion,
): { deprecated?: Deprecation } {
  if (!deprecated) return {};
  const [better] = (versions ?? [])
    .filter((each) => each.served && !each.deprecated && compareVersions(name, each.name) > 0)
    .map((each) => each.name)
    .sort(compareVersions);
  const use = better === undefined ? '' : `; use ${group}/${better} ${names.kind}`;
  const warning = deprecationWarning ?? `${group}/${name} ${names.kind} is deprecated${use}`;
  return { deprecated: { since: '', warning } };
}
