import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../request.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { textResponse } from '../../../base/http/text-response.ts';
import { type Mount, createMounts } from './mounts.ts';

describe('a mount', () => {
  const stage = createMounts([{ path: '/journal/v1', handler: () => textResponse(200, 'journal') }]);
  const statusOf = async (path: string): Promise<number> => {
    const context = { info: parseRequestInfo('GET', path), http: {} } as unknown as RequestContext;
    return (await stage.run(context, async () => textResponse(404, ''))).status;
  };

  it.each([
    ['/journal/v1', 200],
    ['/journal/v1/entries?since=1', 200],
    ['/journal/v10', 404],
    ['/journal', 404],
    ['/api/v1/namespaces/journal/v1', 404],
  ])('responds to %s with %i', async (path, status) => expect(await statusOf(path)).toBe(status));
});

it.each([
  [true, undefined],
  [false, 'alice'],
])('passes the authenticated user to a mount unless it is open (%s)', async (open, expected) => {
  let seen: string | undefined;
  const handler: Mount['handler'] = (_, user) => {
    seen = user?.username;
    return textResponse(200, '');
  };
  const info = parseRequestInfo('GET', '/page');
  const context = { info, http: {}, user: { username: 'alice' } } as unknown as RequestContext;
  await createMounts([{ path: '/page', open, handler }]).run(context, async () => textResponse(404, ''));
  expect(seen).toBe(expected);
});
