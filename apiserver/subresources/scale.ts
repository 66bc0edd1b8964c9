import {
  type AnyKind,
  type ApiObject,
  type DeepReadonly,
  type Kind,
  type ScaleAccess,
  isVirtualSubresource,
} from '../../api/kinds/index.ts';
import {
  type FieldError,
  MODIFIED,
  type ResourceName,
  badRequest,
  conflict,
  internalError,
  invalid,
  invalidField,
  isConflict,
  notFound,
} from '../../api/status/index.ts';
import type { Scale } from '../../api/types/autoscaling-v1.ts';
import type { LabelSelector } from '../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { writeContext } from '../http/request/options.ts';
import type { VirtualHandler } from '../http/virtual/virtual.ts';
import type { Registry } from '../registry/registry.ts';
import { uidMismatch, upstreamKey } from '../registry/write/uid-precondition.ts';
import { changedContext } from '../registry/write/write-context.ts';
import type { RequestContext } from '../request.ts';
import { selectorQuery } from './selector-query.ts';

/** Object with replicas. */
export interface Scalable extends ApiObject {
  spec?: { replicas?: number; selector?: LabelSelector | Record<string, string> };
  status?: { replicas?: number };
}

/** Returns the `Scale` of an object, with the object's name, uid and resource version. */
function scaleOf(object: DeepReadonly<Scalable>, access = builtInAccess): Scale {
  const {
    name = '',
    namespace = '',
    uid = '',
    resourceVersion = '',
    creationTimestamp,
  } = object.metadata ?? {};
  const { specReplicas: replicas = 0, statusReplicas = 0, selector = '' } = access.read(object);
  return {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: statusReplicas, ...(selector === '' ? {} : { selector }) },
  };
}

/** Access to the replicas of built-in kinds. */
const builtInAccess: ScaleAccess = {
  specPath: '.spec.replicas',
  read: (object) => {
    const { spec, status } = object as DeepReadonly<Scalable>;
    return {
      specReplicas: spec?.replicas ?? 0,
      statusReplicas: status?.replicas,
      selector: selectorQuery(spec?.selector),
    };
  },
  write: (object, replicas) => {
    const scalable = object as Scalable;
    scalable.spec = { ...scalable.spec, replicas };
  },
};

/** Returns the resource that upstream reports as missing in a read of a scale: usually the subresource. */
function unreadName(resource: ResourceName): ResourceName {
  if (resource.resource === 'statefulsets') return resource;
  const group = resource.group === '' ? 'autoscaling' : resource.group;
  return { group, resource: `${resource.resource}/scale` };
}

/**
 * Minimum 32-bit integer. A patch of an object without replicas is applied to this value and must replace it.
 */
const UNSET_REPLICAS = -(2 ** 31);

/** Maximum number of attempts at a write without a resource version. */
const ATTEMPTS = 10;

/**
 * Creates the handler of a kind's `scale` subresource, which reads and writes the replicas of the object
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/registry/apps/deployment/storage/storage.go, `ScaleREST`).
 */
export function createScaleHandler<T extends ApiObject>(
  kind: Kind<T>,
  registry: Registry,
  vocabulary: Vocabulary,
  access: ScaleAccess = builtInAccess,
): VirtualHandler {
  const objects = registry.reader<T>(kind);
  const resource = { group: vocabulary.group(kind.group), resource: kind.plural };
  const typeMeta = { kind: kind.kind, apiVersion: vocabulary.apiVersion(kind.group, kind.version) };

  const readName = access === builtInAccess ? unreadName(resource) : resource;

  async function current(
    namespace: string,
    name: string,
    missing = resource,
  ): Promise<DeepReadonly<Scalable>> {
    const found = (await objects.live(namespace, name)) as DeepReadonly<Scalable> | undefined;
    if (found === undefined) throw notFound(missing, name);
    return found;
  }

  function read(found: DeepReadonly<Scalable>): Scale {
    if (access.read(found).specReplicas === undefined)
      throw internalError(`the spec replicas field ${JSON.stringify(access.specPath)} does not exist`);
    return scaleOf(found, access);
  }

  async function write(
    context: RequestContext,
    wanted: Scale,
    namespace: string,
    name: string,
  ): Promise<Scale> {
    const found = await current(namespace, name);
    const { uid = '', resourceVersion = '' } = wanted.metadata ?? {};
    // The schema of a custom resource validates its replicas.
    if (access === builtInAccess) rejectInvalid(wanted, name, vocabulary);
    if (uid !== '' && uid !== found.metadata?.uid) {
      const key = upstreamKey({ kind: kind as unknown as Kind, name: resource }, namespace, name);
      throw conflict(resource, name, uidMismatch(key, uid, found.metadata?.uid ?? ''));
    }
    if (resourceVersion !== '' && resourceVersion !== found.metadata?.resourceVersion) {
      throw conflict(resource, name, MODIFIED);
    }
    const replicas = wanted.spec?.replicas ?? 0;
    if (access !== builtInAccess && replicas === UNSET_REPLICAS)
      throw badRequest(`the spec replicas field ${JSON.stringify(access.specPath)} cannot be empty`);
    const next = structuredClone(found) as Scalable;
    access.write(next, replicas);
    const admitted = changedContext(writeContext(context, 'UpdateOptions', vocabulary), { isAdmitted: true });
    const written = await registry.of(kind).update(namespace, name, 'scale', next, admitted);
    return scaleOf(written.object as DeepReadonly<Scalable>, access);
  }

  return {
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    subresource: 'scale',
    previous: async (namespace, name) => scaleOf(await current(namespace, name), access),
    async patched(namespace, name) {
      const found = await current(namespace, name);
      const scale = scaleOf(found, access);
      const isUnset = access.read(found).specReplicas === undefined;
      return isUnset ? { ...scale, spec: { replicas: UNSET_REPLICAS } } : scale;
    },
    async handle(context, body, namespace, name) {
      if (context.info.verb === 'get') return read(await current(namespace, name, readName));
      const scale = body as Scale;
      for (let tries = 1; ; tries++)
        try {
          return await write(context, scale, namespace, name);
        } catch (thrown) {
          const isLost = isConflict(thrown) && !scale.metadata?.resourceVersion && !scale.metadata?.uid;
          if (!isLost || tries === ATTEMPTS) throw thrown;
        }
    },
    /** Applies the replicas of the object. Ownership is recorded for this subresource. */
    async apply(context, config, namespace, name) {
      const wanted = config as Scale;
      rejectInvalid(wanted, name, vocabulary);
      const { uid, resourceVersion } = wanted.metadata ?? {};
      const object: ApiObject = {
        metadata: { name, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
      };
      if (wanted.spec?.replicas !== undefined) access.write(object, wanted.spec.replicas);
      const type = 'application/apply-patch+yaml';
      const written = await registry
        .of(kind)
        .patch(
          namespace,
          name,
          'scale',
          type,
          { ...typeMeta, ...object },
          changedContext(writeContext(context, 'PatchOptions', vocabulary, type), { isAdmitted: true }),
        );
      return scaleOf(written.object as DeepReadonly<Scalable>, access);
    },
  };
}

/** Returns a function that returns the handler of a custom kind's `scale`. Each handler is created once. */
export function createCustomScale(
  registry: Registry,
  vocabulary: Vocabulary,
): (kind: AnyKind, subresource: string) => VirtualHandler | undefined {
  const made = new WeakMap<AnyKind, VirtualHandler>();
  return (kind, subresource) => {
    const scale = Object.hasOwn(kind.subresources, subresource) ? kind.subresources[subresource] : undefined;
    if (subresource !== 'scale' || !scale || !isVirtualSubresource(scale) || !scale.scale) return undefined;
    const handler =
      made.get(kind) ??
      createScaleHandler(kind as unknown as Kind<ApiObject>, registry, vocabulary, scale.scale);
    made.set(kind, handler);
    return handler;
  };
}

/** Validates a scale as upstream's `ValidateScale` does. Throws a 422 if it is invalid. */
function rejectInvalid(scale: Scale, name: string, vocabulary: Vocabulary): void {
  const replicas = scale.spec?.replicas ?? 0;
  const errors: FieldError[] = [];
  if (replicas < 0)
    errors.push(invalidField('spec.replicas', replicas, 'must be greater than or equal to 0'));
  if (errors.length > 0)
    throw invalid({ group: vocabulary.group('autoscaling'), kind: 'Scale' }, name, errors);
}
