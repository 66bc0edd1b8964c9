import { namespaces as namespaceKind } from '../../api/groups/core-v1.ts';
import { ApiError, isAlreadyExists } from '../../api/status/index.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Cancellation } from '../../base/async/index.ts';
import { ownWrite } from '../registry/write/own-requests.ts';
import type { ObjectReader, Registry } from '../registry/registry.ts';
import type { AdmissionPlugin } from '../request.ts';
import { refusal } from './refusal.ts';

/** Creates the missing namespace of a new object. Not in a dry run, which later plugins refuse. */
export function createNamespaceAutoProvision(options: {
  readonly namespaces: ObjectReader<Namespace>;
  readonly vocabulary: Vocabulary;
  readonly registry: Registry;
}): AdmissionPlugin {
  const { namespaces, vocabulary, registry } = options;
  /** Written as the server's own user: the requester may lack the right to create namespaces. */
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
        throw thrown instanceof ApiError ? refusal(request, vocabulary, thrown.message) : thrown;
      }
    },
  };
}
