import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { notFound } from '../../../api/status/api-error.ts';
import { WorkBudgetError } from '../../../base/budget/work-budget.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { StorageError } from '../../storage/storage.ts';
import { createInMemoryCaller } from '../in-memory.ts';
import { createGuard } from './guard.ts';
import { contextOf } from './context.fixture.ts';

/** Returns the response and the log lines for an exception in a later stage. */
async function guarded(thrown: unknown, method = 'GET', path = '/apis/batch/v1/namespaces/a/jobs/b') {
  const logged: unknown[] = [];
  const log = { ...silentLogger, error: (_fields: object, message: string) => void logged.push(message) };
  const stage = createGuard({ vocabulary: orchVocabulary, log });
  const caller = createInMemoryCaller((http) => stage.run(contextOf(http), () => Promise.reject(thrown)));
  const response = await caller.request(method, path);
  const body = await response.json<{ readonly message: string }>();
  return { status: response.status, retryAfter: response.header('retry-after'), body, logged };
}

const away = new StorageError('ERR_STORAGE_UNAVAILABLE', 'no member of etcd can be reached: 10.0.0.1');

describe('the guard', () => {
  it('returns API errors unchanged and logs nothing', async () => {
    const answer = await guarded(notFound({ group: 'batch', resource: 'jobs' }, 'b'));
    expect(answer).toMatchObject({ status: 404, logged: [], body: { reason: 'NotFound' } });
  });

  it('returns 413 for a request that exceeds its work budget, and logs nothing', async () => {
    const answer = await guarded(new WorkBudgetError('ERR_WORK_BUDGET', 'send less'), 'POST');
    expect(answer).toMatchObject({ status: 413, logged: [], body: { reason: 'RequestEntityTooLarge' } });
    expect(answer.body.message).toBe('Request entity too large: send less');
  });

  it('logs the message of a defect and does not return it', async () => {
    const answer = await guarded(new Error('a secret'));
    expect(answer).toMatchObject({ status: 500, logged: ['request failed because of a defect'] });
    expect(answer.body.message).toBe('Internal error occurred: the server could not handle the request');
  });

  it('returns the message of a full store without Retry-After', async () => {
    const answer = await guarded(new StorageError('ERR_NO_ROOM', "the store's disk is full"));
    expect(answer).toMatchObject({ status: 500, logged: ['request failed because of the store'] });
    expect(answer.retryAfter).toBeUndefined();
    expect(answer.body.message).toBe("the store's disk is full");
  });

  it('returns the key of a damaged value without Retry-After', async () => {
    const answer = await guarded(new StorageError('ERR_BROKEN_VALUE', 'etcd holds no object at /a/x'));
    expect(answer).toMatchObject({ status: 500, logged: ['request failed because of the store'] });
    expect(answer.retryAfter).toBeUndefined();
    expect(answer.body.message).toBe('etcd holds no object at /a/x');
  });

  it('sets Retry-After for a read that the store could not serve', async () => {
    expect(await guarded(away)).toMatchObject({
      status: 500,
      retryAfter: '2',
      logged: ['request failed because of the store'],
      body: {
        reason: 'ServerTimeout',
        message:
          'The get operation against jobs.batch could not be completed at this time, please try again.',
        details: { group: 'batch', kind: 'jobs', retryAfterSeconds: 2 },
      },
    });
  });

  it('sets no Retry-After for a write, which may have been stored', async () => {
    const answer = await guarded(away, 'POST', '/api/v1/namespaces/a/pods');
    expect(answer).toMatchObject({
      status: 500,
      body: { reason: 'ServerTimeout', details: { kind: 'pods' } },
    });
    expect(answer.retryAfter).toBeUndefined();
    expect(answer.body.message).toMatch(/^The create operation against pods could not be completed/);
  });
});
