import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../apiserver/extensions/extensions.fixture.ts';
import type { Attributes } from '../../apiserver/request.ts';
import { LONG } from '../long.ts';

const OBJECTS = [
  ['a', 'x'],
  ['a', 'y'],
  ['b', 'x'],
] as const;

/**
 * Selectors that name one object once, twice, or in spellings that another parser may interpret differently.
 */
const SELECTORS: readonly string[] = [
  '',
  'fieldSelector=metadata.name=x',
  'fieldSelector=metadata.name%3Dx',
  'fieldSelector=metadata.name==x',
  'fieldSelector=metadata.name=x&fieldSelector=',
  'fieldSelector=&fieldSelector=metadata.name=x',
  'fieldSelector=metadata.name=x&fieldSelector=metadata.name=y',
  'fieldselector=metadata.name=x',
  'FieldSelector=metadata.name=x&fieldSelector=metadata.name=y',
  'fieldSelector=metadata.name=x,metadata.name=y',
  'fieldSelector=metadata.name!=y,metadata.name=x',
  'fieldSelector=metadata.name=x,metadata.namespace=b',
  'fieldSelector=metadata.namespace=b,metadata.name=x',
  'fieldSelector=metadata.name=x%00',
  'fieldSelector=metadata.name=x%5C,y',
  'fieldSelector=%20metadata.name=x',
  'fieldSelector=metadata.name=%20x',
  'fieldSelector[]=metadata.name=x',
  'fieldSelector=metadata.name=x;fieldSelector=',
  'fieldSelector=metadata.name=a/x',
];
const WATCHES: readonly string[] = [
  '',
  'watch=true',
  'watch',
  'watch=',
  'watch=0',
  'watch=false',
  'watch=FALSE',
  'Watch=true',
  'watch=false&watch=true',
  'watch=true&watch=0',
];

/** Returns a continue token for a position inside or outside the listed range. */
const continueAt = (start: string): string =>
  `continue=${Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start })).toString('base64url')}`;
const POSITIONS = ['a/x', '../b/x', '/../b/x', '../../configmaps/a/x', '\u0000', 'y\u0000'];
const CONTINUES: readonly string[] = ['', ...POSITIONS.map(continueAt)];

const PATHS = ['', '/watch', '/proxy'].flatMap((prefix) =>
  [
    '/secrets',
    '/namespaces/a/secrets',
    '/namespaces/a/secrets/',
    '/namespaces/a/secrets/x',
    '/namespaces//secrets',
    '/namespaces/a//secrets',
    '//secrets',
    '/namespaces/a/secrets//x',
    '/namespaces/a/secrets/x/status',
    '/namespaces/a/secrets/x/log',
  ].map((path) => `/api/v1${prefix}${path}`),
);

/** Headers by which some servers override the method or path of the request line. */
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'x-http-method-override': 'DELETE', 'x-http-method': 'DELETE', 'x-method-override': 'DELETE' },
  { 'x-original-url': '/api/v1/secrets', 'x-rewrite-url': '/api/v1/secrets', 'x-forwarded-uri': '/api' },
];

interface Found {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

/** Returns the objects in a list, a single object or the events of a watch. */
const objectsIn = (text: string): readonly Found[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => {
      const answer = JSON.parse(line) as { items?: readonly Found[]; object?: Found } & Found;
      return answer.items ?? [answer.object ?? answer];
    });

function* urls(): Generator<string> {
  for (const path of PATHS)
    for (const selector of SELECTORS)
      for (const watch of WATCHES)
        for (const position of CONTINUES)
          yield `${path}?${[selector, watch, position].filter((each) => each !== '').join('&')}`;
}

describe('a response', () => {
  let started: Awaited<ReturnType<typeof startServer>>;
  const asked: Attributes[] = [];

  beforeAll(async () => {
    started = await startServer({
      authorizer: {
        name: 'recording',
        authorize: (attributes) => {
          asked.push(attributes);
          return { verdict: 'allow', reason: '' };
        },
      },
    });
    for (const name of ['a', 'b']) await started.call('POST', '/api/v1/namespaces', { metadata: { name } });
    for (const [namespace, name] of OBJECTS)
      for (const resource of ['secrets', 'configmaps'])
        await started.call('POST', `/api/v1/namespaces/${namespace}/${resource}`, { metadata: { name } });
  });
  afterAll(() => started.server.stop());

  async function answerTo(url: string, headers: Readonly<Record<string, string>>) {
    asked.length = 0;
    const leaving = new AbortController();
    const response = await started.caller.request('GET', url, { headers, signal: leaving.signal });
    // A watch sends the current state within a few turns of the event loop.
    const timer = setTimeout(() => leaving.abort(), 3);
    let text = '';
    for await (const chunk of response.chunks()) text += Buffer.from(chunk).toString();
    clearTimeout(timer);
    return { status: response.status, text };
  }

  it('contains no object and no stream beyond the authorized ones for every spelling', async () => {
    const wrong: string[] = [];
    const counts = { lists: 0, watches: 0, gets: 0 };
    const all = [...urls()].filter((_, at) => LONG || at % 31 === 0);
    for (const [at, url] of all.entries()) {
      const { status, text } = await answerTo(url, HEADERS[at % HEADERS.length] ?? {});
      if (status !== 200) continue;
      const [by] = asked;
      if (by === undefined || by.resource !== 'secrets' || by.subresource !== '') {
        wrong.push(`${url}: served as secrets, authorized as ${JSON.stringify(by)}`);
        continue;
      }
      const isStream = text === '' || text.startsWith('{"type"');
      if (isStream !== (by.verb === 'watch')) wrong.push(`${url}: authorized to ${by.verb}`);
      counts[isStream ? 'watches' : by.verb === 'get' ? 'gets' : 'lists']++;
      for (const { metadata } of objectsIn(text))
        if (
          (by.namespace !== '' && metadata.namespace !== by.namespace) ||
          (by.name !== '' && metadata.name !== by.name)
        )
          wrong.push(`${url}: authorized for ${by.namespace}/${by.name}, shows ${JSON.stringify(metadata)}`);
    }
    expect(wrong).toEqual([]);
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(10);
    expect((await started.call('GET', '/api/v1/secrets')).json['items']).toHaveLength(OBJECTS.length);
  }, 300_000);
});
