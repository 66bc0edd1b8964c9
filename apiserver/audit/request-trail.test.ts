import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../base/http/message.ts';
import { parseRequestInfo } from '../http/request/request-info.ts';
import type { RequestContext } from '../request.ts';
import { RequestTrail } from './request-trail.ts';
import type { AuditLevel } from './trail.ts';

const http: HttpRequest = {
  method: 'POST',
  url: '/api/v1/namespaces/a/configmaps',
  headers: {},
  signal: new AbortController().signal,
  peer: { address: '10.0.0.1' },
  body: () => Promise.resolve(new Uint8Array()),
};

function trailAt(level: AuditLevel, before: (trail: RequestTrail) => void = () => {}) {
  const trail = new RequestTrail(http, 0);
  const context: RequestContext = {
    http,
    info: parseRequestInfo(http.method, http.url),
    kind: undefined,
    user: { username: 'alice', groups: [] },
    audiences: [],
    warnings: [],
    id: 'x',
    audit: trail,
  };
  before(trail);
  trail.begin(context, { level, omitStages: new Set(), omitManagedFields: false });
  return { trail, event: () => trail.event(context, 'ResponseComplete', 1_500) };
}

describe('request trail', () => {
  it('stores the first value of each annotation, sorted by key', () => {
    const { trail, event } = trailAt('Metadata');
    trail.annotate('b', '1');
    trail.annotate('a', '2');
    trail.annotate('b', '3');
    expect(JSON.stringify(event().annotations)).toBe('{"a":"2","b":"1"}');
  });

  it('omits annotations above the level, including those added before it is known', () => {
    const received = (trail: RequestTrail): void => {
      trail.annotate('early', '1', 'Request');
      trail.annotate('always', '1');
    };
    const { trail, event } = trailAt('Metadata', received);
    trail.annotate('late', '1', 'Request');
    expect(event().annotations).toEqual({ always: '1' });
    expect(trailAt('Request', received).event().annotations).toEqual({ early: '1', always: '1' });
  });

  it("handles '__proto__' as an ordinary key", () => {
    const { trail, event } = trailAt('Request');
    trail.annotate('__proto__', '1');
    trail.request(JSON.parse('{"metadata":{"name":"c"},"__proto__":{"polluted":true}}'));
    expect(JSON.stringify(event().annotations)).toBe('{"__proto__":"1"}');
    expect(JSON.stringify(event().requestObject)).toBe(
      '{"metadata":{"name":"c"},"__proto__":{"polluted":true}}',
    );
  });

  it('records an object as it was when reported', () => {
    const { trail, event } = trailAt('Request');
    const object = { metadata: { name: 'c' }, data: { k: 'before' } };
    trail.request(object);
    object.data.k = 'after';
    expect(event().requestObject).toEqual({ metadata: { name: 'c' }, data: { k: 'before' } });
  });

  it('never builds the whole object below level Request', () => {
    const whole = (): never => {
      throw new Error('asked');
    };
    for (const level of ['None', 'Metadata'] as const)
      expect(() => trailAt(level).trail.request({ metadata: { name: 'c' } }, whole)).not.toThrow();
    expect(() => trailAt('Request').trail.request({}, whole)).toThrow('asked');
  });

  it("reads only a string as the object's name", () => {
    const { trail, event } = trailAt('Metadata');
    trail.request({ metadata: { name: { a: 1 }, uid: 7 } });
    expect(event().objectRef).toEqual({ resource: 'configmaps', namespace: 'a', apiVersion: 'v1' });
  });

  it('writes times in microseconds', () => {
    expect(trailAt('Metadata').event().stageTimestamp).toBe('1970-01-01T00:00:01.500000Z');
  });
});
