import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ControllerManager, ControllerState } from '../../runtime/index.ts';
import { createHealthServer } from './health-server.ts';

const state = (name: string, ...problems: readonly string[]) => ({ name, problems }) as ControllerState;

describe('createHealthServer', () => {
  let states: readonly ControllerState[] = [];
  const manager = {
    state: () => states,
    metrics: async () => ({ contentType: 'text/plain', text: 'up 1' }),
  } as unknown as ControllerManager;
  const server = createHealthServer(manager, 0);
  beforeEach(() => server.start());
  afterEach(() => server.stop());
  const get = async (path: string): Promise<readonly [number, string]> => {
    const answer = await fetch(`${server.address()}${path}`);
    return [answer.status, await answer.text()];
  };

  it('returns ok while every controller is healthy', async () => {
    states = [state('cronjob'), state('job')];
    expect(await get('/healthz')).toEqual([200, 'ok']);
    expect(await get('/readyz')).toEqual([200, 'ok']);
    expect(await get('/livez')).toEqual([200, 'ok']);
    expect(await get('/healthz?verbose')).toEqual([
      200,
      '[+]ping ok\n[+]cronjob ok\n[+]job ok\nhealthz check passed\n',
    ]);
  });

  it('names an unhealthy controller and the reason, while the process stays live', async () => {
    states = [state('cronjob'), state('job', 'job: cache of pods is not filled')];
    expect(await get('/readyz')).toEqual([
      500,
      '[+]ping ok\n[+]cronjob ok\n[-]job failed: job: cache of pods is not filled\nreadyz check failed\n',
    ]);
    expect(await get('/readyz?exclude=job')).toEqual([200, 'ok']);
    expect(await get('/healthz/cronjob')).toEqual([200, 'ok']);
    expect((await get('/healthz/job'))[0]).toBe(500);
    expect(await get('/livez')).toEqual([200, 'ok']);
  });

  it('returns 404 for unknown paths', async () => {
    expect((await get('/healthz/none'))[0]).toBe(404);
    expect((await get('/debug'))[0]).toBe(404);
    expect(await get('/metrics')).toEqual([200, 'up 1']);
  });
});
