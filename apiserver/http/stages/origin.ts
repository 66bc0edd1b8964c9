import { forbidden } from '../../../api/status/api-error.ts';
import type { HttpHeaders } from '../../../base/http/message.ts';
import { asksForWebSocket } from '../../../base/http/web-socket.ts';
import { bearsToken } from '../../auth/web-socket-token.ts';
import type { Stage } from '../pipeline.ts';

/**
 * Refuses WebSockets that pages of other sites open with what a browser shows of itself, a client certificate: it lets
 * every page open them and read what comes (RFC 6455, section 10.2), watches and commands in pods alike. A page that has a
 * token may come from anywhere. Programs that are no browser send no `Origin`, or the server's own.
 */
export const refuseForeignPages: Stage = {
  name: 'origin',
  run(context, next) {
    const { info, http } = context;
    if (asksForWebSocket(http.headers) && isForeign(http.headers) && !showsToken(http.headers))
      throw forbidden(
        { group: info.group, resource: info.resource },
        info.name,
        'a page of another site may open a WebSocket only with a token of its own',
      );
    return next(context);
  },
};

const showsToken = (headers: HttpHeaders): boolean =>
  headers['authorization'] !== undefined || bearsToken(headers);

function isForeign({ origin, host }: HttpHeaders): boolean {
  if (origin === undefined) return false;
  const [page = ''] = origin;
  const [server = ''] = host ?? [];
  // Both without the port that goes without saying.
  return !URL.canParse(page) || new URL(page).host !== server.toLowerCase().replace(/:443$/, '');
}
