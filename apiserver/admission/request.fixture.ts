import { pods } from '../../api/groups/index.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../request.ts';

/** Creates a request that creates a pod, with the given changes. */
export const admissionRequest = (over: Partial<AdmissionRequest>): AdmissionRequest => ({
  operation: 'CREATE',
  kind: pods,
  requestKind: { group: '', version: 'v1', kind: 'Pod' },
  namespace: 'ns',
  name: over.object?.metadata?.name ?? 'web',
  subresource: '',
  user: { username: 'alice', groups: ['devs'] },
  dryRun: false,
  object: undefined,
  previous: undefined,
  options: { kind: 'CreateOptions', apiVersion: kubernetesVocabulary.apiVersion('meta', 'v1') },
  warn: () => {},
  annotate: () => {},
  reinvocation: undefined,
  ...over,
});

/** Runs both phases of one plugin, in the registry's order. */
export async function admit<T extends AdmissionRequest['object']>(
  plugin: AdmissionPlugin,
  over: Partial<AdmissionRequest> & { object?: T },
): Promise<T> {
  const request = admissionRequest(over);
  const { signal } = new AbortController();
  if (plugin.operations.includes(request.operation)) {
    await plugin.mutate?.(request, signal);
    await plugin.validate?.(request, signal);
  }
  return request.object as T;
}
