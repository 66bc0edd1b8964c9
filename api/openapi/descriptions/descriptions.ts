import type { Descriptions } from './texts.ts';
import { EXTENSION_PREFIXES } from '../../vocabulary/vocabulary.ts';
import type { Field, StructSchema } from '../../schema/schema.ts';
import { admissionregistration } from './admissionregistration.ts';
import { apiextensions } from './apiextensions.ts';
import { apiregistration } from './apiregistration.ts';
import { apps } from './apps.ts';
import { authentication } from './authentication.ts';
import { authorization } from './authorization.ts';
import { autoscaling } from './autoscaling.ts';
import { batch } from './batch.ts';
import { certificates } from './certificates.ts';
import { coordination } from './coordination.ts';
import { coreConnect } from './core-connect.ts';
import { coreContainer } from './core-container.ts';
import { coreNode } from './core-node.ts';
import { corePersistentVolume } from './core-persistent-volume.ts';
import { corePod } from './core-pod.ts';
import { coreService } from './core-service.ts';
import { coreVolume } from './core-volume.ts';
import { core } from './core.ts';
import { discovery } from './discovery.ts';
import { events } from './events.ts';
import { flowcontrol } from './flowcontrol.ts';
import { metaDiscovery, pkg } from './meta-discovery.ts';
import { meta } from './meta.ts';
import { networking } from './networking.ts';
import { node } from './node.ts';
import { policy } from './policy.ts';
import { rbac } from './rbac.ts';
import { scheduling } from './scheduling.ts';
import { OBJECT } from './shared.ts';
import { storage } from './storage.ts';

/**
 * Descriptions by group. Functions let the engine skip the strings at load time, because most servers never
 * receive a request for a document.
 */
export const descriptionGroups: Readonly<Record<string, () => Descriptions>> = {
  admissionregistration,
  apiextensions,
  apiregistration,
  apps,
  authentication,
  authorization,
  autoscaling,
  batch,
  certificates,
  coordination,
  core: () => ({
    ...core(),
    ...coreConnect(),
    ...coreContainer(),
    ...coreNode(),
    ...corePersistentVolume(),
    ...corePod(),
    ...coreService(),
    ...coreVolume(),
  }),
  discovery,
  events,
  flowcontrol,
  meta: () => ({ ...meta(), ...metaDiscovery() }),
  networking,
  node,
  pkg,
  policy,
  rbac,
  scheduling,
  storage,
};

/** Lookup of the descriptions of types and fields; undefined if there is none. */
export interface Describer {
  type(schema: StructSchema): string | undefined;
  field(schema: StructSchema, name: string): string | undefined;
}

/**
 * Creates a describer. It caches the descriptions that it has returned, so it should not outlive the creation
 * of one document.
 */
export function createDescriber(): Describer {
  const groups = new Map<string, Descriptions>();
  const textsOf = ({ name, root }: StructSchema): Descriptions[string] | undefined => {
    const [type = '', , group = ''] = name.split('.').reverse();
    // A custom resource has its own descriptions, even if its kind has the name of a built-in kind.
    if (root !== undefined || !Object.hasOwn(descriptionGroups, group)) return undefined;
    const known = groups.get(group) ?? descriptionGroups[group]?.() ?? {};
    groups.set(group, known);
    return known[type];
  };
  return {
    type: (schema) => textsOf(schema)?.[''],
    field: (schema, name) => {
      const texts = textsOf(schema) ?? {};
      return texts[plainName(name, schema.fields[name])] ?? (isObject(schema) ? ofObject(name) : undefined);
    },
  };
}

const plainName = (name: string, field: Field | undefined): string => {
  const product = field?.options.product;
  return product === undefined ? name : name.slice(EXTENSION_PREFIXES[product].length);
};

/**
 * True for the type of a whole object. Such a type has no protobuf number for its `kind`, because the
 * protobuf envelope contains it.
 */
const isObject = ({ fields }: StructSchema): boolean => fields['kind']?.number === 0;

const ofObject = (name: string): string | undefined =>
  Object.hasOwn(OBJECT, name) ? OBJECT[name as keyof typeof OBJECT] : undefined;
