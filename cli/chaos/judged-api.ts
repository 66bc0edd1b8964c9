import { isRecord } from '../../base/collections/index.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import type { Transport } from '../../runtime/index.ts';

/** Object of a manifest. */
export interface ExampleObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Resource of a kind. */
export interface UpstreamResource {
  readonly path: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

/** API server as the simulated user sees it, without the proxy. */
export interface UpstreamApi {
  /** Returns the resource of a kind; undefined if the kind is not served. */
  resourceOf(apiVersion: string, kind: string): Promise<UpstreamResource | undefined>;
  apply(resource: UpstreamResource, object: ExampleObject): Promise<void>;
  /** Deletes an object. Succeeds if the object does not exist. */
  remove(resource: UpstreamResource, object: ExampleObject): Promise<void>;
  /** Waits until an object is removed, at most 20 s. Finalizers may delay the removal. */
  whenRemoved(resource: UpstreamResource, object: ExampleObject): Promise<void>;
}

const REQUEST_MS = 30_000;
const REMOVED_MS = 20_000;
const AGAIN_MS = 50;
const USER = 'example-user';

export const createUpstreamApi = (transport: Transport, clock: Clock): UpstreamApi => ({
  async resourceOf(apiVersion, kind) {
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const { status, body } = await ask(transport, 'GET', path);
    if (status !== 200 || !isRecord(body) || !Array.isArray(body['resources'])) return undefined;
    const found = body['resources'].find(
      (each: unknown) => isRecord(each) && each['kind'] === kind && !String(each['name']).includes('/'),
    ) as { readonly name: string; readonly namespaced: boolean } | undefined;
    return found && { path, resource: found.name, namespaced: found.namespaced };
  },
  async apply(resource, object) {
    const path = `${pathOf(resource, object)}?fieldManager=${USER}&force=true`;
    const { status, body } = await ask(transport, 'PATCH', path, object);
    if (status >= 300) throw refused('apply', object, body);
  },
  async remove(resource, object) {
    const { status, body } = await ask(transport, 'DELETE', pathOf(resource, object));
    if (status >= 300 && status !== 404) throw refused('delete', object, body);
  },
  async whenRemoved(resource, object) {
    const untilMs = clock.monotonic() + REMOVED_MS;
    while (clock.monotonic() < untilMs) {
      const { status } = await ask(transport, 'GET', pathOf(resource, object));
      if (status === 404) return;
      await sleep(clock, AGAIN_MS);
    }
  },
});

function pathOf({ path, resource, namespaced }: UpstreamResource, { metadata }: ExampleObject): string {
  const within = namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
  return `${path}${within}/${resource}/${metadata.name}`;
}

async function ask(
  transport: Transport,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await transport.send({
    method,
    path,
    headers: {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/apply-patch+yaml' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    headersTimeoutMs: REQUEST_MS,
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  try {
    return { status: response.status, body: JSON.parse(Buffer.concat(chunks).toString()) };
  } catch {
    return { status: response.status, body: undefined };
  }
}

function refused(verb: string, { kind, metadata }: ExampleObject, body: unknown): CodedError<'ERR_MANIFEST'> {
  const message = isRecord(body) ? String(body['message']) : 'without a message';
  return new CodedError('ERR_MANIFEST', `failed to ${verb} ${kind} ${metadata.name}: ${message}`);
}
