import { notFound } from '../../api/status/index.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin } from '../request.ts';
import { cachedOrLive } from './cached-or-live.ts';
import { isCore } from './rejection.ts';

/**
 * Creates a plugin that rejects all writes, including deletions, in a namespace that does not exist.
 * `NamespaceLifecycle` includes this check.
 */
export function createNamespaceExists(options: {
  readonly namespaces: ObjectReader<Namespace>;
}): AdmissionPlugin {
  const { namespaces } = options;
  return {
    name: 'NamespaceExists',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    concerns: ({ namespaced }) => namespaced,
    async validate(request) {
      const { namespace } = request;
      if (namespace === '' || isCore(request, 'namespaces')) return;
      if (await cachedOrLive(namespaces, '', namespace)) return;
      throw notFound({ group: '', resource: 'namespaces' }, namespace);
    },
  };
}
