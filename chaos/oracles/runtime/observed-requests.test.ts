import { describe, expect, it } from 'vitest';
import { ClientError, type TransportRequest, WholeBody } from '../../../runtime/index.ts';
import { createCallerNumbers, observeWrites } from './observed-requests.ts';
import type { Happening } from './observation.ts';

const SECRETS = '/api/v1/namespaces/team/secrets';

/**
 * Sends one request through a transport that returns a status or throws an error. Returns the observations.
 */
async function observe(
  request: Pick<TransportRequest, 'method' | 'path'> & { readonly body?: unknown },
  answer: number | ClientError,
  caller: AbortSignal | null = new AbortController().signal,
): Promise<readonly Happening[]> {
  const seen: Happening[] = [];
  const transport = {
    close: () => Promise.resolve(),
    send: () =>
      answer instanceof ClientError
        ? Promise.reject(answer)
        : Promise.resolve({ status: answer, headers: {}, body: new WholeBody(new Uint8Array()) }),
  };
  const { method, path, body } = request;
  await observeWrites(transport, 'job', createCallerNumbers(), (happening) => seen.push(happening))
    .send({
      method,
      path,
      headers: {},
      headersTimeoutMs: 1,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(caller !== null && { caller }),
    })
    .catch(() => {});
  return seen;
}

const broken = new ClientError('ERR_CONNECTION', 'the connection broke');
const unreachable = new ClientError('ERR_UNREACHABLE', 'no connection');

describe('the observation of writes', () => {
  it.each([
    ['a creation with a generated name', 'POST', SECRETS, { metadata: { generateName: 'a-' } }, false],
    ['a creation under a given name', 'POST', SECRETS, { metadata: { name: 'a' } }, true],
    ['an update without a version', 'PUT', `${SECRETS}/a`, { metadata: { name: 'a' } }, false],
    ['an update with a version', 'PUT', `${SECRETS}/a`, { metadata: { resourceVersion: '7' } }, true],
    ['a deletion by name', 'DELETE', `${SECRETS}/a`, undefined, false],
    ['a deletion with a uid', 'DELETE', `${SECRETS}/a`, { preconditions: { uid: 'u' } }, true],
  ])('reports whether %s would be rejected the second time', async (_, method, path, body, isConditional) => {
    expect((await observe({ method, path, body }, broken)).at(-1)).toMatchObject({
      type: 'write.unanswered',
      isConditional,
    });
  });

  it('treats a write as possibly executed after a broken connection and after an internal error', async () => {
    const typesAfter = async (answer: number | ClientError): Promise<readonly string[]> =>
      (await observe({ method: 'DELETE', path: `${SECRETS}/a` }, answer)).map(({ type }) => type);
    expect(await typesAfter(broken)).toEqual(['write.sent', 'write.unanswered']);
    expect(await typesAfter(500)).toEqual(['write.sent', 'write.unanswered']);
    for (const answer of [unreachable, 201, 409, 503])
      expect(await typesAfter(answer)).toEqual(['write.sent']);
  });

  it('reports reads by their path without the query', async () => {
    expect(await observe({ method: 'GET', path: `${SECRETS}?limit=1` }, broken)).toEqual([
      { type: 'read.sent', call: `job GET ${SECRETS}` },
      { type: 'fetch.ended', call: `job GET ${SECRETS}`, isFailure: true },
    ]);
  });

  it('reports the version on which an update was rejected', async () => {
    const body = { metadata: { resourceVersion: '7' } };
    expect((await observe({ method: 'PUT', path: `${SECRETS}/a`, body }, 409)).at(-1)).toMatchObject({
      type: 'write.answered',
      version: '7',
      status: 409,
      isIdle: false,
    });
  });

  it('ignores requests without a caller', async () => {
    for (const method of ['GET', 'DELETE'])
      expect(await observe({ method, path: SECRETS }, broken, null)).toEqual([]);
  });
});
