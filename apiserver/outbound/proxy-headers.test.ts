import { describe, expect, it } from 'vitest';
import { answeredHeaders, forwardedHeaders, identityHeaders } from './proxy-headers.ts';

describe('forwarded request', () => {
  it('has no identity headers or credentials of the client', () => {
    expect(
      forwardedHeaders({
        accept: ['application/json'],
        authorization: ['Bearer secret'],
        'impersonate-extra-scope': ['all'],
        'impersonate-group': ['system:masters'],
        'impersonate-user': ['root'],
        'x-remote-extra-scope': ['all'],
        'x-remote-group': ['system:masters'],
        'x-remote-uid': ['0'],
        'x-remote-user': ['root'],
      }),
    ).toEqual({ accept: 'application/json' });
  });

  it('has no hop-by-hop headers', () => {
    expect(
      forwardedHeaders({
        connection: ['keep-alive, X-Hop', 'Upgrade'],
        'content-type': ['application/json'],
        expect: ['100-continue'],
        host: ['here'],
        'keep-alive': ['5'],
        'proxy-authorization': ['Basic secret'],
        te: ['trailers'],
        'transfer-encoding': ['chunked'],
        upgrade: ['h2c'],
        'x-forwarded-host': ['forged'],
        'x-hop': ['1'],
      }),
    ).toEqual({ 'content-type': 'application/json' });
  });

  it('keeps repeated headers separate', () => {
    expect(forwardedHeaders({ accept: ['a/b', 'c/d'] })).toEqual({ accept: ['a/b', 'c/d'] });
  });
});

describe('identity headers', () => {
  it('contain user, groups and extra values, one value a line', () => {
    expect(
      identityHeaders({ username: 'alice', groups: ['a,b', 'c'], extra: { scopes: ['x', 'y'] } }),
    ).toEqual({
      'x-remote-user': 'alice',
      'x-remote-group': ['a,b', 'c'],
      'x-remote-extra-scopes': ['x', 'y'],
    });
  });

  it('escape characters that are invalid in header names', () => {
    const extra = { 'example.org/a b%': ['1'] };
    expect(identityHeaders({ username: 'u', groups: [], extra })).toEqual({
      'x-remote-user': 'u',
      'x-remote-extra-example.org%2fa%20b%25': ['1'],
    });
  });

  it('encode values as UTF-8', () => {
    const { 'x-remote-user': user = '' } = identityHeaders({ username: 'Zoë…', groups: [] });
    expect(Buffer.from(user as string, 'latin1').toString('utf8')).toBe('Zoë…');
  });
});

it("a forwarded response has none of the peer's CORS and audit headers", () => {
  expect(
    answeredHeaders({
      'access-control-allow-credentials': ['true'],
      'access-control-allow-origin': ['*'],
      'audit-id': ['forged'],
      etag: ['"1"'],
    }),
  ).toEqual({ etag: '"1"' });
});

it('a forwarded response has no hop-by-hop headers', () => {
  expect(
    answeredHeaders({
      connection: ['close'],
      etag: ['"1"'],
      'set-cookie': ['a', 'b'],
      'transfer-encoding': ['chunked'],
    }),
  ).toEqual({ etag: '"1"', 'set-cookie': ['a', 'b'] });
});
