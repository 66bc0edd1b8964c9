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
import { writeContext } from '../http/options.ts';
import type { VirtualHandler } from '../http/virtual.ts';
import type { Registry } from '../registry/registry.ts';
import { uidMismatch, upstreamKey } from '../registry/write/uid-precondition.ts';
import { changedContext } from '../registry/write/write-context.ts';
import type { RequestContext } from '../request.ts';
import { selectorQuery } from './selector-query.ts';

/** What can be scaled. */
export interface Scalable extends ApiObject {
  spec?: { replicas?: number; selector?: LabelSelector | Record<string, string> };
  status?: { replicas?: number };
}

/** The replicas of an object as a `Scale`, with the identity of the object. */
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

/** Of built-in kinds. */
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

/** What upstream says is not there when the scale of a built-in kind is read: the subresource, mostly. */
function unreadName(resource: ResourceName): ResourceName {
  if (resource.resource === 'statefulsets') return resource;
  const group = resource.group === '' ? 'autoscaling' : resource.group;
  return { group, resource: `${resource.resource}/scale` };
}

/** The least of 32 bits: what a patch starts from where there are no replicas, and must not leave there. */
const UNSET_REPLICAS = -(2 ** 31);

/** So often a write is tried again that did not care for versions. */
const ATTEMPTS = 10;

/**
 * Answers `scale` of a kind: a write to it is a write of the object's replicas, wherever these lie (release 1.24,
 * `ScaleREST`).
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
    // What is wrong with the replicas of a custom resource is its own schema's to say.
    if (access === builtInAccess) refuseInvalid(wanted, name, vocabulary);
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
    /** Applied are the replicas of the object, under this subresource's name. */
    async apply(context, config, namespace, name) {
      const wanted = config as Scale;
      refuseInvalid(wanted, name, vocabulary);
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

/** Answers `scale` of kinds that come and go; made once for each. */
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

/** Release 1.24, `ValidateScale`, and the name that must be the path's. */
function refuseInvalid(scale: Scale, name: string, vocabulary: Vocabulary): void {
  const replicas = scale.spec?.replicas ?? 0;
  const errors: FieldError[] = [];
  if (replicas < 0)
    errors.push(invalidField('spec.replicas', replicas, 'must be greater than or equal to 0'));
  if (errors.length > 0)
    throw invalid({ group: vocabulary.group('autoscaling'), kind: 'Scale' }, name, errors);
}
