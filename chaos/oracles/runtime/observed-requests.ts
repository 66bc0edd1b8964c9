import type { ApiObject } from '../../../api/kinds/index.ts';
import { readJson } from '../../../api/schema/index.ts';
import { parseRequestInfo } from '../../../apiserver/http/index.ts';
import { type Transport, type TransportRequest, isClientError } from '../../../runtime/index.ts';
import { decidedIn } from '../../world/history.ts';
import type { Happening } from './observation.ts';

type Emit = (happening: Happening) => void;

/** Returns a number for each signal by which a client identifies its caller. */
export type CallerNumbers = (caller: AbortSignal) => number;

export function createCallerNumbers(): CallerNumbers {
  const numbers = new WeakMap<AbortSignal, number>();
  let count = 0;
  return (caller) => {
    const known = numbers.get(caller) ?? ++count;
    numbers.set(caller, known);
    return known;
  };
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** Statuses after which a write may have been carried out. 503 says that it was not. */
const mayBeCarriedOut = (status: number): boolean => status >= 500 && status !== 503;

/**
 * Observes the writes that reconciles send over a transport. Others have no caller, so that a repetition
 * cannot be distinguished from another request.
 */
export const observeWrites = (
  transport: Transport,
  actor: string,
  numberOf: CallerNumbers,
  emit: Emit,
): Transport => ({
  close: () => transport.close(),
  send(request) {
    const { method, path, body, caller } = request;
    if (isRead(method) || caller === undefined) return transport.send(request);
    const call = `${actor} ${method} ${path}`;
    const identity = `${numberOf(caller)} ${call} ${textOf(body)}`;
    emit({ type: 'write.sent', identity, call });
    const sent = transport.send(request);
    const unanswered = (): void =>
      emit({ type: 'write.unanswered', identity, call, isConditional: isConditional(request) });
    // The same promise is returned, so that observation delays nothing.
    void sent.then(
      ({ status }) => mayBeCarriedOut(status) && unanswered(),
      (thrown: unknown) => isClientError(thrown, 'ERR_UNREACHABLE', 'ERR_FENCED') || unanswered(),
    );
    return sent;
  },
});

const textOf = (body: TransportRequest['body']): string =>
  body === undefined ? '' : typeof body === 'string' ? body : Buffer.from(body).toString();

/**
 * True if a second execution is refused. The write names the uid or version of its object, or creates one
 * under a given name, as Event recorders do.
 */
function isConditional({ method, path, body }: TransportRequest): boolean {
  if (body === undefined) return false;
  const info = parseRequestInfo(method, path);
  const sent = readJson(textOf(body));
  if (info.verb === 'create') return info.name !== '' || nameIn(sent) !== undefined;
  const { uid, resourceVersion } = decidedIn(info, sent);
  return uid !== undefined || resourceVersion !== undefined;
}

const nameIn = (sent: unknown): string | undefined =>
  (sent as Pick<ApiObject, 'metadata'> | undefined)?.metadata?.name;
