import { readJson, writeJson } from '../../api/schema/index.ts';
import { parseRequestInfo } from '../../apiserver/http/index.ts';
import type { HttpHandler, HttpPeer } from '../../base/http/index.ts';
import { type TransportRequest, createInMemoryTransport } from '../../runtime/index.ts';
import type { Serving } from './parties.ts';

const HEADERS = { accept: 'application/json' };

/**
 * Changes the object of a request just before the request arrives, or deletes and recreates it with a new
 * uid.
 *
 * Does nothing if that is impossible, for example because the object was deleted or has finalizers.
 */
export async function interfere(
  how: 'touched' | 'recreated',
  request: TransportRequest,
  handler: HttpHandler,
  peer: HttpPeer,
  onServing: (serving: Omit<Serving, 'party' | 'sentMs' | 'abandoned'> | undefined) => void,
): Promise<void> {
  const transport = createInMemoryTransport({ handler, peer });
  const path = objectPath(request);
  const send = async (method: string, to: string, body?: string, type = 'application/json') => {
    onServing({ info: parseRequestInfo(method, to) });
    const headers = body === undefined ? HEADERS : { ...HEADERS, 'content-type': type };
    const options = body === undefined ? {} : { body };
    const response = await transport.send({
      method,
      path: to,
      headers,
      headersTimeoutMs: 30_000,
      ...options,
    });
    let text = '';
    for await (const chunk of response.body) text += Buffer.from(chunk).toString();
    onServing(undefined);
    return { status: response.status, text };
  };
  if (how === 'touched') {
    const patch = JSON.stringify({ metadata: { annotations: { 'chaos/touched': 'yes' } } });
    await send('PATCH', path, patch, 'application/merge-patch+json');
    return;
  }
  const { status, text } = await send('GET', path);
  if (status !== 200) return;
  await send('DELETE', path);
  await send('POST', path.slice(0, path.lastIndexOf('/')), writeJson(asNew(readJson(text) as Stored)));
}

interface Stored {
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Returns the body with which a client would recreate the object from its manifest. */
const asNew = (stored: Stored): unknown => {
  const { metadata, ...rest } = stored;
  const { name, namespace, labels, annotations, ownerReferences } = metadata;
  return { ...rest, status: undefined, metadata: { name, namespace, labels, annotations, ownerReferences } };
};

/** Returns the path of the object of a request, without subresource and query. */
function objectPath({ method, path }: TransportRequest): string {
  const { subresource } = parseRequestInfo(method, path);
  const bare = path.split('?', 1)[0] ?? path;
  return subresource === '' ? bare : bare.slice(0, bare.lastIndexOf('/'));
}
