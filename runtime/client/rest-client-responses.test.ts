import { describe, expect, it } from 'vitest';
import { ApiError, isConflict, isNotFound } from '../../api/status/api-error.ts';
import type { HttpResponse } from '../../base/http/message.ts';
import { collect, encode, json, setUp, status, widget, widgets } from './rest-client.fixture.ts';

describe('a response of the client', () => {
  it('is thrown as ApiError with code, reason and details if it is a Status', async () => {
    const { client } = setUp([json(409, status(409, 'Conflict'))]);
    await expect(client.namespaced(widgets, 'default').update(widget('a'))).rejects.toSatisfy(isConflict);
  });

  it.each(['<html>', '', '{"kind":"Other"}', 'null'])(
    'is thrown as ApiError with the HTTP status if it is an error with the body %j',
    async (body) => {
      const { client } = setUp([{ status: 404, headers: {}, body: encode(body) }]);
      const thrown: unknown = await client
        .namespaced(widgets, 'default')
        .get('a')
        .catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ code: 404, reason: 'Unknown' });
      expect(isNotFound(thrown)).toBe(true);
    },
  );

  it.each([
    [
      'Client sent an HTTP request to an HTTPS server.\n',
      ': Client sent an HTTP request to an HTTPS server.',
    ],
    ['upstream connect error\r\nreset: 0x1', ': upstream connect error'],
    ['<html>', ''],
    ['{"kind":"Other"}', ''],
    [`${'x'.repeat(201)}`, ''],
    ['\u001b[31mred', ''],
  ])('is thrown with the readable first line of its body %j in the message', async (body, shown) => {
    const { client } = setUp([{ status: 400, headers: {}, body: encode(body) }]);
    await expect(client.namespaced(widgets, 'default').get('a')).rejects.toThrow(
      new RegExp(`returned HTTP 400 without a Status${shown.replaceAll('.', String.raw`\.`)}$`),
    );
  });

  it('is rejected as a protocol error if it succeeds without an object', async () => {
    for (const body of ['<html>', '[]', '']) {
      const { client } = setUp([{ status: 200, headers: {}, body: encode(body) }]);
      await expect(client.namespaced(widgets, 'default').get('a')).rejects.toMatchObject({
        code: 'ERR_PROTOCOL',
      });
    }
  });
});

describe('a response above the size limit', () => {
  const MIB = 1024 * 1024;
  /** Returns an endless response. `taken` records the bytes read and whether the reader closed the body. */
  const endless = (status = 200) => {
    const taken = { bytes: 0, isOver: false };
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    const answer: HttpResponse = {
      status,
      headers: { 'content-type': 'application/json' },
      body: (sink) => {
        const more = (): void => {
          do taken.bytes += chunk.length;
          while (sink.write(chunk));
          sink.onDrain(more);
        };
        sink.onClose(() => (taken.isOver = true));
        more();
      },
    };
    return { answer, taken };
  };
  const limits = { objectBytes: MIB, listBytes: 2 * MIB };
  type Api = ReturnType<typeof setUp>['client'];

  it.each<[string, number, number, (client: Api) => Promise<unknown>]>([
    ['an object', 200, MIB, (client) => client.namespaced(widgets, 'default').get('a')],
    [
      'the response to a write',
      200,
      MIB,
      (client) => client.namespaced(widgets, 'default').create(widget('a')),
    ],
    ['an error response', 404, MIB, (client) => client.namespaced(widgets, 'default').get('a')],
    [
      'the error response of a watch',
      403,
      MIB,
      (client) => collect(client.all(widgets).watch({ resourceVersion: '1' })),
    ],
    ['a page of a list', 200, 2 * MIB, (client) => client.all(widgets).list()],
    ['a raw response', 200, 2 * MIB, (client) => client.request({ method: 'GET', path: '/openapi/v2' })],
  ])('is neither read to its end nor requested again if it is %s', async (_what, code, limit, ask) => {
    const { answer, taken } = endless(code);
    const { client, seen } = setUp([answer], { limits });
    await expect(ask(client)).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
      message: `the response is longer than ${limit} bytes`,
    });
    expect(taken.isOver).toBe(true);
    expect(taken.bytes).toBeLessThanOrEqual(limit + 2 * 64 * 1024);
    expect(seen).toHaveLength(1);
  });

  it('is rejected even if its transport read it in full', async () => {
    const text = JSON.stringify(widget('a'));
    const large = setUp([{ status: 200, headers: {}, body: encode(text) }], {
      limits: { objectBytes: text.length - 1 },
    });
    await expect(large.client.namespaced(widgets, 'default').get('a')).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
    });
    const fits = setUp([{ status: 200, headers: {}, body: encode(text) }], {
      limits: { objectBytes: text.length },
    });
    await expect(fits.client.namespaced(widgets, 'default').get('a')).resolves.toEqual(widget('a'));
  });

  it('is longer than 32 MiB by default', async () => {
    const { answer, taken } = endless();
    const { client } = setUp([answer]);
    await expect(client.namespaced(widgets, 'default').get('a')).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
    });
    expect(taken.bytes).toBeGreaterThan(32 * MIB);
    expect(taken.bytes).toBeLessThan(33 * MIB);
  });
});

describe('a raw request of the client', () => {
  it('returns a body other than JSON as text', async () => {
    const { client } = setUp([
      { status: 200, headers: { 'content-type': 'text/plain' }, body: encode('ok') },
    ]);
    expect(await client.request({ method: 'GET', path: '/healthz' })).toMatchObject({
      status: 200,
      body: 'ok',
    });
  });
});
