import type { Stage } from '../../apiserver/http/pipeline.ts';
import { parseRequestInfo } from '../../apiserver/http/request-info.ts';
import { firstHeader } from '../../base/http/message.ts';
import type { Interception } from './interception.ts';

/** The faults of a plan in an API server of ours, once it is known who asks: what a proxy before it would do. */
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
