import { createScheme } from '../../api/kinds/scheme.ts';
import { builtinKinds } from '../../api/groups/index.ts';
import { ApiError } from '../../api/status/api-error.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { type Client, ClientError } from '../../runtime/index.ts';
import { type World, createWorld } from '../../test/world/world.ts';
import type { ApiAnswer, ApiRequest } from './api-request.ts';
import {
  type ModelServer,
  type ModelStore,
  type StoreCommit,
  createModelServer,
  emptyStore,
} from './model-store.ts';
import { createRecordingClient } from './recording-client.ts';
import { UnsupportedRequestError } from './unsupported-request.ts';

/** Prefix of generated names. The server generates random suffixes, the model numbers. */
export const GENERATED = 'made-';

/**
 * Returns a function that replaces names which only one server chooses by the order of their first appearance:
 * uids, resource versions and generated names. Values of two servers that behave equally become equal. The result
 * of a trial, which is a dry run, names nothing for later.
 */
export function createNaming(): (value: unknown, isTrial?: boolean) => unknown {
  let uids = new Map<string, string>();
  let versions = new Map<string, Map<string, string>>();
  const generated = new Map<string, string>();
  const numbered = (known: Map<string, string>, text: string, word: string): string => {
    const name = known.get(text) ?? `${word} ${known.size}`;
    known.set(text, name);
    return name;
  };
  const versionOf = (uid: string, version: string): string => {
    let known = versions.get(uid);
    if (!known) versions.set(uid, (known = new Map()));
    return numbered(known, version, 'version');
  };
  const renamed = (key: string, value: unknown, uid: string): unknown => {
    if (typeof value !== 'string') return walk(value);
    if (key === 'uid' || uids.has(value)) return numbered(uids, value, 'uid');
    if (key === 'resourceVersion') return versionOf(uid, value);
    return value.startsWith(GENERATED) && !value.endsWith('-') ? numbered(generated, value, 'name') : value;
  };
  /** Names the uids of a value first, because labels may contain them too. */
  const nameUids = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, each] of Object.entries(value))
      if (key === 'uid' && typeof each === 'string') numbered(uids, each, 'uid');
      else nameUids(each);
  };
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const { managedFields: _, ...fields } = value as Record<string, unknown>;
    const uid = String(fields['uid'] ?? '');
    return Object.fromEntries(
      Object.entries(fields)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => [key, renamed(key, each, uid)]),
    );
  };
  return (value, isTrial = false) => {
    const known = [new Map(uids), new Map(versions)] as const;
    nameUids(value);
    const result = walk(value);
    if (isTrial) [uids, versions] = known;
    return result;
  };
}

/** One of the two servers: a client of it, and a naming of its answers. */
export interface Twin {
  readonly client: Client;
  readonly named: ReturnType<typeof createNaming>;
}

export interface ModelTwin extends Twin {
  readonly server: ModelServer;
  readonly store: () => ModelStore;
  /** Commits since the last call. */
  readonly commits: () => readonly StoreCommit[];
}

/** Creates a model server that is reached through the explorer's client. `nowMs` returns its time. */
export function createModelTwin(nowMs: () => number): ModelTwin {
  const scheme = createScheme(orchVocabulary, builtinKinds);
  const server = createModelServer({ scheme });
  let store: ModelStore = emptyStore;
  let commits: readonly StoreCommit[] = [];
  const ask = async (request: ApiRequest): Promise<ApiAnswer> => {
    const done = server.handle(store, JSON.parse(JSON.stringify(request)) as ApiRequest, nowMs());
    store = done.store;
    commits = [...commits, ...done.commits];
    return done.answer;
  };
  return {
    client: createRecordingClient({ scheme, ask, serverClock: { now: nowMs }, conditions: true }),
    named: createNaming(),
    server,
    store: () => store,
    commits() {
      const taken = commits;
      commits = [];
      return taken;
    },
  };
}

/** Admission plugins that set fields which the model leaves to its workloads. */
const UNMODELLED = ['DefaultTolerationSeconds', 'LimitRanger', 'Priority', 'ResourceQuota', 'ServiceAccount'];

/** Creates a real API server, without the admission plugins that the model does not have. */
export const createRealServer = (): Promise<World> =>
  createWorld({
    controllers: [],
    assembly: { admission: { enable: [], disable: UNMODELLED, configuration: new Map() } },
  });

/** Result of a call as comparable JSON: what it returned, or the error it threw. */
export async function outcomeOf(twin: Twin, call: () => Promise<unknown>, isTrial = false): Promise<unknown> {
  try {
    const found = await call();
    const result: unknown = found === undefined ? 'nothing' : JSON.parse(JSON.stringify(found));
    return { returned: twin.named(result, isTrial) };
  } catch (thrown) {
    if (thrown instanceof UnsupportedRequestError) return { unsupported: thrown.message };
    if (thrown instanceof ClientError) return { failed: thrown.code };
    if (!(thrown instanceof ApiError)) throw thrown;
    // The causes are not compared: the model reports fewer of an update with several errors.
    const { code, reason } = thrown.status;
    return { refused: { code, reason } };
  }
}
