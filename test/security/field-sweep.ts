import { type CostServer, type CostlyRequest, REQUEST_MS, send } from './cost.ts';
import { processorMs } from '../processor-time.ts';
import { type FieldCase, collectionPath, filled, nameOf, objectWith, siblingsOf } from './field-cases.ts';
import type { Filling } from './field-values.ts';

/**
 * Sizes of the filled field in bytes. Each is four times the previous one; with the last one, the body has
 * about 3 MiB.
 */
const SIZES: readonly number[] = [180_000, 720_000, 2_880_000];
/**
 * Sizes for fillings other than `distinct` and `invalid`. They suffice to observe growth, and take a fifth of
 * the time.
 */
const SMALLER_SIZES = SIZES.slice(0, 2);
/** Maximum growth of the time from one size to the next. It is linear growth with a tolerance of half. */
const GROWTH = 4 * 1.5;
/** Time in milliseconds below which growth is not tested, because other programs dominate it. */
const FLOOR_MS = 80;

/** Request that exceeded its time limit. */
export interface Finding {
  readonly name: string;
  readonly bytes: number;
  readonly status: number;
  readonly ms: number;
  readonly message: string;
}

/**
 * Returns the time limit for the next size, given the time of the previous size in milliseconds (0 if there
 * is none).
 */
const limitAfter = (previous: number): number =>
  previous === 0 ? REQUEST_MS : Math.min(REQUEST_MS, Math.max(FLOOR_MS, previous * GROWTH));

interface Timed {
  readonly ms: number;
  readonly status: number;
  readonly message: string;
}

/** Returns the minimum processor time of up to four requests. Stops early if a time is below `enough`. */
async function time(server: CostServer, request: CostlyRequest, enough: number): Promise<Timed> {
  let best: Timed | undefined;
  for (let run = 0; run < 4; run += 1) {
    const before = processorMs();
    const { status, message } = await send(server.caller, request);
    const ms = processorMs() - before;
    if (best === undefined || ms < best.ms) best = { ms, status, message };
    if (best.ms < enough) break;
  }
  return best as Timed;
}

/**
 * Sends bodies of growing size. Returns the first one that exceeds the budget or linear growth; undefined if
 * none does.
 */
export async function sweep(
  server: CostServer,
  name: string,
  requestOf: (bytes: number) => CostlyRequest,
  sizes: readonly number[] = SIZES,
): Promise<Finding | undefined> {
  let previous = 0;
  for (const bytes of sizes) {
    const limit = limitAfter(previous);
    const { ms, status, message } = await time(server, requestOf(bytes), limit);
    if (status >= 500 || ms > limit) return { name, bytes, status, ms, message: message.slice(0, 200) };
    previous = Math.max(ms, 10);
  }
  return undefined;
}

const request = (method: string, path: string, body: object): CostlyRequest => ({
  method,
  path: `${path}?dryRun=All`,
  body: JSON.stringify({ apiVersion: undefined, ...body }),
});

/** Creates objects in which one list or map is filled. */
export const sweepCollection = (
  server: CostServer,
  each: FieldCase,
  filling: Filling,
): Promise<Finding | undefined> =>
  sweep(
    server,
    `create ${nameOf(each)}: ${filling}`,
    (bytes) =>
      request(
        'POST',
        collectionPath(each.kind),
        objectWith(each, filled(each.schema, each.path.at(-1) ?? '', filling, bytes)),
      ),
    filling === 'distinct' || filling === 'invalid' ? SIZES : SMALLER_SIZES,
  );

/**
 * Creates objects in which all lists and maps of one struct are filled, which exposes comparisons between
 * fields.
 */
export const sweepTogether = (server: CostServer, each: FieldCase): Promise<Finding | undefined> =>
  sweep(server, `create ${nameOf(each)}: with its neighbours`, (bytes) => {
    const share = bytes / (each.siblings.length + 1);
    const value = filled(each.schema, each.path.at(-1) ?? '', 'distinct', share);
    return request(
      'POST',
      collectionPath(each.kind),
      objectWith(each, value, siblingsOf(each, 'distinct', share)),
    );
  });

/** Changes the first item of a list or map in a stored object. */
export async function sweepUpdate(
  server: CostServer,
  each: FieldCase,
  filling: Filling,
): Promise<Finding | undefined> {
  const path = collectionPath(each.kind);
  const name = (objectWith(each, null) as { metadata?: { name?: string } }).metadata?.name ?? '';
  if (name === '' || !each.kind.verbs.includes('update')) return undefined;
  const isStatus = each.path[0] === 'status';
  const objectOf = (bytes: number, shift: number): object =>
    objectWith(each, rotated(filled(each.schema, each.path.at(-1) ?? '', filling, bytes), shift));
  const makes = async (bytes: number): Promise<boolean> => {
    const body = JSON.stringify(isStatus ? objectWith({ ...each, path: [] }, null) : objectOf(bytes, 0));
    const { status } = await send(server.caller, { method: 'POST', path, body });
    if (status !== 201 || !isStatus) return status === 201;
    const put = { method: 'PUT', path: `${path}/${name}/status`, body: JSON.stringify(objectOf(bytes, 0)) };
    return (await send(server.caller, put)).status === 200;
  };
  const tail = isStatus ? '/status' : '';
  let previous = 0;
  for (const bytes of SMALLER_SIZES) {
    const stored = await makes(bytes);
    try {
      const limit = limitAfter(previous);
      const change = request('PUT', `${path}/${name}${tail}`, objectOf(bytes, 1));
      const { ms, status, message } = await time(server, change, limit);
      if (status >= 500 || ms > limit)
        return {
          name: `update ${nameOf(each)}: ${filling}`,
          bytes,
          status,
          ms,
          message: message.slice(0, 200),
        };
      previous = Math.max(ms, 10);
      if (!stored) return undefined;
    } finally {
      await remove(server, each, `${path}/${name}`);
    }
  }
  return undefined;
}

async function remove(server: CostServer, { kind }: FieldCase, path: string): Promise<void> {
  const options = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 });
  await send(server.caller, { method: 'DELETE', path, body: options });
  if (kind.kind !== 'PersistentVolume' && kind.kind !== 'PersistentVolumeClaim') return;
  const patch = JSON.stringify({ metadata: { finalizers: null } });
  await send(server.caller, {
    method: 'PATCH',
    path,
    body: patch,
    contentType: 'application/merge-patch+json',
  });
}

/** Returns the items of a list in rotated order. */
function rotated(value: unknown, by: number): unknown {
  if (Array.isArray(value)) return [...value.slice(by), ...value.slice(0, by)];
  const entries = Object.entries(value as object);
  return Object.fromEntries(entries.slice(by));
}

/** Prefix, repeated part and mismatching suffix of strings that make a regular expression backtrack. */
const PUMPS: readonly (readonly [string, string, string])[] = [
  ['', 'a', '!'],
  ['', 'a.', '!'],
  ['a', '-', '!'],
  ['', 'a-', ''],
  ['', '/a', '!'],
  ['', '1', '!'],
  ['', '1:', '!'],
  ['', ' ', '!'],
  ['', '%41', '%'],
  ['iqn.2000-01.', 'a.', '!,'],
  ['iqn.2000-01.a', ':a', '!,'],
  ['https://', 'a@', '!'],
  ['', 'a=b,', '!'],
  ['', '{a}', '{'],
];

/** Creates objects with a long string of many forms in one field. */
export async function sweepText(server: CostServer, each: FieldCase): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [start, pump, end] of PUMPS) {
    const found = await sweep(
      server,
      `create ${nameOf(each)}: ${JSON.stringify(start + pump + pump + end)}`,
      (bytes) =>
        request(
          'POST',
          collectionPath(each.kind),
          objectWith(each, start + pump.repeat(Math.floor(bytes / pump.length)) + end),
        ),
      [16_000, 64_000, 1_000_000],
    );
    if (found) findings.push(found);
  }
  return findings;
}
