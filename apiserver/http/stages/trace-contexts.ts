import { isRecord } from '../../../base/collections/index.ts';
import { whenThere } from '../../../base/async/index.ts';
import type { HttpResponse } from '../../../base/http/index.ts';
import type { RequestContext } from '../../request.ts';
import type { Stage } from '../pipeline.ts';

/** The `traceparent` headers of the last writes, by the resource version that each wrote. */
export interface TraceContexts {
  readonly stage: Stage;
  /** Returns the headers of those versions that were written with one. */
  of(resourceVersions: readonly string[]): Readonly<Record<string, string>>;
}

/** Maximum number of remembered writes. About 200 bytes each. */
const MAX_WRITES = 20_000;
/** Maximum size in bytes of a response that is parsed. */
const MAX_BODY_BYTES = 1_048_576;
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/**
 * Creates a memory of the trace contexts of writes: https://www.w3.org/TR/trace-context/. They are never stored in
 * objects. A write whose response has no object in JSON is not remembered.
 */
export function createTraceContexts(): TraceContexts {
  const contexts = new Map<string, string>();
  const remember = (version: string, header: string): void => {
    contexts.set(version, header);
    if (contexts.size <= MAX_WRITES) return;
    for (const oldest of contexts.keys()) {
      contexts.delete(oldest);
      return;
    }
  };
  return {
    stage: {
      name: 'trace-contexts',
      run(context, next) {
        const header = headerOf(context);
        const response = next(context);
        if (header === undefined) return response;
        return whenThere(response, (answer) => {
          const version = writtenVersion(answer);
          if (version !== undefined) remember(version, header);
          return answer;
        });
      },
    },
    of: (versions) =>
      Object.fromEntries(
        versions.flatMap((version) => {
          const header = contexts.get(version);
          return header === undefined ? [] : [[version, header]];
        }),
      ),
  };
}

function headerOf({ info, http }: RequestContext): string | undefined {
  if (!info.isResourceRequest || !WRITES.has(info.verb) || info.query.has('dryRun')) return undefined;
  const [header, ...more] = http.headers['traceparent'] ?? [];
  return header !== undefined && more.length === 0 && TRACEPARENT.test(header) ? header : undefined;
}

function writtenVersion({ status, body }: HttpResponse): string | undefined {
  if (status < 200 || status > 299 || typeof body === 'function') return undefined;
  const bytes = body instanceof Uint8Array ? body : Buffer.concat(body);
  if (bytes.byteLength > MAX_BODY_BYTES || bytes[0] !== '{'.charCodeAt(0)) return undefined;
  try {
    const object: unknown = JSON.parse(Buffer.from(bytes).toString());
    const metadata = isRecord(object) ? object['metadata'] : undefined;
    const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
    return typeof version === 'string' && version !== '' ? version : undefined;
  } catch {
    return undefined;
  }
}
