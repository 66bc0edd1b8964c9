import { type BodySink, type HttpRequest, type HttpResponse, textResponse } from '../../base/http/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { type Transport, WholeBody } from '../../runtime/index.ts';

/** Writes a body to a sink with backpressure. If the sink closes, the loop ends, which cancels the source. */
export async function handOn(body: AsyncIterable<Uint8Array>, sink: BodySink): Promise<void> {
  let drained = (): void => {};
  sink.onClose(() => drained());
  try {
    for await (const chunk of body) {
      if (sink.closed) return;
      if (sink.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        drained = resolve;
        sink.onDrain(resolve);
      });
    }
    sink.end();
  } catch {
    // The response head was already sent, so a broken body can only be reported by cutting the connection.
    if (sink.closed) return;
    if (sink.cut) sink.cut();
    else sink.end();
  }
}

const HEADERS_TIMEOUT_MS = 60_000;

/** Handler that forwards a request with the given headers, by default with none. */
export type Forwarder = (
  request: HttpRequest,
  headers?: Readonly<Record<string, string>>,
) => Promise<HttpResponse>;

/**
 * Creates a handler that forwards requests to another part of the program, without the headers and the body
 * of the client.
 */
export const createForwarder =
  (transport: Transport): Forwarder =>
  async ({ method, url, signal }, headers = {}) => {
    try {
      const asked = { method, path: url, headers, signal, headersTimeoutMs: HEADERS_TIMEOUT_MS };
      const { status, headers: own, body } = await transport.send(asked);
      if (body instanceof WholeBody) return { status, headers: own, body: body.bytes };
      return { status, headers: own, body: (sink) => void handOn(body, sink) };
    } catch (thrown) {
      return textResponse(502, `${messageOf(thrown)}\n`);
    }
  };
