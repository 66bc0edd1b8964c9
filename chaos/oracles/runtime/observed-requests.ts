import type { ApiObject } from '../../../api/kinds/index.ts';
import { readJson } from '../../../api/schema/index.ts';
import { parseRequestInfo } from '../../../apiserver/http/index.ts';
import {
  type Transport,
  type TransportRequest,
  type TransportResponse,
  WholeBody,
  isClientError,
  requesterOf,
} from '../../../runtime/index.ts';
import { decidedIn } from '../../world/history.ts';
import type { Happening } from './observation.ts';

type Emit = (happening: Happening) => void;

/** Returns the number of a caller, whose signal identifies it. */
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

/** True if a write with this status may have been executed. 503 means that it was not. */
const mayBeCarriedOut = (status: number): boolean => status >= 500 && status !== 503;

/**
 * Wraps a transport so that it reports the writes of reconciles. Other writes have no caller, so their
 * repetitions cannot be recognized.
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
    if (caller === undefined) return transport.send(request);
    const call = `${actor} ${method} ${path.split('?', 1)[0] ?? path}`;
    if (isRead(method)) {
      emit({ type: 'read.sent', call });
      const sent = observeOpen(transport.send(request), caller, call, emit);
      return requesterOf(caller) === undefined ? observeFetch(sent, call, emit) : sent;
    }
    const text = textOf(body);
    const identity = `${numberOf(caller)} ${call} ${text}`;
    const version = method === 'PUT' || method === 'PATCH' ? versionIn(text) : undefined;
    emit({ type: 'write.sent', identity, call, ...(version !== undefined && { version }) });
    const sent = observeOpen(transport.send(request), caller, call, emit);
    const unanswered = (): void =>
      emit({ type: 'write.unanswered', identity, call, isConditional: isConditional(request) });
    const ended = (code: string): void => {
      const requester = requesterOf(caller);
      if (requester === undefined) return;
      const { controller, key, reconcileId } = requester;
      const [bare = path] = path.split('?', 1);
      emit({ type: 'write.ended', controller, key, reconcileId, method, path: bare, code });
    };
    const answered = ({ status, body: answer }: TransportResponse): void => {
      ended(String(status));
      if (mayBeCarriedOut(status)) unanswered();
      else if (version !== undefined) {
        const isIdle = status === 200 && answer instanceof WholeBody && hasVersion(answer.bytes, version);
        emit({ type: 'write.answered', identity, call, version, status, isIdle });
      }
    };
    // The same promise is returned, so that observation delays nothing.
    void sent.then(answered, (thrown: unknown) => {
      ended(isClientError(thrown) ? thrown.code : 'unknown');
      if (!isClientError(thrown, 'ERR_UNREACHABLE', 'ERR_FENCED')) unanswered();
    });
    return sent;
  },
});

/** Reports whether a read that belongs to no effect was answered. Returns the same promise. */
function observeFetch(
  sent: Promise<TransportResponse>,
  call: string,
  emit: Emit,
): Promise<TransportResponse> {
  void sent.then(
    ({ status }) => emit({ type: 'fetch.ended', call, isFailure: status >= 400 && status !== 404 }),
    () => emit({ type: 'fetch.ended', call, isFailure: true }),
  );
  return sent;
}

/** Reports for how long a request of an effect has no response. Returns the same promise. */
function observeOpen(
  sent: Promise<TransportResponse>,
  caller: AbortSignal,
  call: string,
  emit: Emit,
): Promise<TransportResponse> {
  const requester = requesterOf(caller);
  if (requester === undefined) return sent;
  const effect = `${requester.reconcileId} ${requester.state}`;
  emit({ type: 'request.sent', effect, call });
  const ended = (): void => emit({ type: 'request.ended', effect, call });
  void sent.then(ended, ended);
  return sent;
}

const textOf = (body: TransportRequest['body']): string =>
  body === undefined ? '' : typeof body === 'string' ? body : Buffer.from(body).toString();

/** Returns the first resource version in a body, which is that of the object's metadata. */
const versionIn = (text: string): string | undefined => /"resourceVersion":"([^"]+)"/.exec(text)?.[1];

const hasVersion = (bytes: Uint8Array, version: string): boolean =>
  versionIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')) === version;

/**
 * True if the server would reject a second execution. The write names the uid or version of its object, or
 * creates an object under a given name, as recorders of Events do.
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
