import { processorMs } from '../processor-time.ts';
import { expect } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { AssemblyOptions } from '../../apiserver/assembly/api-server.ts';
import { parseTokenFile } from '../../apiserver/auth/token-file.ts';
import {
  type InMemoryCaller,
  type InMemoryResponse,
  createInMemoryCaller,
} from '../../apiserver/http/in-memory.ts';
import { createWorld } from '../world/world.ts';

// Measures the event-loop time of one request. It is processor time and not wall time, and the minimum of
// several runs, because other programs share the machine.

/** Limit of the main thread's processor time for one request, in milliseconds. */
export const REQUEST_MS = 250;
/** Limit of the processor time between two turns of the event loop, in milliseconds. */
export const SLICE_MS = 20;

/** Request whose cost is measured. */
export interface CostlyRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
  /** Content type; default JSON. */
  readonly contentType?: string;
  readonly accept?: string;
  /** User of the request; default `alice`, who has all permissions and is in no group. */
  readonly user?: 'alice' | 'root' | 'node';
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Number of events after which a watch is ended. */
  readonly events?: number;
}

/** Measured cost of a request, and its response. */
export interface Cost {
  /** Processor time of the serving thread, in milliseconds. */
  readonly cpuMs: number;
  /** Longest processor time between two turns of the event loop, in milliseconds. */
  readonly longestSliceMs: number;
  readonly status: number;
  /** Message of a `Status` response, else ''. */
  readonly message: string;
  readonly answerBytes: number;
}

/** Limits of both costs. */
export type CostLimits = Pick<Cost, 'cpuMs' | 'longestSliceMs'>;

/** Measurement error of `longestSliceMs`, in milliseconds. */
const NOISE_MS = 15;

/** Returns the limits for a machine that is slower than the reference machine by a factor. */
export const limitsAt = (slow: number): CostLimits => ({
  cpuMs: REQUEST_MS * slow,
  longestSliceMs: SLICE_MS * slow + NOISE_MS,
});

/** Fails if a request exceeds the limits. */
export function expectWithin({ cpuMs, longestSliceMs }: CostLimits, limits: CostLimits): void {
  expect(cpuMs).toBeLessThan(limits.cpuMs);
  expect(longestSliceMs).toBeLessThan(limits.longestSliceMs);
}

/** Server whose requests are measured. */
export interface CostServer {
  readonly caller: InMemoryCaller;
  /** Sends a request that must succeed. */
  prepare(method: string, path: string, body: object): Promise<void>;
  /** Waits on the virtual clock until `check` is true. */
  eventually(check: () => Promise<boolean>): Promise<void>;
  stop(): Promise<void>;
}

const TOKENS =
  'root-token,root,1,system:masters\nalice-token,alice,2\nnode-token,system:node:n,3,system:nodes\n';

/**
 * Starts an API server in this process, without controllers. User `alice` has all permissions.
 * @param assembly options that differ from the defaults
 */
export async function startCostServer(assembly: Partial<AssemblyOptions> = {}): Promise<CostServer> {
  const world = await createWorld({
    vocabulary: kubernetesVocabulary,
    controllers: [],
    assembly: { tokenFile: parseTokenFile(TOKENS), authorization: { modes: ['RBAC'] }, ...assembly },
  });
  const caller = createInMemoryCaller(world.server.handler);
  const prepare: CostServer['prepare'] = async (method, path, body) => {
    const { status, message } = await send(caller, {
      method,
      path,
      body: JSON.stringify(body),
      user: 'root',
    });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${message}`);
  };
  await prepare('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'alice' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  });
  await prepare('POST', '/api/v1/namespaces', { metadata: { name: 'default' } }).catch(() => {});
  // Pods need this ServiceAccount, which a controller would create.
  await prepare('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  const eventually: CostServer['eventually'] = async (check) => void (await world.eventually(check));
  return { caller, prepare, eventually, stop: () => world.stop() };
}

/** Maximum number of runs of a request before it counts as slow. */
const MOST_RUNS = 8;

/**
 * Sends a request repeatedly and returns the minimum of each cost, because garbage collection or another
 * program can disturb a single run. The request must change nothing (`dryRun=All`) or have the same effect
 * each time.
 * @param runs repetitions with and without observation of the event loop; default 3 each
 * @param limits costs that cause up to 8 runs while they are exceeded; default none
 */
export async function measure(
  server: CostServer,
  request: CostlyRequest,
  runs = 3,
  limits: CostLimits = { cpuMs: Number.POSITIVE_INFINITY, longestSliceMs: Number.POSITIVE_INFINITY },
): Promise<Cost> {
  let cpuMs = Number.POSITIVE_INFINITY;
  let longestSliceMs = Number.POSITIVE_INFINITY;
  let answer = await send(server.caller, request);
  const isOver = (): boolean => cpuMs >= limits.cpuMs || longestSliceMs >= limits.longestSliceMs;
  for (let run = 0; run < runs || (run < MOST_RUNS && isOver()); run++) {
    const before = processorMs();
    answer = await send(server.caller, request);
    cpuMs = Math.min(cpuMs, processorMs() - before);
    const turns = watchTurns();
    await send(server.caller, request);
    longestSliceMs = Math.min(longestSliceMs, await turns.longestMs());
  }
  return { ...answer, cpuMs, longestSliceMs };
}

/** Sends a request and reads its response or its first events. */
export async function send(
  caller: InMemoryCaller,
  {
    method,
    path,
    body,
    contentType = 'application/json',
    accept,
    user = 'alice',
    headers,
    events,
  }: CostlyRequest,
): Promise<Pick<Cost, 'status' | 'message' | 'answerBytes'>> {
  const response = await caller.request(method, path, {
    headers: {
      authorization: `Bearer ${user}-token`,
      'content-type': contentType,
      'user-agent': 'cost',
      ...(accept === undefined ? {} : { accept }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const bytes = events === undefined ? await response.bytes() : await firstEvents(response, events);
  return { status: response.status, message: messageOf(response.status, bytes), answerBytes: bytes.length };
}

/** Reads events by counting line feeds, because parsing would add the cost of the client. */
async function firstEvents(response: InMemoryResponse, count: number): Promise<Buffer> {
  let left = count;
  for await (const chunk of response.chunks()) {
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) left -= 1;
    if (left <= 0) break;
  }
  return Buffer.alloc(0);
}

function messageOf(status: number, bytes: Buffer): string {
  if (status < 400) return '';
  try {
    const { message } = JSON.parse(bytes.toString('utf8')) as { readonly message?: string };
    return message ?? '';
  } catch {
    return bytes.subarray(0, 200).toString('utf8');
  }
}

/** Observer of event-loop turns. */
interface Turns {
  /** Stops observing. */
  longestMs(): Promise<number>;
}

function watchTurns(): Turns {
  let longest = 0;
  let last = processorMs();
  let ended = false;
  const turn = (): void => {
    const now = processorMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!ended) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    async longestMs() {
      await new Promise((resolve) => setImmediate(resolve));
      ended = true;
      return longest;
    },
  };
}
