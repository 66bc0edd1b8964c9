import { forbidden } from '../../../api/status/index.ts';
import { asksForWebSocket, upgradeOf } from '../../../base/http/index.ts';
import type { RequestContext } from '../../request.ts';
import { isForeignPage, isFromBrowser } from '../browser.ts';
import type { Stage } from '../pipeline.ts';

/**
 * Refuses writes and streams that pages of other sites ask for with a credential that the browser adds by itself: a client
 * certificate, or none where the place in the network is one. Browsers let every page send such requests, and open WebSockets
 * and read what comes (RFC 6455, section 10.2). A page that has a token may come from anywhere. Belongs after
 * authentication, which knows the credential that counted: a made-up token next to a certificate changes nothing.
 */
export const refuseForeignPages: Stage = {
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
