import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import { conflict, invalid, isConflict, MODIFIED, notFound } from '../../api/status/api-error.ts';
import { type FieldError, invalidField } from '../../api/status/field-errors.ts';
import type { Scale } from '../../api/types/autoscaling-v1.ts';
import type { LabelSelector } from '../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { writeContext } from '../http/options.ts';
import type { VirtualHandler } from '../http/virtual.ts';
import type { Registry } from '../registry/registry.ts';
import type { RequestContext } from '../request.ts';
import { selectorQuery } from './selector-query.ts';

/** What can be scaled. */
export interface Scalable extends ApiObject {
  spec?: { replicas?: number; selector?: LabelSelector | Record<string, string> };
  status?: { replicas?: number };
}

/** The replicas of an object as a `Scale`, with the identity of the object. */
export function scaleOf(object: DeepReadonly<Scalable>): Scale {
  const {
    name = '',
    namespace = '',
    uid = '',
    resourceVersion = '',
    creationTimestamp,
  } = object.metadata ?? {};
  const selector = selectorQuery(object.spec?.selector);
  const replicas = object.spec?.replicas ?? 0;
  return {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: object.status?.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}

/** So often a write is tried again that did not care for versions. */
const ATTEMPTS = 10;

/**
 * Answers `scale` of a kind: a write to it is a write of `spec.replicas` of the object (release 1.24, `ScaleREST`).
 */
export function createScaleHandler<T extends Scalable>(
  kind: Kind<T>,
  registry: Registry,
  vocabulary: Vocabulary,
): VirtualHandler {
  const objects = registry.reader<T>(kind);
  const resource = { group: vocabulary.group(kind.group), resource: kind.plural };

  async function current(namespace: string, name: string): Promise<DeepReadonly<Scalable>> {
    const found = (await objects.live(namespace, name)) as DeepReadonly<Scalable> | undefined;
    if (found === undefined) throw notFound(resource, name);
    return found;
  }

  async function write(
    context: RequestContext,
    wanted: Scale,
    namespace: string,
    name: string,
  ): Promise<Scale> {
    const found = await current(namespace, name);
    const { uid = '', resourceVersion = '' } = wanted.metadata ?? {};
    refuseInvalid(wanted, name, vocabulary);
    if (uid !== '' && uid !== found.metadata?.uid) {
      throw conflict(
        resource,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found.metadata?.uid ?? ''}`,
      );
    }
    if (resourceVersion !== '' && resourceVersion !== found.metadata?.resourceVersion) {
      throw conflict(resource, name, MODIFIED);
    }
    const next = {
      ...structuredClone(found),
      spec: { ...structuredClone(found.spec), replicas: wanted.spec?.replicas ?? 0 },
    };
    const written = await registry
      .of(kind)
      .update(namespace, name, 'scale', next, writeContext(context, 'UpdateOptions', vocabulary));
    return scaleOf(written.object as DeepReadonly<Scalable>);
  }

  return {
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    subresource: 'scale',
    async handle(context, body, namespace, name) {
      if (context.info.verb === 'get') return scaleOf(await current(namespace, name));
      const scale = body as Scale;
      for (let tries = 1; ; tries++)
        try {
          return await write(context, scale, namespace, name);
        } catch (thrown) {
          const isLost = isConflict(thrown) && !scale.metadata?.resourceVersion && !scale.metadata?.uid;
          if (!isLost || tries === ATTEMPTS) throw thrown;
        }
    },
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
