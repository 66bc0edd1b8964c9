import { describe, expect, it } from 'vitest';
import { overHttp2, rawAnswer, statusesOf } from '../listening.ts';
import { IN_N, listener, over1, SECRET, session, attackNewCluster } from './attacked-cluster.ts';

attackNewCluster();

describe('request headers', () => {
  const secret = `${IN_N}/secrets/s`;

  it('never name a user without the certificate of a proxy', async () => {
    for (const name of [
      'X-Remote-User',
      'x-remote-user',
      'X-REMOTE-USER',
      'X_Remote_User',
      'X-Forwarded-User',
      'Remote-User',
    ]) {
      const text = await over1(
        secret,
        'alice',
        `${name}: root`,
        'X-Remote-Group: system:masters',
        'X-Remote-Extra-a: b',
      );
      expect(statusesOf(text)).toEqual([403]);
      expect(text).toContain('User \\"alice\\" cannot get');
    }
    const { status, text } = await overHttp2(session, {
      ':path': secret,
      authorization: 'Bearer alice-token',
      'x-remote-user': 'root',
      'x-remote-group': ['a', 'system:masters'],
    });
    expect([status, text.includes('User \\"alice\\"')]).toEqual([403, true]);
  });

  it('never impersonate without permission, in any spelling', async () => {
    for (const lines of [
      ['Impersonate-User: root'],
      ['impersonate-user: root', 'IMPERSONATE-GROUP: system:masters'],
      ['Impersonate-User: alice', 'Impersonate-Group: system:masters'],
      ['Impersonate-User: alice', 'Impersonate-User: root'],
      ['Impersonate-User: alice', 'Impersonate-Extra-Scopes: all'],
      ['Impersonate-User: alice', 'Impersonate-Uid: 1'],
    ])
      expect([lines, statusesOf(await over1(secret, 'alice', ...lines))]).toEqual([lines, [403]]);
    for (const lines of [
      ['Impersonate-Group: system:masters'],
      ['Impersonate-Uid: 1'],
      ['Impersonate-Extra-a: b'],
    ]) {
      const [status = 0] = statusesOf(await over1(secret, 'alice', ...lines));
      expect([lines, status >= 400]).toEqual([lines, true]);
    }
  });

  it('never count as two credentials when repeated', async () => {
    const lines = [
      'GET /api HTTP/1.1',
      'Host: a',
      'Connection: close',
      'Authorization: Bearer nobody',
      'Authorization: Bearer root-token',
      '',
      '',
    ];
    expect(statusesOf(await rawAnswer(listener, lines.join('\r\n')))).toEqual([401]);
    const one = await over1(secret, 'alice', 'Authorization: Bearer root-token');
    expect(statusesOf(one)).toEqual([403]);
  });

  it('cannot be smuggled past the end of a line or message', async () => {
    for (const lines of [
      ['X-A: b\nX-B: c'],
      ['X-A: b\rX-B: c'],
      ['X-A: b\0c'],
      ['X-A : b'],
      [' X-A: b'],
      ['Content-Length: 0', 'Transfer-Encoding: chunked'],
      ['Content-Length: 1', 'Content-Length: 2'],
      ['Content-Length: -1'],
      ['Transfer-Encoding: chunked, identity'],
      ['Transfer-Encoding: xchunked'],
    ]) {
      // The hidden bytes become a second request if the first request ends where its sender wants.
      const hidden = `GET ${secret} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer root-token\r\n\r\n`;
      const head = [
        'POST /api HTTP/1.1',
        'Host: a',
        'Authorization: Bearer alice-token',
        ...lines,
        '',
        '',
      ].join('\r\n');
      const text = await rawAnswer(listener, head + hidden);
      const refused = lines.includes('Transfer-Encoding: xchunked') ? 501 : 400;
      expect([lines, statusesOf(text), text.includes(SECRET)]).toEqual([lines, [refused], false]);
    }
  });

  it.each([
    ['with two hosts', ['Host: a', 'Host: b'], 400],
    ['with a body that is compressed on its way', ['Host: a', 'Transfer-Encoding: gzip, chunked'], 501],
    ['with its encoding in two headers', ['Host: a', ...Array(2).fill('Transfer-Encoding: chunked')], 400],
  ])('are rejected or read unambiguously %s', async (_what, lines: readonly string[], status) => {
    const head = ['POST /api HTTP/1.1', 'Authorization: Bearer root-token', ...lines, '', ''].join('\r\n');
    const text = await rawAnswer(listener, `${head}0\r\n\r\nGET ${secret} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(statusesOf(text)).toEqual([status]);
  });

  it('never select another path than the authorized one over HTTP/2', async () => {
    for (const path of [
      'api/v1/namespaces/n/secrets/s',
      '*',
      'https://a/api/v1/namespaces/n/secrets/s',
      '?a',
      ' ',
    ]) {
      const { status, text } = await overHttp2(session, {
        ':path': path,
        'x-original-url': secret,
        'x-rewrite-url': secret,
        'x-http-method-override': 'GET',
        authorization: 'Bearer alice-token',
      });
      expect([path, text.includes(SECRET), status === 200]).toEqual([path, false, false]);
    }
  });
});
