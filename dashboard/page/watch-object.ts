import type { ResourceName } from '../model/view.ts';
import { ResponseError, send, linesOf, wait } from './access.ts';
import { collectionPath, splitName } from './api.ts';

const RETRY_MS = 1_000;

/**
 * Watches an object. Calls `changed` immediately if the object exists, and at each change. Ends if the server
 * rejects the watch.
 */
export async function watchObject(
  resource: ResourceName,
  object: string,
  metaGroup: string,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  const { namespace, name } = splitName(object);
  const query = new URLSearchParams({ watch: 'true', fieldSelector: `metadata.name=${name}` });
  const path = `${collectionPath(resource, namespace)}?${query}`;
  const accept = `application/json;as=PartialObjectMetadata;v=v1;g=${metaGroup}`;
  while (!signal.aborted) {
    try {
      for await (const line of linesOf(await send(path, { accept, signal }))) if (line !== '') changed();
    } catch (thrown) {
      if (signal.aborted || (thrown instanceof ResponseError && thrown.status < 429)) return;
    }
    await wait(RETRY_MS);
  }
}
