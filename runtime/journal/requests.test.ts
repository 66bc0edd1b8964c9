import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createJournal } from './memory-journal.ts';
import { attributeRequests, createRequestJournal, namingRequesters, targetOf } from './requests.ts';

describe('a request in the journal', () => {
  it.each([
    ['GET', '/api/v1/namespaces/team', 'get', 'namespaces', 'team'],
    ['GET', '/api/v1/namespaces', 'list', 'namespaces', ''],
    ['PUT', '/api/v1/namespaces/team/pods/a', 'update', 'pods', 'team/a'],
    ['POST', '/apis/batch/v1/namespaces/team/jobs', 'create', 'jobs.batch', 'team/'],
    ['PUT', '/apis/batch/v1/namespaces/team/cronjobs/c/status', 'update', 'cronjobs.batch/status', 'team/c'],
    ['DELETE', '/apis/batch/v1/namespaces/team/jobs', 'deletecollection', 'jobs.batch', 'team/'],
    ['GET', '/apis', 'get', '/apis', ''],
    ['GET', '/version', 'get', '/version', ''],
  ])('%s %s is recorded as %s of %s', (method, path, verb, resource, object) =>
    expect(targetOf(method, path)).toEqual({ verb, resource, object }),
  );

  it('is recorded with its effect, and is not recorded without the signal of an effect', () => {
    const journal = createJournal({ clock: createSimulatedClock(0) });
    const observe = createRequestJournal(journal);
    const { signal } = new AbortController();
    attributeRequests(signal, { controller: 'c', key: 'team/a', reconcileId: 'c-1', state: 'creating' });
    observe({ method: 'GET', path: '/api/v1/nodes/a', code: '200', ms: 1, waitedMs: 0, signal: undefined });
    observe({ method: 'GET', path: '/api/v1/nodes/a', code: '404', ms: 2, waitedMs: 0, signal });
    expect(journal.read()).toEqual([
      {
        seq: 1,
        atMs: 0,
        kind: 'request',
        controller: 'c',
        key: 'team/a',
        reconcileId: 'c-1',
        state: 'creating',
        ms: 2,
        request: { verb: 'get', resource: 'nodes', object: 'a', code: '404' },
      },
    ]);
  });

  it("has the controller's name in its user agent, and does not without the signal of an effect", async () => {
    const agents: (string | undefined)[] = [];
    const transport = namingRequesters({
      send(request) {
        agents.push(request.headers['user-agent']);
        return Promise.resolve({ status: 200, headers: {}, body: Readable.from([]) });
      },
      close: () => Promise.resolve(),
    });
    const { signal: caller } = new AbortController();
    attributeRequests(caller, {
      controller: 'cronjob',
      key: 'team/a',
      reconcileId: 'c-1',
      state: 'creating',
    });
    const request = { method: 'GET', path: '/', headers: { 'user-agent': 'm/1' }, headersTimeoutMs: 1 };
    await transport.send({ ...request, caller });
    await transport.send({ ...request, caller: new AbortController().signal });
    await transport.send(request);
    expect(agents).toEqual(['m/1/cronjob', 'm/1', 'm/1']);
  });
});
