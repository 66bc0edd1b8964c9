import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedPath, parseRequestInfo } from './request-info.ts';

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
  ])('%s %s asks to %s', (method, url, expected) => {
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
  ])('GET %s asks to %s', (url, expected) => {
    expect(read('GET', url)).toBe(expected);
  });

  it.each(['/', '/api', '/api/v1', '/apis', '/apis/batch', '/apis/batch/v1', '/healthz', '/openapi/v2'])(
    'GET %s asks for no resource',
    (url) => {
      expect(read('GET', url)).toBe(`get ${url}`);
    },
  );

  it('never takes an encoded slash for a separator', () => {
    expect(parseRequestInfo('GET', '/api/v1/namespaces/a/configmaps/x%2Fy').name).toBe('x/y');
  });

  it('is refused when its escapes are broken', () => {
    expect(() => parseRequestInfo('GET', '/api/v1/pods/%zz')).toThrow(MalformedPath);
    expect(() => parseRequestInfo('GET', '/api/v1/watch')).toThrow(MalformedPath);
  });

  it('never throws anything else, whatever it holds', () => {
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
