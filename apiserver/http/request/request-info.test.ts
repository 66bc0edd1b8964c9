import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedPath } from '../../../base/http/request-target.ts';
import { parseRequestInfo } from './request-info.ts';

const read = (method: string, url: string): string => {
  const info = parseRequestInfo(method, url);
  if (!info.isResourceRequest) return `${info.verb} ${info.path}`;
  const where = info.namespace === '' ? '' : `${info.namespace}/`;
  const what = `${info.group}/${info.version}/${info.resource}${info.subresource === '' ? '' : `/${info.subresource}`}`;
  return `${info.verb} ${what} ${where}${info.name}`;
};

describe('a request line', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list /v1/pods '],
    ['GET', '/api/v1/namespaces/a/pods', 'list /v1/pods a/'],
    ['GET', '/api/v1/namespaces/a/pods/p', 'get /v1/pods a/p'],
    ['HEAD', '/api/v1/namespaces/a/pods/p', 'get /v1/pods a/p'],
    ['PUT', '/api/v1/namespaces/a/pods/p/status', 'update /v1/pods/status a/p'],
    ['POST', '/apis/batch/v1/namespaces/a/jobs', 'create batch/v1/jobs a/'],
    ['PATCH', '/apis/batch/v1/namespaces/a/jobs/j', 'patch batch/v1/jobs a/j'],
    ['DELETE', '/apis/batch/v1/namespaces/a/jobs/j', 'delete batch/v1/jobs a/j'],
    ['DELETE', '/apis/batch/v1/namespaces/a/jobs', 'deletecollection batch/v1/jobs a/'],
    ['GET', '/api/v1/namespaces', 'list /v1/namespaces '],
    ['GET', '/api/v1/namespaces/a', 'get /v1/namespaces a/a'],
    ['GET', '/api/v1/namespaces/a/', 'get /v1/namespaces a/a'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update /v1/namespaces/finalize a/a'],
    ['PUT', '/api/v1/namespaces/a/status', 'update /v1/namespaces/status a/a'],
    ['GET', '/api/v1/nodes/n', 'get /v1/nodes n'],
    ['OPTIONS', '/api/v1/nodes/n', ' /v1/nodes n'],
  ])('%s %s is parsed as %s', (method, url, expected) => {
    expect(read(method, url)).toBe(expected);
  });

  it.each([
    ['/api/v1/pods?watch=true', 'watch /v1/pods '],
    ['/api/v1/pods?watch', 'watch /v1/pods '],
    ['/api/v1/pods?watch=false', 'list /v1/pods '],
    ['/api/v1/pods?watch=0', 'list /v1/pods '],
    ['/api/v1/watch/pods', 'watch /v1/pods '],
    ['/api/v1/watch/namespaces/a/pods/p', 'watch /v1/pods a/p'],
    ['/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp', 'list /v1/pods a/p'],
    ['/api/v1/namespaces/a/pods?watch=1&fieldSelector=metadata.name%3D%3Dp', 'watch /v1/pods a/p'],
    ['/api/v1/namespaces/a/pods?fieldSelector=metadata.name!%3Dp', 'list /v1/pods a/'],
    ['/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3D..', 'list /v1/pods a/'],
    ['/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3D%20p', 'list /v1/pods a/ p'],
    ['/api/v1/namespaces/a/pods?fieldSelector=%20metadata.name%3Dp', 'list /v1/pods a/'],
    ['/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp,bogus', 'list /v1/pods a/'],
    ['/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp%5C,q', 'list /v1/pods a/p,q'],
  ])('GET %s is parsed as %s', (url, expected) => {
    expect(read('GET', url)).toBe(expected);
  });

  it.each(['/', '/api', '/api/v1', '/apis', '/apis/batch', '/apis/batch/v1', '/healthz', '/openapi/v2'])(
    'GET %s is parsed as no resource request',
    (url) => {
      expect(read('GET', url)).toBe(`get ${url}`);
    },
  );

  it.each([
    '/api/v1/namespaces/a/configmaps/x%2Fy',
    '/api/v1/namespaces/a%5csecrets/s',
    '/api/v1/namespaces/a/configmaps/../secrets/s',
    '/api/v1/namespaces/a/configmaps/%2e%2e/secrets/s',
    '/api/v1/namespaces/a/configmaps/.%2E/secrets/s',
    '/api/v1/./pods',
    '/api/v1/pods/..',
    '/api/v1/nodes/n/proxy/../x',
    '/api/v1/nodes/n/proxy/a%2f..%2fb',
    '/api/v1/nodes/n/proxy/a%5c..%5cb',
    '/api/v1/nodes/n%2Fproxy/x',
    '/api/v1/pods/p%00',
    '/api/v1/pods/p%0a',
    '/api/v1/pods#/../secrets',
    '/journal/v1/machines/../export',
    '/journal/v1/machines/%2e%2e/export',
    '/journal/v1/machines%2fx',
    '/journal/v1/machines/..;/export',
    '/api/v1/namespaces/a/pods/..;a=b/..;/b/pods',
    '/api/v1/namespaces/a/pods/%2e%2e%3b/x',
    '/api/v1/nodes/n1/proxy/.;/x',
    '/journal/v1/machines/x\\..\\..\\export',
    '/healthz\\ping',
    'api/v1/pods',
    'https://host/api/v1/pods',
    '',
  ])('%j is rejected as ambiguous', (url) => {
    expect(() => parseRequestInfo('GET', url)).toThrow(MalformedPath);
  });

  it('may contain escaped slashes in the path of a proxied server', () => {
    const { name, subresource, path } = parseRequestInfo('GET', '/api/v1/nodes/n/proxy/a%2Fb/c%20d');
    expect([name, subresource, path]).toEqual(['n', 'proxy', '/api/v1/nodes/n/proxy/a/b/c d']);
  });

  it.each([
    ['/api/v1/namespaces/a/configmaps/x..y', 'get /v1/configmaps a/x..y'],
    ['/api/v1/namespaces/a/configmaps/..x', 'get /v1/configmaps a/..x'],
    ['/%61pi/v1/nodes/http:n:80', 'get /v1/nodes http:n:80'],
    ['/.well-known/openid-configuration', 'get /.well-known/openid-configuration'],
    ['/apis/x/v1/things/a%20b', 'get x/v1/things a b'],
  ])('%s is decoded as %s', (url, expected) => {
    expect(read('GET', url)).toBe(expected);
  });

  it('is rejected if its escapes are malformed', () => {
    expect(() => parseRequestInfo('GET', '/api/v1/pods/%zz')).toThrow(MalformedPath);
    expect(() => parseRequestInfo('GET', '/api/v1/watch')).toThrow(MalformedPath);
  });

  it('causes no other error than MalformedPath', () => {
    const part = fc.oneof(
      fc.constantFrom('api', 'apis', 'v1', 'namespaces', 'watch', 'proxy', 'status', '', '%', '%2F', '..'),
      fc.webFragments(),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), fc.webQueryParameters(), (parts, query) => {
        try {
          parseRequestInfo('GET', `/${parts.join('/')}?${query}`);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(MalformedPath);
        }
      }),
    );
  });
});
