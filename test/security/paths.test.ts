import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../apiserver/extensions/extensions.fixture.ts';
import type { Attributes } from '../../apiserver/request.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import { JOURNAL_PATH, PAGE_PATH, createBuiltPictures, createJournalApi } from '../../dashboard/index.ts';
import { createPageFiles } from '../../dashboard/server/page-files.ts';
import { createJournal } from '../../runtime/index.ts';

/** Paths of the documents: one for each mount and each component of the server that parses paths. */
const DOCUMENTS = [
  '/journal/v1',
  '/journal/v1/machines',
  '/journal/v1/export',
  '/journal/v1/controllers',
  '/dashboard/settings.json',
  '/version',
  '/healthz/ping',
  '/apis',
  '/apis/apps/v1',
  '/openapi/v3',
  '/api/v1/namespaces/default/configmaps/c',
  '/api/v1/namespaces/default/secrets/s',
  '/api/v1/nodes/n1/proxy/logs',
];

const DOTS = ['..', '%2e%2e', '.%2E', '%2e.'];
const SLASHES = ['/', '%2f', '%2F', '\\', '%5c'];

/** Yields spellings that start at `from` and that some parser resolves to `to`. */
function* spellings(from: string, to: string): Generator<string> {
  const up = from.split('/').length - 1;
  for (const dots of DOTS)
    for (const slash of SLASHES) {
      yield from + `${slash}${dots}`.repeat(up) + to;
      yield from + `${slash}${dots}`.repeat(up) + to.replaceAll('/', slash);
      yield `${from}/x${slash}${dots}`.concat(`${slash}${dots}`.repeat(up)) + to;
    }
  yield `${from}#${to}`;
  yield `${from}?${to}`;
  yield `${from};${to}`;
  yield `${from}%00/..${to}`;
  yield `${from}%23/..${to}`;
}

/** Yields different spellings of one path. */
function* variants(path: string): Generator<string> {
  for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1))
    for (const slash of [...SLASHES, '//', '/./', '/%2e/', '/x/../', '/%2f'])
      yield path.slice(0, at) + slash + path.slice(at + 1);
  for (const end of ['/', '//', '/.', '/..', '/%2e', '%2f', '\\', '%00', '%0a', '%20', '#', '%23', ';', '.'])
    yield path + end;
  for (const start of ['/', '/.', '/..', '\\', 'http://localhost', 'x']) yield start + path;
  yield path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  yield path.replace(/[a-z]/, (letter) => `%25${letter.charCodeAt(0).toString(16)}`);
  yield path.toUpperCase();
  yield path.slice(1);
}

describe('a path', () => {
  let started: Awaited<ReturnType<typeof startServer>>;
  const seen: string[] = [];
  const plain = new Map<string, string>();

  const pathOf = (asked: Attributes): string =>
    asked.isResourceRequest
      ? [
          '/api',
          asked.version,
          ...(asked.namespace === '' ? [] : ['namespaces', asked.namespace]),
          asked.resource,
          asked.name,
          ...(asked.subresource === '' ? [] : [asked.subresource]),
        ].join('/')
      : asked.path;

  /** Requests a path. The body is returned as text, because a journal is a sequence of JSON documents. */
  async function get(path: string): Promise<{ status: number; text: string }> {
    const response = await started.caller.request('GET', path);
    return { status: response.status, text: await response.text() };
  }

  beforeAll(async () => {
    const clock = createSimulatedClock(0);
    const journal = createJournal({ clock });
    journal.record({ kind: 'reconcile.started', controller: 'c', key: 'k', reconcileId: 'c-1' });
    const { handler } = createJournalApi({
      journal,
      clock,
      pictures: createBuiltPictures(),
      machines: () => new Map(),
    });
    started = await startServer({
      mounts: [
        { path: JOURNAL_PATH, handler },
        { path: PAGE_PATH, handler: createPageFiles(() => ({ mode: 'live' }) as never) },
      ],
      outbound: createInMemoryOutbound(() => ({
        handler: ({ url }) => ({ status: 200, headers: {}, body: Buffer.from(`agent ${url}`) }),
      })),
      authorizer: {
        name: 'recording',
        authorize: (asked) => {
          seen.push(pathOf(asked));
          return { verdict: 'allow', reason: '' };
        },
      },
    });
    const { call } = started;
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
    await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' } });
    await call('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
    const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
    await call('POST', '/api/v1/nodes', { metadata: { name: 'n1' }, status: { addresses } });
    for (const path of DOCUMENTS) {
      const { status, text } = await get(path);
      expect([path, status]).toEqual([path, 200]);
      plain.set(path, text);
    }
    expect(new Set(plain.values()).size).toBe(DOCUMENTS.length);
  });
  afterAll(() => started.server.stop());

  /** Returns the authorized path, and the path of the served document or the status code. */
  async function served(spelling: string): Promise<readonly [authorized: string, served: string]> {
    seen.length = 0;
    const { status, text } = await get(spelling);
    const document = DOCUMENTS.find((path) => plain.get(path) === text);
    const authorized = seen[0]?.replace(/\/$/, '') ?? 'nothing';
    return [authorized, document ?? (status === 200 ? 'another document' : String(status))];
  }

  const isProxied = (path: string): boolean => path === '/api/v1/nodes/n1/proxy';

  it.each(DOCUMENTS)('serves only the authorized document, starting at %s', async (from) => {
    for (const to of DOCUMENTS)
      for (const spelling of spellings(from, to)) {
        const [authorized, found] = await served(spelling);
        if (!DOCUMENTS.includes(found) || isProxied(authorized)) continue;
        expect([spelling, found]).toEqual([spelling, authorized]);
      }
  });

  it.each(DOCUMENTS)('serves only the authorized document for every spelling of %s', async (path) => {
    for (const spelling of variants(path)) {
      const [authorized, found] = await served(spelling);
      if (!DOCUMENTS.includes(found) || isProxied(authorized)) continue;
      expect([spelling, found]).toEqual([spelling, authorized]);
    }
  });

  it.each(
    DOTS.flatMap((dots) => SLASHES.map((slash) => `/journal/v1/machines${slash}${dots}${slash}export`)),
  )('returns 400 if it is ambiguous: %s', async (spelling) => {
    expect(await served(spelling)).toEqual(['nothing', '400']);
  });
});
