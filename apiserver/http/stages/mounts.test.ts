import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../request.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { textResponse } from '../../../base/http/text-response.ts';
import { createMounts } from './mounts.ts';

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
