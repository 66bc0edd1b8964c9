import { type Stage, parseRequestInfo } from '../../apiserver/http/index.ts';
import { firstHeader } from '../../base/http/index.ts';
import type { Interception } from './interception.ts';

/**
 * Creates a stage of the built-in API server that applies a fault plan after authentication. Its faults are
 * those of a proxy in front of the server.
 */
export const createChaosStage = (interception: Interception): Stage => ({
  name: 'chaos',
  run: (context, next) =>
    interception(
      {
        info: context.info,
        user: context.user.username,
        userAgent: firstHeader(context.http.headers, 'user-agent') ?? '',
      },
      context.http,
      (http) => {
        if (http.url !== context.http.url)
          return next({ ...context, http, info: parseRequestInfo(http.method, http.url) });
        context.http = http;
        return next(context);
      },
    ),
});
