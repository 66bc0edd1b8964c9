import { forbidden } from '../../../api/status/index.ts';
import { asksForWebSocket, upgradeOf } from '../../../base/http/index.ts';
import type { RequestContext } from '../../request.ts';
import { isForeignPage, isFromBrowser } from '../request/browser.ts';
import type { Stage } from '../pipeline.ts';

/**
 * Rejects writes and streams that pages of other sites request with a credential that the browser adds: a
 * client certificate, or network access alone. Browsers let any page send such requests, open WebSockets and
 * read their messages (https://www.rfc-editor.org/rfc/rfc6455#section-10.2). A page with a token may have any
 * origin. This stage follows authentication, which knows the accepted credential: an invalid token sent next
 * to a certificate changes nothing.
 */
export const rejectForeignPages: Stage = {
  name: 'origin',
  run(context, next) {
    const { info, http } = context;
    if (
      context.explicitCredential !== true &&
      changesOrStreams(context) &&
      isFromBrowser(http.headers) &&
      isForeignPage(http.headers)
    )
      throw forbidden(
        { group: info.group, resource: info.resource },
        info.name,
        'a page of another site may not write or open streams with a credential that the browser adds by itself; give the page a bearer token',
      );
    return next(context);
  },
};

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const changesOrStreams = ({ info, http: { headers } }: RequestContext): boolean =>
  !READS.has(info.httpMethod) || upgradeOf(headers) !== undefined || asksForWebSocket(headers);
