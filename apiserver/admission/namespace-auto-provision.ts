import { namespaces as namespaceKind } from '../../api/groups/core-v1.ts';
import { ApiError, isAlreadyExists } from '../../api/status/index.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Cancellation } from '../../base/async/index.ts';
import { ownWrite } from '../registry/write/own-requests.ts';
import type { ObjectReader, Registry } from '../registry/registry.ts';
import type { AdmissionPlugin } from '../request.ts';
import { rejection } from './rejection.ts';

/**
 * Creates a plugin that creates the missing namespace of a new object. It creates no namespace in a dry run;
 * later plugins then reject the object.
 */
export function createNamespaceAutoProvision(options: {
  readonly namespaces: ObjectReader<Namespace>;
  readonly vocabulary: Vocabulary;
  readonly registry: Registry;
}): AdmissionPlugin {
  const { namespaces, vocabulary, registry } = options;
  /** Creates a namespace as the server's own user, as the client may lack permission to create namespaces. */
  const createNamespace = (name: string, signal: Cancellation) =>
    registry.of(namespaceKind).create('', { metadata: { name } }, ownWrite(signal));
  return {
    name: 'NamespaceAutoProvision',
    operations: ['CREATE'],
    concerns: ({ namespaced }) => namespaced,
    mutates: () => false,
    async mutate(request, signal) {
      const { namespace, dryRun } = request;
      if (dryRun || namespace === '' || namespaces.get('', namespace) !== undefined) return;
      try {
        await createNamespace(namespace, signal);
      } catch (thrown) {
        if (isAlreadyExists(thrown)) return;
        throw thrown instanceof ApiError ? rejection(request, vocabulary, thrown.message) : thrown;
      }
    },
  };
}
