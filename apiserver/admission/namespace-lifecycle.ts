import type { AnyKind, DeepReadonly } from '../../api/kinds/index.ts';
import { ApiError, notFound } from '../../api/status/index.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { whenThere } from '../../base/async/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../request.ts';
import { coreKind, rejection } from './rejection.ts';

/**
 * Time in milliseconds after this server deleted a namespace during which the namespace is read from the
 * store instead of the cache.
 */
const LIVE_AFTER_DELETE_MS = 30_000;

/**
 * Adds the cause from which clients recognize that a namespace is terminating, and not that a permission is
 * missing.
 */
const withCause = (error: ApiError, namespace: string): ApiError =>
  new ApiError({
    ...error.status,
    details: {
      ...error.status.details,
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  });

const isNamespaces = coreKind('namespaces');

/** True for access reviews, whose response must not reveal whether a namespace exists. */
const isAccessReview = ({ group, plural }: AnyKind): boolean =>
  group === 'authorization' && plural === 'localsubjectaccessreviews';

/**
 * Creates a plugin that rejects new objects in missing or terminating namespaces, and the deletion of system
 * namespaces.
 */
export function createNamespaceLifecycle(options: {
  readonly namespaces: ObjectReader<Namespace>;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
}): AdmissionPlugin {
  const { namespaces, vocabulary, clock } = options;
  const immortal = new Set(['default', vocabulary.namespaces.system, vocabulary.namespaces.public]);
  const deletedUntilMs = new Map<string, number>();

  function noteDeletion(name: string): void {
    const nowMs = clock.monotonic();
    for (const [each, untilMs] of deletedUntilMs) if (untilMs <= nowMs) deletedUntilMs.delete(each);
    deletedUntilMs.set(name, nowMs + LIVE_AFTER_DELETE_MS);
  }

  const find = (name: string) => {
    const mustBeLive = (deletedUntilMs.get(name) ?? 0) > clock.monotonic();
    return (mustBeLive ? undefined : namespaces.get('', name)) ?? namespaces.live('', name);
  };

  const check = (request: AdmissionRequest, found: DeepReadonly<Namespace> | undefined): void => {
    const { namespace, operation } = request;
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
    if (operation !== 'CREATE' || found.status?.phase !== 'Terminating') return;
    throw withCause(
      rejection(
        request,
        vocabulary,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
      ),
      namespace,
    );
  };

  return {
    name: 'NamespaceLifecycle',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    concerns: (kind) => (kind.namespaced ? !isAccessReview(kind) : isNamespaces(kind)),
    mutates: () => false,
    // Runs in the mutating phase, so that no later plugin processes an object in a missing namespace.
    mutate(request) {
      const { kind, name, namespace, operation, subresource } = request;
      if (isNamespaces(kind)) {
        if (operation !== 'DELETE' || subresource !== '') return;
        if (immortal.has(name)) throw rejection(request, vocabulary, 'this namespace may not be deleted');
        noteDeletion(name);
        return;
      }
      if (namespace === '' || operation === 'DELETE') return;
      return whenThere(find(namespace), (found) => check(request, found));
    },
  };
}
