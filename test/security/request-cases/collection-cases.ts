import {
  collection,
  core,
  HEADER_BYTES,
  listed,
  namespace,
  OBJECTS,
  type RequestCase,
  several,
} from './request-case.ts';

/** Returns a selector with as many requirements as fit into a URL. */
const requirements = (each: (at: number) => string): string =>
  encodeURIComponent(
    listed(HEADER_BYTES)
      .map(each)
      .join(',')
      .slice(0, HEADER_BYTES / 1.5)
      .replace(/,[^,]*$/, ''),
  );

const maps = `${core}/collected/configmaps`;

/** Requests for large collections with complex selectors. */
export const collections: readonly RequestCase[] = [
  {
    what: 'a list of large objects by label',
    prepare: several(
      namespace('collected'),
      collection(maps, OBJECTS, () => ({ data: { a: 'a'.repeat(1_000) } })),
    ),
    request: () => ({ method: 'GET', path: `${maps}?labelSelector=a%21%3Db` }),
    status: 200,
  },
  {
    what: 'a label selector of thousands of requirements',
    request: () => ({ method: 'GET', path: `${maps}?labelSelector=${requirements((at) => `a!=${at}`)}` }),
  },
  {
    what: 'a label selector of thousands of values',
    request: () => ({
      method: 'GET',
      path: `${maps}?labelSelector=${encodeURIComponent(`a notin (${listed(7_000).join(',')})`)}`,
    }),
  },
  {
    what: 'a field selector of thousands of requirements',
    request: () => ({
      method: 'GET',
      path: `${maps}?fieldSelector=${requirements((at) => `metadata.name!=${at}`)}`,
    }),
  },
  {
    what: 'a page by a selector that matches nothing',
    request: () => ({
      method: 'GET',
      path: `${maps}?limit=1&labelSelector=${requirements((at) => `a!=${at}`)},b=c`,
    }),
  },
  {
    what: 'a continue token of many bytes',
    request: () => ({
      method: 'GET',
      path: `${maps}?limit=1&continue=${Buffer.from(
        JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start: 'a/'.repeat(20_000) }),
      ).toString('base64url')}`,
    }),
  },
  {
    what: 'deletion of a collection',
    request: () => ({ method: 'DELETE', path: `${maps}?dryRun=All` }),
    status: 200,
  },
  {
    what: 'a watch with thousands of requirements',
    request: () => ({
      method: 'GET',
      path: `${maps}?watch=1&resourceVersion=0&labelSelector=${requirements((at) => `a!=${at}`)}`,
      events: OBJECTS,
    }),
  },
];
