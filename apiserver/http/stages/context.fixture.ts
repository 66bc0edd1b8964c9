import type { AnyKind } from '../../../api/kinds/scheme.ts';
import type { HttpRequest } from '../../../base/http/message.ts';
import { NO_TRAIL } from '../../audit/trail.ts';
import type { RequestContext } from '../../request.ts';
import { NOBODY } from '../pipeline.ts';
import { parseRequestInfo } from '../request/request-info.ts';

/** Returns the context of an unauthenticated request for an object of `kind`. */
export const contextOf = (http: HttpRequest, kind?: AnyKind): RequestContext => ({
  http,
  info: parseRequestInfo(http.method, http.url),
  kind,
  user: NOBODY,
  audiences: [],
  warnings: [],
  audit: NO_TRAIL,
  id: 'a',
});
